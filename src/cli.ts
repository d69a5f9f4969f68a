/** What the command line says. Pure. */
import { parseArgs } from "node:util";
import { OperatorError } from "./errors.ts";

export type Cli =
  | { kind: "run"; config?: string | undefined }
  | { kind: "once"; text: string; config?: string | undefined }
  | { kind: "doctor"; config?: string | undefined }
  | { kind: "explain"; channel: string; chat: string; user?: string | undefined; config?: string | undefined }
  | { kind: "pair"; code: string; config?: string | undefined }
  | { kind: "audit"; config?: string | undefined }
  | { kind: "help" };

export const USAGE = `planbridge: one planning agent in Slack, Discord, Telegram and this terminal

  npm start                                  run the bridge (no token needed: terminal, local file, rehearsal model)
  npm start -- --once "text"                 one message; prints each state of the plan and the answer
  npm start -- --config FILE                 use this config file (or PLANBRIDGE_CONFIG)
  npm start -- doctor                        check tokens, scopes, state and models
  npm start -- policy explain CHANNEL CHAT [USER]
                                             what applies there and where each value comes from
  npm start -- pairing approve CODE          let in who was shown this code
  npm start -- audit export                  the audit log as JSON Lines
`;

export function parseCli(argv: string[]): Cli {
  const { values, positionals } = read(argv);
  const { config } = values;
  if (values.help) return { kind: "help" };
  if (values.once !== undefined) return { kind: "once", text: values.once, config };
  const [first, second, ...rest] = positionals;
  switch ([first, second].filter(Boolean).join(" ")) {
    case "":
      return { kind: "run", config };
    case "doctor":
      return { kind: "doctor", config };
    case "policy explain":
      return explain(rest, config);
    case "pairing approve":
      if (!rest[0]) throw new OperatorError("Which code? npm start -- pairing approve CODE");
      return { kind: "pair", code: rest[0], config };
    case "audit export":
      return { kind: "audit", config };
    default:
      throw new OperatorError(`Unknown command "${positionals.join(" ")}".\n\n${USAGE}`);
  }
}

function read(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      allowPositionals: true,
      options: { once: { type: "string" }, config: { type: "string" }, help: { type: "boolean", short: "h" } },
    });
  } catch (error) {
    throw new OperatorError(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}

function explain([channel, chat, user]: string[], config: string | undefined): Cli {
  if (!channel || !chat) throw new OperatorError("Which chat? npm start -- policy explain CHANNEL CHAT [USER]");
  return { kind: "explain", channel, chat, user, config };
}
