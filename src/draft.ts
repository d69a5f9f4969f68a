/**
 * The answer while it is written, where the platform lets us edit: one message, newest text wins, never faster than
 * people read. At the end it becomes the first piece of the answer.
 */
import type { Channel, Content, MessageRef } from "../channels/channel.ts";
import { unfinished } from "../channels/markdown/unfinished.ts";
import { messageOf } from "./errors.ts";
import type { Log } from "./log.ts";
import type { Outbox } from "./outbox.ts";
import { announcedWithout, postOnce } from "./post-once.ts";
import type { RunPatch } from "./state/store.ts";
import type { Run } from "./types.ts";

export interface DraftDeps {
  outbox: Outbox;
  channel: Channel;
  save(patch: RunPatch): Promise<void>;
  posted(ref: MessageRef): Promise<void>;
  log: Log;
}

/** A short answer comes whole: a draft begins only when the text is at least this long, in characters. */
const BEGIN_AT = 160;
const EVERY_MS = { dm: 1_500, group: 3_000 } as const;

export class Draft {
  readonly #run: Run;
  readonly #deps: DraftDeps;
  readonly #stop = new AbortController();
  #text = "";
  /** The text that was last looked at for showing. */
  #source = "";
  #shown: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #flight: Promise<void> = Promise.resolve();

  constructor(run: Run, deps: DraftDeps) {
    this.#run = run;
    this.#deps = deps;
  }

  write(text: string): void {
    this.#text = text;
    if (!this.#deps.channel.capabilities.streaming || this.#timer || this.#stop.signal.aborted) return;
    if (this.#run.draft === undefined && text.length < BEGIN_AT) return;
    this.#timer = setTimeout(() => {
      this.#flight = this.#show().finally(() => {
        this.#timer = undefined;
        if (this.#text !== this.#source) this.write(this.#text);
      });
    }, EVERY_MS[this.#run.inbound.kind]);
  }

  /** Nothing more is shown after this resolves. */
  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#flight;
  }

  async #show(): Promise<void> {
    const { outbox } = this.#deps;
    const options = { urgency: "progress", signal: this.#stop.signal } as const;
    // Cutting Markdown is work, so it is done when something may be shown, not for every word that arrives.
    this.#source = this.#text;
    try {
      // Once its first piece is whole, the rest of a long answer changes nothing here.
      if (this.#now() === this.#shown) return;
      const { draft } = this.#run;
      if (draft) await outbox.edit(draft, () => this.#content(), options);
      else await this.#begin(options);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#deps.log.debug({ error: messageOf(error) }, "draft not shown");
      this.#stop.abort();
    }
  }

  async #begin(options: { urgency: "progress"; signal: AbortSignal }): Promise<void> {
    const nonce = `${this.#run.id}.d`;
    const { ref, found } = await postOnce(this.#run, nonce, () => this.#content(), this.#deps, options);
    this.#run.draft = ref;
    await this.#deps.save({ draft: ref, posting: announcedWithout(this.#run, nonce) });
    if (found) this.#shown = undefined;
    await this.#deps.posted(this.#run.draft);
  }

  #content(): Content {
    this.#source = this.#text;
    this.#shown = this.#now();
    return { kind: "markdown", text: this.#shown };
  }

  #now(): string {
    const { channel } = this.#deps;
    const [first = "", ...more] = channel.split(this.#text);
    const text = unfinished(first);
    return more.length === 0 && channel.fitsEdit({ kind: "markdown", text }) ? text : first;
  }
}
