/** Answers one case in a thread of its own: an endless loop there can be ended from outside. */
import { parentPort, workerData } from "node:worker_threads";
import type { FieldCase } from "../fixtures/cases/check.mjs";
import { loadOps, opOf, problems } from "./table.ts";

const testCase = workerData as FieldCase;
const op = opOf(await loadOps(), testCase);
parentPort?.postMessage(op === undefined ? ["no op"] : await problems(op, testCase));
