/** As much of a terminal as log-update and readline use: what a person would see. Scrollback is kept as rows. */
import { PassThrough } from "node:stream";

export class FakeTty extends PassThrough {
  readonly isTTY = true;
  columns = 60;
  rows = 30;
  #rows: string[][] = [[]];
  #x = 0;
  #y = 0;

  constructor() {
    super();
    this.setEncoding("utf8");
    this.on("data", (text: string) => this.#feed(text));
  }

  /** The rows up to the last one with text, without trailing blanks. */
  get screen(): string[] {
    const rows = this.#rows.map((row) =>
      Array.from(row, (cell) => cell ?? " ")
        .join("")
        .trimEnd(),
    );
    return rows.slice(0, rows.findLastIndex((row) => row !== "") + 1);
  }

  #feed(text: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals speak in them
    for (const [token, count, command] of text.matchAll(/\u001b\[(\??\d*(?:;\d+)*)([A-Za-z])|[\s\S]/gu)) {
      if (command !== undefined) this.#control(command, count ?? "");
      else this.#type(token);
    }
  }

  #type(char: string): void {
    if (char === "\n") {
      this.#y += 1;
      this.#x = 0;
    } else if (char === "\r") this.#x = 0;
    else this.#row()[this.#x++] = char;
    this.#row();
  }

  #control(command: string, count: string): void {
    const n = Number(count || 1);
    if (command === "A") this.#y = Math.max(0, this.#y - n);
    else if (command === "B") this.#y += n;
    else if (command === "C") this.#x += n;
    else if (command === "D") this.#x = Math.max(0, this.#x - n);
    else if (command === "G") this.#x = n - 1;
    else if (command === "K") this.#eraseLine(count);
    else if (command === "J") {
      this.#row().splice(this.#x);
      this.#rows.splice(this.#y + 1);
    }
  }

  #eraseLine(how: string): void {
    if (how === "2") this.#row().splice(0);
    else if (how === "" || how === "0") this.#row().splice(this.#x);
    else throw new Error(`erase ${how} is not known to this terminal`);
  }

  #row(): string[] {
    while (this.#rows.length <= this.#y) this.#rows.push([]);
    return this.#rows[this.#y] as string[];
  }
}
