/** Flood limits as observed: about one message a second per chat with a small burst, 20 a minute per group, 30 a second. */

interface Bucket {
  tokens: number;
  at: number;
}

export class FloodLimits {
  readonly #chats = new Map<string, Bucket>();
  readonly #windows = new Map<string, number[]>();

  /** Seconds to wait, 0 = allowed. A refused call counts for nothing. */
  take(bot: string, chat: string, now: number): number {
    const wait = Math.max(
      this.#chatWait(`${bot}/${chat}`, now),
      chat.startsWith("-") ? this.#windowWait(`${bot}/${chat}`, 20, 60_000, now) : 0,
      this.#windowWait(bot, 30, 1000, now),
    );
    if (wait > 0) return Math.max(1, Math.ceil(wait / 1000));
    const bucket = this.#chats.get(`${bot}/${chat}`);
    if (bucket) bucket.tokens -= 1;
    for (const key of [`${bot}/${chat}`, bot]) this.#windows.set(key, [...(this.#windows.get(key) ?? []), now]);
    return 0;
  }

  #chatWait(key: string, now: number): number {
    const old = this.#chats.get(key) ?? { tokens: 3, at: now };
    const bucket = { tokens: Math.min(3, old.tokens + (now - old.at) / 1000), at: now };
    this.#chats.set(key, bucket);
    // Sums of thousandths are not exact.
    return bucket.tokens > 1 - 1e-6 ? 0 : (1 - bucket.tokens) * 1000;
  }

  #windowWait(key: string, most: number, ms: number, now: number): number {
    const recent = (this.#windows.get(key) ?? []).filter((at) => at > now - ms);
    this.#windows.set(key, recent);
    return recent.length < most ? 0 : (recent[0] ?? now) + ms - now;
  }
}
