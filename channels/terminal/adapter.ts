/** The console the bridge was started in: one person, one conversation, no account anywhere. */
import { randomUUID } from "node:crypto";
import type { TerminalConfig } from "../../config/schema.ts";
import type {
  Address,
  Button,
  Channel,
  ChannelDeps,
  ChannelStatus,
  Content,
  Door,
  MessageRef,
  User,
} from "../channel.ts";
import { type Input, type Keyboard, openKeyboard } from "./keyboard.ts";
import { choicesOf, linesOf, newLines } from "./lines.ts";
import { liveScreen, type Output, plainScreen, type Screen } from "./screen.ts";

export interface TerminalOptions {
  input?: Input;
  output?: Output;
  /** One message was given on the command line: nothing is read, and each state of a plan is printed in full. */
  once?: string;
  /** Nothing more will be typed, and all that was typed has been accepted. */
  onEnd?: () => void;
  /** Ctrl-C, which a terminal in raw mode does not turn into a signal; by default it is made one again. */
  onInterrupt?: () => void;
}

const HERE: Address = { channel: "terminal", account: "local", chat: "local" };
const YOU: User = { id: "local", name: "you" };
const HINT = "planbridge: type a message and press Enter. /help lists commands, Ctrl-D ends.";
const NOT_STORED = "That could not be stored, so it was not taken. Please send it again.";
/** Messages whose lines are remembered, to show only what an edit changed. */
const REMEMBERED = 100;

const CAPABILITIES: Channel["capabilities"] = {
  edits: true,
  threads: false,
  buttons: true,
  files: false,
  streaming: false,
  dialect: "A text terminal: Markdown is shown as it is written, so keep it light; no images, no wide tables.",
};

export function createTerminal(_config: TerminalConfig, deps: ChannelDeps & TerminalOptions): Channel {
  return new Terminal(deps).channel();
}

class Terminal {
  readonly #deps: ChannelDeps & TerminalOptions;
  readonly #output: Output;
  readonly #screen: Screen;
  /** Makes ids unique beyond this process: the store outlives it. */
  readonly #boot = randomUUID();
  readonly #shown = new Map<string, string[]>();
  #status: ChannelStatus = { state: "starting" };
  #keyboard: Keyboard | undefined;
  #accepted: Promise<void> = Promise.resolve();
  #sent = 0;
  #typed = 0;
  #block: string | undefined;
  #choices: { ref: MessageRef; buttons: Button[] } | undefined;

