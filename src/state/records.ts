/** Pure helpers on stored records that both stores share. */
import type { Run, Session } from "../types.ts";

/** The chat part of a session key (or of a chat key). A chat is the unit that the state is partitioned by. */
export function chatOf(session: string): string {
  return session.split("/").slice(0, 3).join("/");
}

export interface SessionRecord {
  key: string;
  epoch: number;
  overrides: Session["overrides"];
  createdAt: number;
  usedAt: number;
}

export function sessionFrom(record: SessionRecord): Session {
  return { ...record, threadId: `${record.key}#${record.epoch}` };
}

export function isOver(status: Run["status"]): boolean {
  return status !== "queued" && status !== "running" && status !== "waiting";
}
