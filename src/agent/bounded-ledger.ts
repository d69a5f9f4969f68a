/** Notes about runs, kept in memory for at most `limit` keys; the one untouched for longest goes first. */
export class BoundedLedger<T> {
  readonly #entries = new Map<string, T>();
  readonly #limit: number;

  constructor(limit = 4096) {
    this.#limit = limit;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.set(key, entry);
    return entry;
  }

  set(key: string, entry: T): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size <= this.#limit) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  get size(): number {
    return this.#entries.size;
  }
}
