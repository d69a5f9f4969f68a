/** What the channel contract posts, and how it waits. */
import type { Address, BoardState, BoardView, Content, Inbound, Todo } from "../../channels/channel.ts";
import type { ChannelDriver } from "../support/drivers/driver.ts";

export const STATES: BoardState[] = ["planning", "working", "waiting", "done", "failed", "stopped", "lost"];
export const ENDS: BoardState[] = ["done", "failed", "stopped", "lost"];

export const TODOS: Todo[] = [
  { content: "Read the report", status: "completed" },
  { content: "Count the words", status: "in_progress", activeForm: "Counting the words" },
  { content: "Write a summary", status: "pending" },
];

export const BUTTONS = [
  { token: "t:1", label: "Approve", style: "primary" as const },
  { token: "t:2", label: "Reject", style: "danger" as const },
];

export function board(more: Partial<BoardView> = {}): Content {
  const view: BoardView = {
    title: "Weekly report",
    state: "working",
    todos: TODOS,
    subagents: [{ id: "s1", title: "Look up numbers", status: "running", detail: "searching" }],
    activity: [],
    note: "resumed after a restart",
    buttons: [],
    ...more,
  };
  return { kind: "board", board: view };
}

/** Table, nested list, link, fence, heading, quote, signs of HTML, CJK bold, emoji. */
export const FIXTURE = `## Findings & more

| name | count |
|------|-------|
| Alpha | 12 |
| Beta_two | 7 |

- first point
  - nested point with \`a < b && c > d\`
- second **bold** point, snake_case_name and 5 * 3

> a quoted line

See [the page](https://example.org/wiki/Plan_(drawing)_and_more?a=1&b=2).

\`\`\`ts
const x: Array<number> = [1, 2]; // **not bold**
\`\`\`

**中文粗体**之后 and 🎉.`;

export const FIXTURE_WORDS = [
  "Findings & more",
  "Alpha",
  "12",
  "Beta_two",
  "first point",
  "nested point",
  "a < b && c > d",
  "snake_case_name",
  "5 * 3",
  "a quoted line",
  "the page",
  "const x: Array<number> = [1, 2]; // **not bold**",
  "中文粗体",
  "之后",
  "🎉",
];

/** About 20 kB: numbered words, so that a lost or doubled one shows. */
export function longAnswer(): { text: string; words: string[] } {
  const words = Array.from({ length: 1800 }, (_, n) => `word${String(n).padStart(5, "0")}`);
  const paragraphs = Array.from({ length: 60 }, (_, n) => words.slice(n * 30, n * 30 + 30).join(" "));
  const text = paragraphs.map((part, n) => (n % 7 === 3 ? `\`\`\`\n${part}\n\`\`\`` : part)).join("\n\n");
  return { text, words };
}

export async function heard(driver: ChannelDriver, text: string): Promise<Inbound> {
  return vi.waitFor(
    () => {
      const found = driver.door.inbounds.find((inbound) => inbound.text === text);
      if (!found)
        throw new Error(`not heard: ${text}; heard: ${driver.door.inbounds.map((it) => it.text).join(" | ")}`);
      return found;
    },
    { timeout: 5000, interval: 10 },
  );
}

let asked = 0;

/** An address that can be posted to: where a mention in the group is answered, or the one conversation there is. */
export async function somewhere(driver: ChannelDriver): Promise<Address> {
  asked += 1;
  const text = `question ${asked}`;
  driver.say(driver.mention === undefined ? text : `${driver.mention} ${text}`);
  return (await heard(driver, text)).at;
}
