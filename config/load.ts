/** The YAML file to a checked config. The only reader of the environment; nothing falls back silently. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { model } from "./agent-schema.ts";
import { check, type Facts } from "./check.ts";
import { type Environment, expand } from "./expand.ts";
import { explain } from "./explain.ts";
import { isRecord, type ParsedFile, type Problem, parseFile } from "./parse.ts";
import { salvage } from "./salvage.ts";
import { type Config, config as schema } from "./schema.ts";
import { settle } from "./settle.ts";

export interface LoadOptions {
  /** The file to read; without it `config/local.yaml` if there is one, else `config/default.yaml`. */
  path?: string | undefined;
  env?: Environment | undefined;
  /** Folder that relative paths of the file start from. */
  root: string;
}

export interface LoadedConfig {
  config: Config;
  /** Values that must never be written to a log or a chat. */
  secrets: string[];
  /** One sentence each, for the operator. */
  warnings: string[];
  /** The file that was read. */
  source: string;
}

/** The file cannot be used. The message lists every problem. */
export class ConfigError extends Error {
  override name = "ConfigError";
  readonly problems: Problem[];

  constructor(source: string, problems: Problem[]) {
    const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
    super([`${source} has ${count}:`, ...problems.map(line)].join("\n"));
    this.problems = problems;
  }
}

export function environment(): Environment {
  return process.env;
}

/** The folder of our package.json, from the sources and from dist/ alike. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, "package.json")) && path.dirname(folder) !== folder)
    folder = path.dirname(folder);
  return folder;
}

export function loadConfig(options: LoadOptions): LoadedConfig {
  const source = sourceOf(options);
  const file = parseFile(read(source));
  if (file.problems.length > 0) throw new ConfigError(source, file.problems);
  const { data, secrets, unset } = expand(file.data, options.env ?? environment());
  const { problems, warnings, spared } = settle(unset, data);
  const parsed = schema.safeParse(data);
  if (!parsed.success) problems.push(...explain(parsed.error.issues, schema, file, data));
  const readable = parsed.success ? parsed.data : salvage(data);
  if (readable) problems.push(...check(readable, factsOf(data, readable, options.root)).filter(isNews(problems)));
  if (!parsed.success || problems.length > 0) throw new ConfigError(source, located([...problems, ...spared], file));
  const config = withModel(parsed.data);
  return { config, secrets: [...secrets, ...writtenSecrets(data)], warnings, source };
}

/** Without any model the built-in rehearsal model answers, so that a first start needs no key. */
function withModel(config: Config): Config {
  if (config.models.length > 0) return config;
  return { ...config, models: [model.parse({ name: "rehearsal", provider: "rehearsal" })] };
}

function line({ path: key, line: number, message }: Problem): string {
  const where = number === undefined ? key : `${key} (line ${number})`.trim();
  return where ? `  ${where}: ${message}` : `  ${message}`;
}

function sourceOf({ path: given, root }: LoadOptions): string {
  if (given) return path.resolve(given);
  const local = path.join(root, "config", "local.yaml");
  return existsSync(local) ? local : path.join(root, "config", "default.yaml");
}

function read(source: string): string {
  try {
    return readFileSync(source, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const message = code === "ENOENT" ? "there is no such file" : `it cannot be read (${code ?? error})`;
    throw new ConfigError(source, [{ path: "", message }]);
  }
}

function factsOf(data: Record<string, unknown>, { agents }: Config, root: string): Facts {
  const models = Array.isArray(data.models) ? data.models : [];
  return {
    agentExists: (name) => [agents.dir, agents.data_dir].some((dir) => existsSync(path.resolve(root, dir, name))),
    modelNames: models.flatMap((it) => (isRecord(it) && typeof it.name === "string" ? [it.name] : [])),
  };
}

/** What the checks say about a key that was already refused, or about its owner, only repeats. */
function isNews(known: readonly Problem[]): (problem: Problem) => boolean {
  const told = known.map((it) => `${it.path}.`);
  return ({ path: key }) => !told.some((it) => it.startsWith(`${key}.`) || `${key}.`.startsWith(it));
}

function located(problems: Problem[], file: ParsedFile): Problem[] {
  return problems.map((it) => ({ ...it, line: it.line ?? file.lineOf(it.path.split(".")) }));
}

/** Secrets that are written in the file itself. */
function writtenSecrets(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(writtenSecrets);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    typeof item === "string" ? (/(_token|_secret|api_key)$/.test(key) ? [item] : []) : writtenSecrets(item),
  );
}
