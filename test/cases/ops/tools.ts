/** Reported cases that are about tools: what may be fetched, what a file may be called. */
import { fetchAllowed } from "../../../src/agent/tools/net-guard.ts";
import { safeFileName } from "../../../src/workspace.ts";

export const ops = {
  fetch_allowed: (input: unknown): boolean => fetchAllowed(String(input)),
  file_name: (input: unknown): string => safeFileName(String(input)),
};
