/** The composition root: the only file that starts things. */
import { ConfigError, environment, type LoadedConfig, loadConfig, packageRoot } from "../config/load.ts";
import { createApp } from "./app.ts";
import { type Cli, parseCli, USAGE } from "./cli.ts";
import { doctor } from "./doctor.ts";
import { messageOf, OperatorError } from "./errors.ts";
import { serveControl, socketPath } from "./gateway/control.ts";
import { serveHealth } from "./gateway/health.ts";
import { createLog, type Log } from "./log.ts";
import { once } from "./once.ts";
import { approvePairing, explainPolicy, exportAudit } from "./operator.ts";

const print = (text: string) => void process.stdout.write(`${text}\n`);

async function main(): Promise<number> {
  const cli = parseCli(process.argv.slice(2));
  if (cli.kind === "help") {
    print(USAGE);
    return 0;
  }
  const root = packageRoot();
  const loaded = loadConfig({ path: cli.config ?? environment().PLANBRIDGE_CONFIG, root });
  const log = createLog({ ...logLevel(cli, loaded), secrets: loaded.secrets });
  for (const warning of loaded.warnings) log.warn({}, warning);
  return command(cli, { loaded, root, log });
}

interface Start {
  loaded: LoadedConfig;
  root: string;
  log: Log;
}

async function command(cli: Exclude<Cli, { kind: "help" }>, start: Start): Promise<number> {
  switch (cli.kind) {
    case "run":
      return serve(start);
    case "once":
      return once(cli.text, start);
    case "doctor":
      return doctor(start, print);
    case "explain":
      return explainPolicy(start, cli, print);
    case "pair":
      return approvePairing(start, cli.code, print);
    case "audit":
      return exportAudit(start, print);
  }
}

/** Log lines would tear the terminal's plan apart, so there only trouble is shown unless a log file is set. */
function logLevel(cli: Cli, { config }: LoadedConfig) {
  const { level, file } = config.log;
  const quiet = file === undefined && level === "info" && (cli.kind !== "run" || config.channels.terminal.enabled);
  return { level: quiet ? ("warn" as const) : level, file };
}

async function serve({ loaded, root, log }: Start): Promise<number> {
  const ended = Promise.withResolvers<"input" | "signal">();
  const { slack, discord, telegram } = loaded.config.channels;
  const terminalAlone = !slack.enabled && !discord.enabled && !telegram.enabled;
  // A service has no input to wait for: only where the terminal is all there is does its end end the bridge.
  const onEnd = () => terminalAlone && ended.resolve("input");
  const app = await createApp({ loaded, root, log, terminal: { onEnd } });
  const health = await serveHealth(app, log);
  const control = await serveControl(socketPath(root, loaded.config.state.url), app.operate, log);
  process.once("SIGTERM", () => ended.resolve("signal"));
  process.once("SIGINT", () => ended.resolve("signal"));
  process.on("SIGHUP", () => void app.reload());
  try {
    await app.start();
    const watching = app.watch();
    // What was typed before the input ended is still answered.
    if ((await ended.promise) === "input") await app.lanes.idle();
    await watching.close();
    return 0;
  } finally {
    await control.close();
    await app.stop();
    await health.close();
  }
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const known = error instanceof OperatorError || error instanceof ConfigError;
    process.stderr.write(`${known ? messageOf(error) : `Internal error: ${messageOf(error)}`}\n`);
    process.exitCode = error instanceof OperatorError ? error.exitCode : 2;
  },
);
