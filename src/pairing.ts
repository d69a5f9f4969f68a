/** One-time codes by which a stranger becomes an allowed user. */
import { randomInt } from "node:crypto";
import type { ChannelName } from "../channels/channel.ts";
import type { Store } from "./state/store.ts";

export interface Pairing {
  channel: ChannelName;
  user: string;
}

type Shelf = Pick<Store, "put" | "get" | "remove">;

export const PAIRING_MS = 10 * 60_000;
/** No letters that look like digits; 8 of them are 40 bits. */
const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

const shelfKey = (code: string) => `pairing/${code.trim().toUpperCase()}`;

export async function openPairing(store: Shelf, pairing: Pairing): Promise<string> {
  const code = Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  await store.put(shelfKey(code), pairing, PAIRING_MS);
  return code;
}

export async function pairingOf(store: Shelf, code: string): Promise<Pairing | undefined> {
  return (await store.get(shelfKey(code))) as Pairing | undefined; // Written only by openPairing.
}

export async function closePairing(store: Shelf, code: string): Promise<void> {
  await store.remove(shelfKey(code));
}