  constructor(deps: ChannelDeps & TerminalOptions) {
    this.#deps = deps;
    this.#output = deps.output ?? process.stdout;
    const prompt = { hide: () => this.#keyboard?.hide(), show: () => this.#keyboard?.show() };
    const live = this.#isLive();
    this.#screen = live ? liveScreen(this.#output, prompt) : plainScreen(this.#output, deps.once !== undefined);
  }

  channel(): Channel {
    return {
      name: "terminal",
      capabilities: CAPABILITIES,
      start: async (door) => this.#start(door),
      stop: async () => this.#stop(),
      post: async (to, content) => this.#post(to, content),
      edit: async (ref, content) => this.#show(ref, content),
      split: (markdown) => [markdown],
      fitsEdit: () => true,
      pace: () => [],
      direct: async () => HERE,
      status: () => this.#status,
    };
  }

  #isLive(): boolean {
    return Boolean(this.#output.isTTY) && this.#deps.once === undefined;
  }

  #start(door: Door): void {
    this.#output.on("error", (error) => this.#outputFailed(error));
    this.#status = { state: "up", lastEventAt: this.#deps.now() };
    if (this.#deps.once !== undefined) return;
    this.#screen.print([HINT]);
    this.#keyboard = openKeyboard({
      input: this.#deps.input ?? process.stdin,
      output: this.#output,
      onLine: (line) => this.#line(line, door),
      onEnd: () => void this.#accepted.then(() => this.#deps.onEnd?.()),
      onInterrupt: this.#deps.onInterrupt ?? (() => void process.kill(process.pid, "SIGINT")),
    });
    this.#keyboard.show();
  }

  #stop(): void {
    this.#keyboard?.close();
    this.#screen.settle();
    if (this.#status.state !== "down") this.#status = { state: "stopped" };
  }

  // The reader went away (`| head`): nobody is left to tell. Whether that ends the bridge is for `onEnd` to say.
  #outputFailed(error: Error): void {
    if (this.#status.state === "down") return;
    this.#status = { state: "down", detail: `the output was closed: ${error.message}` };
    this.#deps.log.warn({ channel: "terminal" }, "the output was closed");
    this.#deps.onEnd?.();
  }

  /** Enter moved the cursor below the block, so that stays where it is. Lines are accepted in order. */
  #line(line: string, door: Door): void {
    this.#screen.settle();
    this.#block = undefined;
    this.#status = { state: "up", lastEventAt: this.#deps.now() };
    if (line.trim() !== "") this.#accepted = this.#accepted.then(() => this.#take(line.trim(), door));
    this.#keyboard?.show();
  }

  async #take(text: string, door: Door): Promise<void> {
    const id = `terminal/${this.#boot}/${++this.#typed}`;
    try {
      await (this.#press(text, id, door) ?? this.#say(text, id, door));
    } catch (error) {
      this.#deps.log.error({ error: error instanceof Error ? error.message : String(error) }, "message not accepted");
      this.#screen.print([NOT_STORED]);
    }
  }

  #say(text: string, id: string, door: Door): Promise<void> {
    const message = { id, at: HERE, messageId: id, user: YOU, kind: "dm" as const, addressed: true, text };
    return door.accept({ ...message, attachments: [], sentAt: this.#deps.now() });
  }

  /** A number presses the button that is listed under it; undefined when none is. */
  #press(text: string, id: string, door: Door): Promise<void> | undefined {
    const open = this.#choices;
    const button = /^\d{1,2}$/.test(text) ? open?.buttons[Number(text) - 1] : undefined;
    if (!open || !button) return undefined;
    return door.press({ id, at: HERE, user: YOU, token: button.token, message: open.ref }).then((said) => {
      if (said) this.#screen.print([said]);
    });
  }

  #post(at: Address, content: Content): MessageRef {
    const ref = { at, id: `${this.#boot}/${++this.#sent}` };
    this.#show(ref, content);
    return ref;
  }

  #show(ref: MessageRef, content: Content): void {
    this.#noteChoices(ref, content);
    const lines = linesOf(content, { activity: this.#isLive() });
    const before = this.#shown.get(ref.id) ?? [];
    const fresh = newLines(before, lines);
    const over = content.kind === "board" && isOver(content.board.state);
    if (!over && before.length > 0 && before.join("\n") === lines.join("\n")) return;
    this.#remember(ref.id, lines);
    if (this.#status.state === "down") return;
    if (content.kind === "board") this.#draw(ref.id, lines, fresh, over);
    else if (fresh.length > 0) this.#screen.print(fresh);
  }

  #draw(id: string, lines: string[], fresh: string[], over: boolean): void {
    if (this.#block !== undefined && this.#block !== id) this.#screen.settle();
    this.#block = id;
    this.#screen.draw(lines, fresh);
    if (!over) return;
    this.#screen.settle();
    this.#block = undefined;
  }

  #noteChoices(ref: MessageRef, content: Content): void {
    const buttons = choicesOf(content);
    if (buttons.length > 0) this.#choices = { ref, buttons };
    else if (this.#choices?.ref.id === ref.id) this.#choices = undefined;
  }

  #remember(id: string, lines: string[]): void {
    this.#shown.set(id, lines);
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > REMEMBERED && oldest !== undefined) this.#shown.delete(oldest);
  }
}

function isOver(state: string): boolean {
  return state === "done" || state === "failed" || state === "stopped" || state === "lost";
}
