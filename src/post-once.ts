/**
 * A post that a crash does not double. The intent is stored before the request; a worker that finds it later asks the
 * platform for the message first, and posts only if it is not there.
 */
import type { Content, MessageRef } from "../channels/channel.ts";
import type { Outbox, SendOptions } from "./outbox.ts";
import type { RunPatch } from "./state/store.ts";
import type { Run } from "./types.ts";

export interface PostOnceDeps {
  outbox: Outbox;
  save(patch: RunPatch): Promise<void>;
}

export interface Posted {
  ref: MessageRef;
  /** An earlier worker had posted it: what it shows may be older than `content`. */
  found: boolean;
}

/** `nonce` is unique per message of the run. Record the ref together with `announcedWithout(run, nonce)`. */
export async function postOnce(
  run: Run,
  nonce: string,
  content: () => Content,
  { outbox, save }: PostOnceDeps,
  options: SendOptions = {},
): Promise<Posted> {
  const { at } = run.inbound;
  if (isAnnounced(run, nonce)) {
    const ref = await outbox.find(at, nonce);
    if (ref) return { ref, found: true };
  } else {
    run.posting = [...(run.posting ?? []), nonce];
    await save({ posting: run.posting });
  }
  return { ref: await outbox.post(at, content, { ...options, nonce }), found: false };
}

export function isAnnounced({ posting }: Pick<Run, "posting">, nonce: string): boolean {
  return posting?.includes(nonce) ?? false;
}

/** The announcements left once this message is recorded; changes the run as well. */
export function announcedWithout(run: Run, nonce: string): string[] {
  run.posting = (run.posting ?? []).filter((other) => other !== nonce);
  return run.posting;
}
