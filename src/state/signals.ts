/** Hands signals to the listeners of this process. */
import type { Signal } from "./store.ts";

export interface Signals {
  emit(signal: Signal): void;
  subscribe(listener: (signal: Signal) => void): () => void;
}

/** `failed` hears of listeners that throw: one bad listener must not silence the others. */
export function createSignals(failed: (error: unknown) => void): Signals {
  const listeners = new Set<(signal: Signal) => void>();
  return {
    emit(signal) {
      for (const listener of [...listeners]) {
        try {
          listener(signal);
        } catch (error) {
          failed(error);
        }
      }
    },
    subscribe(listener) {
      // A wrapper, so that the same function subscribed twice is two subscriptions.
      const own = (signal: Signal) => listener(signal);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}
