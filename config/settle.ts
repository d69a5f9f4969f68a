/** Decides what unset environment variables mean for the start. */
import { CHAT_CHANNELS, type ChatChannel } from "./check.ts";
import type { Unset } from "./expand.ts";
import { dotted, isRecord, type Problem, removeAt } from "./parse.ts";

export interface Settled {
  problems: Problem[];
  /** One sentence for each channel that was switched off. */
  warnings: string[];
  /** What the warnings are about: told as problems when the file cannot be used anyway. */
  spared: Problem[];
}

/**
 * A channel that is off does not need its variables. One that lacks a variable is switched off with a warning as long
 * as another chat platform is left; the terminal does not count, on a server nobody sees it. Changes `data`.
 */
export function settle(unset: Unset[], data: Record<string, unknown>): Settled {
  const channels = isRecord(data.channels) ? data.channels : {};
  const isOn = (name: string) => isRecord(channels[name]) && channels[name].enabled === true;
  const lacking = (name: string) => unset.filter((it) => it.path[0] === "channels" && it.path[1] === name);
  const usable = CHAT_CHANNELS.some((name) => isOn(name) && lacking(name).length === 0);
  const settled: Settled = { problems: [], warnings: [], spared: [] };
  const refused = new Set(unset);
  for (const name of CHAT_CHANNELS) {
    const missing = lacking(name);
    const on = isOn(name);
    if (missing.length === 0 || (on && (data.strict === true || !usable))) continue;
    for (const it of missing) refused.delete(it);
    channels[name] = without(channels[name], missing);
    if (!on) continue;
    channels[name] = { ...(channels[name] as object), enabled: false };
    settled.warnings.push(warning(name, missing));
    settled.spared.push(...missing.map(unsetProblem));
  }
  settled.problems = [...refused].map(unsetProblem);
  return settled;
}

function unsetProblem({ path, name }: Unset): Problem {
  const message = `the environment variable ${name} is not set; set it, or write $$ for a plain dollar sign`;
  return { path: dotted(path), message };
}

function warning(name: ChatChannel, missing: Unset[]): string {
  const variables = [...new Set(missing.map((it) => it.name))];
  const keys = missing.map((it) => dotted(it.path));
  const are = variables.length === 1 ? "is" : "are";
  return `${name} is off: ${variables.join(" and ")} ${are} not set (${keys.join(", ")}). Set ${are === "is" ? "it" : "them"} and start again.`;
}

// Nothing of a channel that is off is used, so what its variables would have held is left out.
function without(channel: unknown, unset: Unset[]): unknown {
  const copy = structuredClone(channel);
  for (const { path } of unset) removeAt(copy, path.slice(2));
  return copy;
}
