/** First contact in a direct message from somebody who is not on any list: a pairing code or one polite line. */
import { randomInt } from "node:crypto";
import type { Inbound } from "../channels/channel.ts";
import { PAIRING_MS } from "./commands/admin.ts";
import type { CommandDeps } from "./commands/command.ts";
import { messageOf } from "./errors.ts";
import { words } from "./render.ts";
import { userKey } from "./sessions.ts";

/** No letters that look like digits. */
const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const HOUR_MS = 60 * 60_000;

export async function greetStranger(deps: CommandDeps, inbound: Inbound): Promise<void> {
  const { at, user } = inbound;
  if (at.channel === "web") return;
  const pairing = deps.config().channels[at.channel].pairing === "code";
  const key = userKey(at, user.id);
  if (!(await deps.store.once(`greeted/${key}`, pairing ? PAIRING_MS : HOUR_MS))) return;
  const text = pairing ? words.pairing(await newCode(deps, inbound)) : words.notListed(user.id);
  await deps.outbox
    .post(at, () => ({ kind: "notice", text }))
    .catch((error) => {
      deps.log.warn({ user: user.id, error: messageOf(error) }, "stranger could not be told");
    });
}

async function newCode(deps: CommandDeps, { at, user }: Inbound): Promise<string> {
  const code = Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  await deps.store.put(`pairing/${code}`, { channel: at.channel, user: user.id }, PAIRING_MS);
  return code;
}
