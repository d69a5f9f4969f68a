/** First contact in a direct message from somebody who is not on any list: a pairing code or one polite line. */
import type { Inbound } from "../channels/channel.ts";
import type { CommandDeps } from "./commands/command.ts";
import { messageOf } from "./errors.ts";
import { openPairing, PAIRING_MS } from "./pairing.ts";
import { userKey } from "./sessions.ts";
import { words } from "./words.ts";

const HOUR_MS = 60 * 60_000;

export async function greetStranger(deps: CommandDeps, { at, user }: Inbound): Promise<void> {
  const pairing = deps.config().channels[at.channel].pairing === "code";
  if (!(await deps.store.once(`greeted/${userKey(at, user.id)}`, pairing ? PAIRING_MS : HOUR_MS))) return;
  const text = pairing
    ? words.pairing(await openPairing(deps.store, { channel: at.channel, user: user.id }))
    : words.notListed(user.id);
  await deps.outbox
    .post(at, () => ({ kind: "notice", text }))
    .catch((error) => {
      deps.log.warn({ user: user.id, error: messageOf(error) }, "stranger could not be told");
    });
}
