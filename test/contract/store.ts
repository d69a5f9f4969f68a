/** What every {@link Store} must do. Both implementations pass it whole. */
import type { Store } from "../../src/state/store.ts";
import { inboundContract } from "./store-inbound.ts";
import { lanesContract } from "./store-lanes.ts";
import { valuesContract } from "./store-values.ts";

export interface Opened {
  store: Store;
  /** Another worker on the same state; the same store where only one can be. */
  other: Store;
  close(): Promise<void>;
}

export function storeContract(name: string, open: () => Promise<Opened>): void {
  describe(name, () => {
    let opened: Opened;
    const store = () => opened.store;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened?.close());

    inboundContract(store);
    lanesContract(store);
    valuesContract(store, () => opened.other);
  });
}
