/** The real Telegram channel against the emulator, with a door that remembers what came in. */
import type { Channel, ChannelLog, Door, Edit, Inbound, Migration, Press } from "../../channels/channel.ts";
import { createTelegram } from "../../channels/telegram/adapter.ts";
import type { TelegramTimes } from "../../channels/telegram/connection.ts";
import { telegramChannel } from "../../config/schema.ts";
import type { TelegramEmulator } from "./emulators/telegram.ts";

export interface RecordedDoor extends Door {
  inbounds: Inbound[];
  edits: Edit[];
  presses: Press[];
  migrations: Migration[];
  /** Replace it to fail or to be slow. */
  onAccept(inbound: Inbound): Promise<void> | void;
  onPress(press: Press): Promise<string | undefined>;
}

export function recordingDoor(): RecordedDoor {
  const door: RecordedDoor = {
    inbounds: [],
    edits: [],
    presses: [],
    migrations: [],
    onAccept: () => undefined,
    onPress: async () => undefined,
    async accept(inbound) {
      await door.onAccept(inbound);
      door.inbounds.push(inbound);
    },
    async edited(edit) {
      door.edits.push(edit);
    },
    async press(press) {
      door.presses.push(press);
      return door.onPress(press);
    },
    async migrated(migration) {
      door.migrations.push(migration);
    },
  };
  return door;
}

export interface RecordedLog extends ChannelLog {
  lines: string[];
}

export function recordingLog(): RecordedLog {
  const lines: string[] = [];
  const write = (data: object, message: string) => void lines.push(`${message} ${JSON.stringify(data)}`);
  return { lines, debug: write, info: write, warn: write, error: write };
}

export interface Connected {
  channel: Channel;
  door: RecordedDoor;
  log: RecordedLog;
}

export const QUICK: Partial<TelegramTimes> = { holdSeconds: 5, pauseMs: 20, tries: 3, acceptMs: 2000 };

export function telegramOn(
  emulator: TelegramEmulator,
  config: object = {},
  times: Partial<TelegramTimes> = {},
  account?: string,
): Connected {
  const parsed = telegramChannel.parse({
    enabled: true,
    bot_token: emulator.token,
    api_root: emulator.url,
    ...config,
  });
  const log = recordingLog();
  const channel = createTelegram(parsed, { log, now: Date.now, account }, { ...QUICK, ...times });
  return { channel, door: recordingDoor(), log };
}
