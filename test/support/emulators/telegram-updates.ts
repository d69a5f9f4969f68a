/** One bot's updates as Telegram keeps them: held polls, offsets that confirm, 409 for a second poller, webhooks. */
import type { Json } from "./telegram.ts";
import { Refusal } from "./telegram-methods.ts";

export interface Update extends Json {
  update_id: number;
}

export interface WebhookSettings {
  url: string;
  secret?: string | undefined;
}

interface Waiting {
  answer(updates: Update[]): void;
  refuse(error: Refusal): void;
}

const DEFAULT_KINDS = ["message", "edited_message", "callback_query", "channel_post"];

export class UpdateQueue {
  readonly pending: Update[] = [];
  /** Every update id as often as it was handed out: what a redelivery test looks at. */
  readonly delivered: number[] = [];
  webhook: WebhookSettings | undefined;
  lastWebhookError: string | undefined;
  polls = 0;
  #nextId = 70_001;
  #kinds = DEFAULT_KINDS;
  #waiting: Waiting | undefined;
  #pushing = false;
  #closed = false;
  readonly #retryMs: number;

  constructor(retryMs: number) {
    this.#retryMs = retryMs;
  }

  get waiting(): boolean {
    return this.#waiting !== undefined;
  }

  allow(kinds: unknown): void {
    if (Array.isArray(kinds)) this.#kinds = kinds.length ? kinds.map(String) : DEFAULT_KINDS;
  }

  push(kind: string, body: Json): number | undefined {
    if (!this.#kinds.includes(kind)) return undefined;
    const update: Update = { update_id: this.#nextId++, [kind]: body };
    this.pending.push(update);
    this.#wake();
    return update.update_id;
  }

  /** `gone` is called to learn whether the client hung up. */
  async poll(request: Json, gone: AbortSignal): Promise<Update[]> {
    this.polls += 1;
    if (this.webhook) {
      throw new Refusal(409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook first");
    }
    const other = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
    this.#waiting?.refuse(new Refusal(409, other));
    this.allow(request.allowed_updates);
    const offset = Number(request.offset ?? 0);
    while (this.pending[0] && this.pending[0].update_id < offset) this.pending.shift();
    const limit = Number(request.limit ?? 100);
    if (this.pending.length || !Number(request.timeout ?? 0)) return this.#hand(limit);
    return this.#hold(Number(request.timeout) * 1000, limit, gone);
  }

  #hold(ms: number, limit: number, gone: AbortSignal): Promise<Update[]> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => finish(() => resolve([])), ms);
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        if (this.#waiting === waiting) this.#waiting = undefined;
        settle();
      };
      const waiting: Waiting = {
        answer: () => finish(() => resolve(this.#hand(limit))),
        refuse: (error) => finish(() => reject(error)),
      };
      gone.addEventListener("abort", () => finish(() => resolve([])), { once: true });
      this.#waiting = waiting;
    });
  }

  #hand(limit: number): Update[] {
    const batch = this.pending.slice(0, limit);
    this.delivered.push(...batch.map((update) => update.update_id));
    return batch;
  }

  /** On the next tick, so that updates of one user action travel in one batch. */
  #wake(): void {
    setImmediate(() => {
      if (this.webhook) void this.pushAll();
      else if (this.pending.length) this.#waiting?.answer(this.pending);
    });
  }

  /** Delivers to the webhook in order; an update that is not answered with 2xx is sent again. */
  async pushAll(): Promise<void> {
    if (this.#pushing) return;
    this.#pushing = true;
    while (this.webhook && this.pending[0] && !this.#closed) {
      const ok = await this.#pushOne(this.webhook, this.pending[0]);
      if (ok) this.pending.shift();
      else await new Promise((resolve) => setTimeout(resolve, this.#retryMs));
    }
    this.#pushing = false;
  }

  async #pushOne(webhook: WebhookSettings, update: Update): Promise<boolean> {
    this.delivered.push(update.update_id);
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (webhook.secret) headers["x-telegram-bot-api-secret-token"] = webhook.secret;
    try {
      const answer = await fetch(webhook.url, { method: "POST", headers, body: JSON.stringify(update) });
      await answer.arrayBuffer();
      this.lastWebhookError = answer.ok ? undefined : `Wrong response from the webhook: ${answer.status}`;
      return answer.ok;
    } catch {
      this.lastWebhookError = "Connection refused";
      return false;
    }
  }

  close(): void {
    this.#closed = true;
    this.#waiting?.answer([]);
  }
}
