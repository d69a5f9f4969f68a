/**
 * Named agents: a folder each, with agent.yaml (what it is) and SOUL.md (who it is).
 * Those in config/ belong to the operator; those in data/ were made by talking.
 */
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import { problemOf } from "./skill-files.ts";
import { codeOf } from "./tools/mounts.ts";

/** The agent of a session that chose none. */
export const DEFAULT_AGENT = "default";
const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;
const RESERVED = new Set([DEFAULT_AGENT, "new", "users"]);
const MAX_SOUL = 20_000;

const agentFile = z.strictObject({
  /** Must be the folder's name, if given. */
  name: z.string().optional(),
  description: z.string().trim().min(1).max(500),
  /** One of the configured models. */
  model: z.string().min(1).optional(),
  /** Absent: all skills. Empty: none. */
  skills: z.array(z.string()).optional(),
  /** Names or `*` patterns of tools it may use. Absent: all. */
  tools: z.array(z.string()).optional(),
});

export interface AgentDefinition extends z.infer<typeof agentFile> {
  name: string;
  /** Made by talking, so it may be changed by talking. */
  custom: boolean;
}

export interface AgentsOptions {
  dir: string;
  dataDir: string;
  log: Log;
}

export interface Agents {
  list(): Promise<{ name: string; description: string }[]>;
  /** Undefined: there is no such agent, or its file cannot be used (then the log says why). */
  get(name: string): Promise<AgentDefinition | undefined>;
  /** With a user, that person's own copy comes first. Empty: it has none. */
  soul(name: string, userId?: string): Promise<string>;
  /** Rejects when the name is taken or not allowed. */
  create(name: string, file: Omit<z.infer<typeof agentFile>, "name">, soul: string): Promise<void>;
  /** Writes the person's own copy; nobody else's agent changes. */
  saveOwnSoul(name: string, userId: string, soul: string): Promise<void>;
}

/** Throws: no other name may become part of a path. */
function checkedName(name: string): string {
  if (AGENT_NAME.test(name)) return name;
  throw new Error(`${JSON.stringify(name)} is no agent name: letters, digits and hyphens only, at most 64.`);
}

export function createAgents({ dir, dataDir, log }: AgentsOptions): Agents {
  const ownDir = (name: string, userId: string) => join(dataDir, "users", encodeURIComponent(userId), name);

  async function get(name: string): Promise<AgentDefinition | undefined> {
    if (!AGENT_NAME.test(name)) return undefined;
    // The operator's come first: nobody replaces one of them by talking.
    const shipped = await readOptional(join(dir, name, "agent.yaml"));
    const text = shipped ?? (RESERVED.has(name) ? undefined : await readOptional(join(dataDir, name, "agent.yaml")));
    if (text === undefined) return undefined;
    try {
      const file = agentFile.parse(parse(text, { maxAliasCount: 10 }));
      if (file.name !== undefined && file.name !== name) throw new Error(`name: must be ${name}, as its folder is`);
      return { ...file, name, custom: shipped === undefined };
    } catch (error) {
      log.warn({ agent: name, error: problemOf(error) }, "agent left out: its agent.yaml cannot be used");
      return undefined;
    }
  }

  return {
    get,
    async list() {
      const names = new Set((await Promise.all([namesIn(dir), namesIn(dataDir)])).flat());
      const found = await Promise.all([...names].sort().map(get));
      return found.filter((agent) => agent !== undefined).map(({ name, description }) => ({ name, description }));
    },
    async soul(name, userId) {
      checkedName(name);
      const folders = [...(userId ? [ownDir(name, userId)] : []), join(dataDir, name), join(dir, name)];
      for (const folder of folders) {
        const text = (await readOptional(join(folder, "SOUL.md")))?.trim();
        if (text) return text.slice(0, MAX_SOUL).toWellFormed();
      }
      return "";
    },
    async create(name, file, soul) {
      if (RESERVED.has(checkedName(name)) || (await namesIn(dir)).includes(name))
        throw new Error(`The name ${name} is taken; choose another.`);
      // Checked before the folder exists: a refused agent must not take the name.
      const [text, written] = [checkedSoul(soul), stringify(agentFile.parse({ name, ...file }))];
      const folder = join(dataDir, name);
      await mkdir(dataDir, { recursive: true });
      await mkdir(folder).catch((error: unknown) => {
        throw new Error(codeOf(error) === "EEXIST" ? `The name ${name} is taken; choose another.` : messageOf(error));
      });
      await save(join(folder, "SOUL.md"), text);
      await save(join(folder, "agent.yaml"), written);
    },
    async saveOwnSoul(name, userId, soul) {
      const folder = ownDir(checkedName(name), userId);
      await mkdir(folder, { recursive: true });
      await save(join(folder, "SOUL.md"), checkedSoul(soul));
    },
  };
}

function checkedSoul(soul: string): string {
  const text = soul.trim();
  if (text === "") throw new Error("The soul is empty; write who the agent is.");
  if (text.length > MAX_SOUL) throw new Error(`The soul has ${text.length} characters, more than ${MAX_SOUL}.`);
  return `${text}\n`;
}

async function namesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []); // No folder: no agents.
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

async function readOptional(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Never half written: another worker may read it at any moment. */
async function save(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}.part`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}
