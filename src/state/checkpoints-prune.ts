/** Which old checkpoints may go. */
import type { CheckpointStorage, Links, Place } from "./checkpoints-storage.ts";

/** The newest `keep`, and of their ancestors as many as rebuilding their delta channels needs. */
export function needed(all: Links[], keep: number): Links[] {
  const byId = new Map(all.map((links) => [links.id, links]));
  const newest = all.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, keep);
  const kept = new Set(newest);
  for (const links of newest) for (const ancestor of history(links, byId)) kept.add(ancestor);
  return [...kept];
}

/** Ancestors up to the one that holds the last delta channel's value. */
function history(links: Links, byId: Map<string, Links>): Links[] {
  const path: Links[] = [];
  let open = links.delta;
  let cursor = parentOf(links, byId);
  while (cursor && open.length > 0) {
    const { refs } = cursor;
    path.push(cursor);
    open = open.filter((channel) => refs[channel] === undefined);
    cursor = parentOf(cursor, byId);
  }
  return path;
}

function parentOf(links: Links, byId: Map<string, Links>): Links | undefined {
  return links.parent === undefined ? undefined : byId.get(links.parent);
}

/** Which checkpoint of the root a namespace was last used under. */
export type RootOf = (at: Place) => Promise<string | undefined>;

/** Keeps the newest `keep` checkpoints of every namespace; a subgraph call whose caller's checkpoint is gone goes too. */
export async function pruneThread(storage: CheckpointStorage, thread: string, keep: number, rootOf: RootOf) {
  const root = await pruneNamespace(storage, { thread, ns: "" }, keep);
  for (const ns of await storage.namespaces(thread)) {
    const at = { thread, ns };
    if (ns === "") continue;
    if (belongsToOneCall(ns) && isGone(await rootOf(at), root)) await storage.removeNamespace(at);
    else await pruneNamespace(storage, at, keep);
  }
}

/** Resolves to the checkpoints that stay. */
async function pruneNamespace(storage: CheckpointStorage, at: Place, keep: number): Promise<Links[]> {
  const all = await storage.links(at);
  const kept = needed(all, keep);
  const keptIds = new Set(kept.map(({ id }) => id));
  const removed = all.map(({ id }) => id).filter((id) => !keptIds.has(id));
  if (removed.length > 0) await storage.retain(at, kept, removed);
  return kept;
}

/** `name:task`; a subgraph that keeps its state between calls has no task in its name. */
function belongsToOneCall(ns: string): boolean {
  return ns.split("|").at(-1)?.includes(":") ?? false;
}

/** Newer than all that stay means: not stored yet. */
function isGone(id: string | undefined, kept: Links[]): boolean {
  return id !== undefined && kept.some((links) => links.id > id) && kept.every((links) => links.id !== id);
}
