/**
 * The answer of one run, posted piece by piece. Each piece that reached the chat is recorded, so a restart goes on where
 * the last worker stopped; where it may have died between a post and its record, the platform is asked first.
 */
import type { Channel, Content, MessageRef } from "../channels/channel.ts";
import { ChannelError } from "../channels/errors.ts";
import type { Outbox } from "./outbox.ts";
import { announcedWithout, postOnce } from "./post-once.ts";
import type { RunPatch } from "./state/store.ts";
import type { Run } from "./types.ts";

export interface AnswerDeps {
  outbox: Outbox;
  channel: Channel;
  save(patch: RunPatch): Promise<void>;
  posted(ref: MessageRef): Promise<void>;
}

export async function deliver(run: Run, pieces: Content[], deps: AnswerDeps): Promise<void> {
  for (let index = run.delivered.length; index < pieces.length; index++) {
    const piece = pieces[index] as Content;
    const nonce = `${run.id}.${index}`;
    const over = index === 0 ? await overDraft(run, piece, deps) : undefined;
    const ref = over ?? (await postOnce(run, nonce, () => piece, deps)).ref;
    run.delivered = [...run.delivered, ref];
    await deps.save({ delivered: run.delivered, posting: announcedWithout(run, nonce) });
    await deps.posted(ref);
  }
}

/** The draft becomes the first piece; where that is refused, the piece is posted and the draft removed if possible. */
async function overDraft(run: Run, piece: Content, { outbox, channel }: AnswerDeps): Promise<MessageRef | undefined> {
  const { draft } = run;
  if (!draft) return undefined;
  try {
    if (channel.fitsEdit(piece)) {
      await outbox.edit(draft, () => piece);
      return draft;
    }
    await channel.remove?.(draft);
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
  }
  return undefined;
}
