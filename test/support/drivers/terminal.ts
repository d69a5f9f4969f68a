import { PassThrough } from "node:stream";
import { createTerminal } from "../../../channels/terminal/adapter.ts";
import { terminalChannel } from "../../../config/schema.ts";
import { type ChannelDriver, ContractDoor, lineLog } from "./driver.ts";

/** One person, one conversation, and paper that cannot be taken back: what was shown is all that was ever printed. */
export async function terminalDriver(): Promise<ChannelDriver> {
  const input = new PassThrough();
  const output = new PassThrough();
  let printed = "";
  output.on("data", (chunk) => {
    printed += String(chunk);
  });
  const log = lineLog();
  const door = new ContractDoor();
  const channel = createTerminal(terminalChannel.parse({}), { log, now: Date.now, input, output, onInterrupt() {} });
  const type = (text: string) => void input.write(`${text}\n`);
  const choices = () =>
    [...printed.matchAll(/^ {2}(\d+)\. (.+)$/gm)].map(([, number = "", label = ""]) => ({ number, label }));

  return {
    channel,
    door,
    log,
    secrets: [],
    mention: undefined,
    person: "local",
    dm: type,
    say: type,
    followUp: (_at, text) => type(text),
    otherBot() {},
    sendFile() {},
    /** Contract tokens end with the button's number. */
    press: (_ref, token) => type(token.slice(-1)),
    whispers: () => printed.split("\n"),
    deleteMessage() {},
    shown: () => printed,
    buttons: () => (/Type a number/.test(printed) ? choices().map(({ number }) => `t:${number}`) : []),
    posts: () => [],
    limited: () => 0,
    edits: () => 0,
    history: () => [printed],
    pings: () => [],
    links: () => [...printed.matchAll(/\]\((https?:\S+)\)/g)].map(([, url = ""]) => url),
    file: () => undefined,
    reactions: () => [],
    close: async () => channel.stop(),
  };
}
