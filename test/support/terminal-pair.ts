/** A terminal in memory: what is typed goes in, what is printed can be waited for. */
import { PassThrough } from "node:stream";
import { expect } from "vitest";
import type { TerminalOptions } from "../../channels/terminal/adapter.ts";

export interface TerminalPair extends TerminalOptions {
  type(line: string): void;
  printed(): string;
  until(part: string | RegExp): Promise<void>;
}

export function terminalPair(): TerminalPair {
  const input = new PassThrough();
  const output = new PassThrough();
  let text = "";
  output.on("data", (chunk) => {
    text += chunk;
  });
  return {
    input,
    output,
    onEnd: () => undefined,
    onInterrupt: () => undefined,
    type: (line) => void input.write(`${line}\n`),
    printed: () => text,
    until: (part) => expect.poll(() => text, { timeout: 10_000 }).toMatch(part),
  };
}
