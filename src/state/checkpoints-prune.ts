/** Which old checkpoints may go. */
import type { CheckpointStorage, Links } from "./checkpoints-storage.ts";

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

/** Keeps the newest `keep` checkpoints of every namespace of the thread; subgraphs whose parent is gone go too. */
export async function pruneThread(storage: CheckpointStorage, thread: string, keep: number): Promise<void> {
  for (const ns of await storage.namespaces(thread)) {
    const at = { thread, ns };
    const all = await storage.links(at);
    const kept = needed(all, keep);
    const keptIds = new Set(kept.map(({ id }) => id));
    const removed = all.map(({ id }) => id).filter((id) => !keptIds.has(id));
    if (removed.length > 0) await storage.retain(at, kept, removed);
  }
}
