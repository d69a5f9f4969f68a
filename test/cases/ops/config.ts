/** The field cases about single config values, answered by the config loader. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { stringify } from "yaml";
import { ConfigError, loadConfig, packageRoot } from "../../../config/load.ts";

interface ValueInput {
  /** Dotted path of the value. */
  key?: string;
  path?: string;
  /** The value, or the whole file it stands in. */
  value?: unknown;
  yaml?: string;
  env?: Record<string, string>;
}

/** `ok` is false when the file is refused because of this key. */
function configValue({ key, path: dotted = key ?? "", value, yaml, env = {} }: ValueInput): object {
  const folder = mkdtempSync(path.join(tmpdir(), "planbridge-case-"));
  const file = path.join(folder, "planbridge.yaml");
  try {
    writeFileSync(file, yaml ?? stringify(nested(dotted.split("."), value)));
    const { config } = loadConfig({ path: file, env, root: packageRoot() });
    return { ok: true, value: at(config, dotted) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { ok: !error.problems.some((it) => it.path === "" || it.path.startsWith(dotted)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function nested(keys: string[], value: unknown): unknown {
  return keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function at(value: unknown, dotted: string): unknown {
  if (dotted === "") return value;
  return dotted.split(".").reduce<unknown>((it, key) => (it as Record<string, unknown> | undefined)?.[key], value);
}

export const ops = { config_value: configValue };
