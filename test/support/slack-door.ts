/** A bridge that only remembers, and the adapter wired to an emulator. For tests of the Slack channel alone. */
import type { Channel, Door, Edit, Inbound, Press } from "../../channels/channel.ts";
import { createSlack } from "../../channels/slack/adapter.ts";
import { type SlackConfig, slackChannel } from "../../config/schema.ts";
import type { SlackEmulator } from "./emulators/slack.ts";

export interface RecordingDoor extends Door {
  accepted: Inbound[];
  edits: Edit[];
  presses: Press[];
  /** Set to make the next accepts reject. */
  failures: number;
  /** What a press answers with. */
  answer: string | undefined;
}

export function recordingDoor(): RecordingDoor {
  const door: RecordingDoor = {
    accepted: [],
    edits: [],
    presses: [],
    failures: 0,
    answer: undefined,
    async accept(inbound) {
      if (door.failures > 0) {
        door.failures -= 1;
        throw new Error("store is away");
      }
      door.accepted.push(inbound);
    },
    async edited(edit) {
      door.edits.push(edit);
    },
    async press(press) {
      door.presses.push(press);
      return door.answer;
    },
    async migrated() {},
  };
  return door;
}

export interface LogLine {
  level: "debug" | "info" | "warn" | "error";
  data: object;
  message: string;
}

export function recordingLog() {
  const lines: LogLine[] = [];
  const at = (level: LogLine["level"]) => (data: object, message: string) => void lines.push({ level, data, message });
  return { lines, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

export function slackConfig(slack: SlackEmulator, extra: Partial<SlackConfig> = {}): SlackConfig {
  const { apiUrl: api_url, botToken: bot_token, appToken: app_token } = slack;
  return slackChannel.parse({ enabled: true, api_url, bot_token, app_token, ...extra });
}

export function slackAdapter(slack: SlackEmulator, extra: Partial<SlackConfig> = {}, account?: string) {
  const log = recordingLog();
  const channel: Channel = createSlack(slackConfig(slack, extra), { log, now: Date.now, account });
  return { channel, log, door: recordingDoor() };
}
