/** Where lines go: a terminal whose last block is redrawn in place, or a stream that only grows. */
import type { Writable } from "node:stream";
import { createLogUpdate } from "log-update";

export type Output = Writable & { isTTY?: boolean | undefined };

/** The line a person is typing on; moved out of the way while something is drawn. */
export interface Prompt {
  hide(): void;
  show(): void;
}

export interface Screen {
  /** Stays on the screen, above the block. */
  print(lines: readonly string[]): void;
  /** Shows a block that changes: `fresh` are the lines that its last version did not have. */
  draw(lines: readonly string[], fresh: readonly string[]): void;
  /** The block stays as it is; the next one starts below. */
  settle(): void;
}

export function liveScreen(output: Output, prompt: Prompt): Screen {
  // log-update needs no more than `write`, `columns` and `rows`, the last two with defaults.
  const block = createLogUpdate(output as NodeJS.WriteStream, { showCursor: true });
  let shown: string | undefined;
  const aside = (change: () => void) => {
    prompt.hide();
    change();
    prompt.show();
  };
  return {
    print: (lines) =>
      aside(() => {
        block.clear();
        output.write(`${lines.join("\n")}\n`);
        if (shown !== undefined) block(shown);
      }),
    draw: (lines) =>
      aside(() => {
        shown = lines.join("\n");
        block(shown);
      }),
    settle() {
      shown = undefined;
      block.done();
    },
  };
}

/** `whole`: every version of a block in full instead of its new lines. */
export function plainScreen(output: Output, whole: boolean): Screen {
  const print = (lines: readonly string[]) => {
    if (lines.length > 0) output.write(`${lines.join("\n")}\n`);
  };
  return { print, draw: (lines, fresh) => print(whole ? [...lines, ""] : fresh), settle() {} };
}
