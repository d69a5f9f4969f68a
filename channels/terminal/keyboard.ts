/** Lines a person types or a program sends, in order, and the end of them. */
import readline from "node:readline";
import type { Readable } from "node:stream";
import type { Output, Prompt } from "./screen.ts";

export type Input = Readable & { isTTY?: boolean | undefined };

export interface Keyboard extends Prompt {
  /** Stops reading; `onEnd` is not called. */
  close(): void;
}

export interface KeyboardOptions {
  input: Input;
  output: Output;
  onLine(line: string): void;
  /** The input is over: Ctrl-D or the end of a pipe. */
  onEnd(): void;
  onInterrupt(): void;
}

export function openKeyboard({ input, output, onLine, onEnd, onInterrupt }: KeyboardOptions): Keyboard {
  const terminal = Boolean(input.isTTY && output.isTTY);
  // Without a terminal readline must not echo what it reads.
  const reader = readline.createInterface({ input, terminal, prompt: "> ", ...(terminal ? { output } : {}) });
  let open = true;
  reader.on("line", onLine);
  reader.on("SIGINT", onInterrupt);
  reader.once("close", () => {
    if (open) onEnd();
    open = false;
  });
  return {
    hide() {
      if (!open || !terminal) return;
      readline.moveCursor(output, 0, -reader.getCursorPos().rows);
      readline.cursorTo(output, 0);
      readline.clearScreenDown(output);
    },
    show() {
      if (open && terminal) reader.prompt(true);
    },
    close() {
      open = false;
      reader.close();
    },
  };
}
