/** Ops that the bridge itself decides: access, authority, keys, redaction, what a plan shows. */
import type { Address } from "../../../channels/channel.ts";
import { Board } from "../../../src/board.ts";
import { newRun } from "../../../src/new-run.ts";
import { createOutbox } from "../../../src/outbox.ts";
import { isAdmin, isListed } from "../../../src/policy.ts";
import { redact } from "../../../src/redact.ts";
import { sessionKey } from "../../../src/sessions.ts";
import { settingsOf } from "../../../src/settings.ts";
import type { Todo } from "../../../src/types.ts";
import { silent, slackConfig } from "../../support/bridge.ts";
import { createFakeChannel, inboundOf } from "../../support/fake-channel.ts";

interface Access {
  allow: string[];
  allow_roles?: string[];
  sender: { id: string; roles?: string[] };
}

interface Command {
  sender: { id: string };
  admins: string[];
}

interface Turn {
  state_todos: Todo[];
  turn_events: { todos: Todo[] }[];
}

const place = ({ chat, thread }: { chat: string; thread: string }): Address => ({
  channel: "slack",
  account: "T1",
  chat,
  thread,
});

async function todoView({ state_todos, turn_events }: Turn): Promise<string> {
  const channel = createFakeChannel();
  const { context } = slackRunContext();
  const run = newRun({ inbound: inboundOf("next"), session: "s", threadId: "s#0", context, now: 0 });
  const outbox = createOutbox({
    channel: () => channel,
    store: { take: async () => 0 },
    settings: settingsOf({}),
    log: silent,
    now: Date.now,
  });
  const board = new Board(run, { outbox, save: async () => undefined, posted: async () => undefined, log: silent });
  board.resume(undefined);
  for (const event of turn_events) board.apply({ type: "todos", ...event });
  await board.end("done");
  // The state of the last turn reaches a board only as this turn's events; here there is none of it.
  return JSON.stringify({ shown: channel.boards().map((it) => it.history.at(-1)), turns: state_todos.length });
}

function slackRunContext() {
  return {
    context: {
      is_plan_mode: true,
      plan_approval: "never",
      thinking_enabled: true,
      subagent_enabled: false,
      max_concurrent_subagents: 3,
    } as const,
  };
}

export const ops = {
  access: ({ allow, allow_roles = [], sender }: Access) => ({
    allowed: isListed({ allowedUsers: allow, allowedRoles: allow_roles }, { name: "", ...sender }),
  }),
  command: ({ sender, admins }: Command) => ({
    allowed: isAdmin(
      slackConfig({}, { admins: { slack: admins } }),
      settingsOf({}),
      place({ chat: "C", thread: "1" }),
      {
        name: "",
        ...sender,
      },
    ),
  }),
  "same_key:any": ({ a, b }: Record<"a" | "b", { chat: string; thread: string }>) =>
    sessionKey(place(a), "thread", "U1") === sessionKey(place(b), "thread", "U1"),
  redact: (input: string | { text: string }) => redact(typeof input === "string" ? input : input.text),
  todo_view: todoView,
};
