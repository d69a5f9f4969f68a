/** One platform seen from outside: what people do there and what they see. The channel contract speaks only this. */
import type { Address, Channel, Door, Edit, Inbound, MessageRef, Press } from "../../../channels/channel.ts";

export class ContractDoor implements Door {
  /** Every try, the refused ones included. */
  readonly offered: Inbound[] = [];
  readonly inbounds: Inbound[] = [];
  readonly presses: Press[] = [];
  readonly edits: Edit[] = [];
  /** How many of the next accepts fail, as with a store that is away. */
  failures = 0;
  answerToPress: string | undefined;

  async accept(inbound: Inbound): Promise<void> {
    this.offered.push(inbound);
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error("the store is away");
    }
    this.inbounds.push(inbound);
  }

  async edited(edit: Edit): Promise<void> {
    this.edits.push(edit);
  }

  async press(press: Press): Promise<string | undefined> {
    this.presses.push(press);
    return this.answerToPress;
  }

  async migrated(): Promise<void> {}
}

export interface LineLog {
  lines: string[];
  debug(data: object, message: string): void;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
}

export function lineLog(): LineLog {
  const lines: string[] = [];
  const write = (data: object, message: string) => void lines.push(`${message} ${JSON.stringify(data)}`);
  return { lines, debug: write, info: write, warn: write, error: write };
}

export interface SentFile {
  name: string;
  bytes: Uint8Array;
}

export interface DriverOptions {
  /** The platform keeps its real limits. */
  limits?: boolean;
}

export interface ChannelDriver {
  channel: Channel;
  door: ContractDoor;
  log: LineLog;
  /** What must never be seen in an error or a log line. */
  secrets: string[];
  /** How people name the bot here; absent where there are no groups. */
  mention: string | undefined;
  /** The id of the person who does all this. */
  person: string;
  dm(text: string): void;
  /** In the group of everybody; `place` names another group, where that matters. */
  say(text: string, place?: number): void;
  /** In the conversation that this address names. */
  followUp(at: Address, text: string): void;
  /** Another bot speaks to us in the group. */
  otherBot(text: string): void;
  sendFile(file: SentFile): void;
  press(ref: MessageRef, token: string): void;
  /** What the presser alone was told. */
  whispers(): string[];
  deleteMessage(ref: MessageRef): void;
  /** As a reader sees it. */
  shown(ref: MessageRef): string;
  /** Tokens of the buttons that can be pressed now. */
  buttons(ref: MessageRef): string[];
  /** Every message of the bot that is still there, oldest first. */
  posts(): MessageRef[];
  /** Requests refused because they were too many. */
  limited(): number;
  edits(ref: MessageRef): number;
  /** Its text in every state it had, as the platform holds it; the last one is now. */
  history(ref: MessageRef): string[];
  /** Everything in the message that would call people. */
  pings(ref: MessageRef): string[];
  links(ref: MessageRef): string[];
  file(ref: MessageRef): Uint8Array | undefined;
  reactions(ref: MessageRef): string[];
  /** Only where there is a platform that can refuse. */
  faults?: {
    /** Asks to wait two seconds. */
    limitNext(what: "post" | "edit"): void;
    failNext(what: "post" | "edit"): void;
    revokeToken(): void;
    kick(): void;
  };
  close(): Promise<void>;
}
