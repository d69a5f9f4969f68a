/** Scores the plan-mode classifier on the labelled messages beside this file. `npm run bench:plan-mode` */
import { readFileSync } from "node:fs";
import path from "node:path";
import { classifyPlanMode } from "../../src/plan-mode.ts";

export interface Labelled {
  id: number;
  half: "tune" | "report";
  lang: "en" | "zh";
  plan: boolean;
  text: string;
}

export interface Score {
  half: string;
  lang: string;
  messages: number;
  accuracy: number;
  /** Share of the messages classified as plan that are one. */
  precision: number;
  /** Share of the plan messages that were found. */
  recall: number;
}

export function readMessages(): Labelled[] {
  const lines = readFileSync(path.join(import.meta.dirname, "messages.jsonl"), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as Labelled);
}

export function isRight({ text, plan }: Labelled): boolean {
  return classifyPlanMode(text).plan === plan;
}

export function score(messages: readonly Labelled[], half: string, lang: string): Score {
  const chosen = messages.filter((it) => it.half === half && (lang === "all" || it.lang === lang));
  const right = chosen.filter(isRight);
  const found = right.filter((it) => it.plan).length;
  const said = found + chosen.filter((it) => !it.plan && !isRight(it)).length;
  return {
    half,
    lang,
    messages: chosen.length,
    accuracy: right.length / chosen.length,
    precision: found / said,
    recall: found / chosen.filter((it) => it.plan).length,
  };
}
