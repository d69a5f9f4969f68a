/** The functions that answer the field cases: `ops/*.ts`, each written beside the code it calls. */
import { readdirSync } from "node:fs";
import { check, type FieldCase, inputOf, TIMEOUT } from "../fixtures/cases/check.mjs";

export type Op = (input: unknown, testCase: FieldCase) => unknown;
export type Ops = Map<string, Op>;

const FOLDER = new URL("./ops/", import.meta.url);

export async function loadOps(): Promise<Ops> {
  const ops: Ops = new Map();
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".ts"))) {
    const module = (await import(new URL(file, FOLDER).href)) as { ops?: Record<string, Op> };
    for (const [name, op] of Object.entries(module.ops ?? {})) ops.set(name, op);
  }
  return ops;
}

/** An op for one platform, `gate:slack`, goes before the one for all. */
export const opOf = (ops: Ops, { op, platform }: FieldCase): Op | undefined =>
  ops.get(`${op}:${platform}`) ?? ops.get(op);

/** What is wrong with the answer to a case. */
export async function problems(op: Op, testCase: FieldCase): Promise<string[]> {
  try {
    return check(testCase, await op(inputOf(testCase), testCase));
  } catch (error) {
    return check(testCase, undefined, String(error));
  }
}

export const neverEnded = (testCase: FieldCase): string[] => check(testCase, TIMEOUT);
