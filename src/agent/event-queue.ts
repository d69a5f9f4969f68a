/** Events from many hands in one order, read by one reader. */
export class EventQueue<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  #wake: (() => void) | undefined;
  #ended = false;

  push(event: T): void {
    if (this.#ended) return;
    this.#waiting.push(event);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift() as T;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
