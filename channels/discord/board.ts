/** The plan message as a Components V2 container. Always fits: long plans lose finished steps first, then the end. */
import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIComponentInContainer,
  type APIContainerComponent,
  ButtonStyle,
  ComponentType,
  escapeMarkdown,
  MessageFlags,
} from "discord.js";
import type { BoardState, BoardView, Button, Subagent, Todo } from "../channel.ts";

/** Over all text displays of one message. */
const MOST_TEXT = 4000;
const LINE = 180;
const DETAIL_LINE = 140;
const NOTE = 300;
const SHOWN_AGENTS = 8;
const SHOWN_ACTIVITY = 3;
const BUTTONS_PER_ROW = 5;
const MOST_BUTTONS = 25;
const LABEL = 80;
/** Room for the line that counts hidden steps. */
const HIDDEN_LINE = 60;

const ICONS: Record<BoardState, string> = {
  planning: "📝",
  working: "⏳",
  waiting: "✋",
  done: "✅",
  failed: "❌",
  stopped: "⏹️",
  lost: "⚠️",
};
const COLOURS: Record<BoardState, number> = {
  planning: 0x5865f2,
  working: 0x3498db,
  waiting: 0xf1c40f,
  done: 0x2ecc71,
  failed: 0xe74c3c,
  stopped: 0x95a5a6,
  lost: 0xe67e22,
};
const AGENT_ICONS: Record<Subagent["status"], string> = { running: "▶", done: "☑", failed: "✗" };
const STYLES = { primary: ButtonStyle.Primary, danger: ButtonStyle.Danger, plain: ButtonStyle.Secondary } as const;

type Row = APIActionRowComponent<APIButtonComponent>;

export function boardBody(view: BoardView): { flags: MessageFlags; components: APIContainerComponent[] } {
  const head = `### ${ICONS[view.state]} ${line(view.title, LINE)}`;
  const tail = [agentLines(view.subagents), smallPrint(view)].filter((text) => text !== "");
  const left = MOST_TEXT - head.length - tail.reduce((sum, text) => sum + text.length, 0);
  const texts = [head, todoLines(view.todos, left), ...tail].filter((text) => text !== "");
  const components: APIComponentInContainer[] = texts.map((content) => ({ type: ComponentType.TextDisplay, content }));
  const container: APIContainerComponent = {
    type: ComponentType.Container,
    accent_color: COLOURS[view.state],
    components: [...components, ...buttonRows(view.buttons)],
  };
  return { flags: MessageFlags.IsComponentsV2, components: [container] };
}

export function buttonRows(buttons: Button[]): Row[] {
  // Discord refuses a message with one id twice.
  const single = [...new Map(buttons.map((button) => [button.token, button])).values()].slice(0, MOST_BUTTONS);
  const count = Math.ceil(single.length / BUTTONS_PER_ROW);
  return Array.from({ length: count }, (_, row) => ({
    type: ComponentType.ActionRow,
    components: single.slice(row * BUTTONS_PER_ROW, (row + 1) * BUTTONS_PER_ROW).map(button),
  }));
}

function button({ token, label, style }: Button): APIButtonComponent {
  return {
    type: ComponentType.Button,
    style: STYLES[style ?? "plain"],
    label: clip(label, LABEL) || "…",
    custom_id: token,
  };
}

function todoLines(todos: Todo[], room: number): string {
  const shown = todos.map((todo) => ({ done: todo.status === "completed", text: todoLine(todo) }));
  const size = () => shown.reduce((sum, { text }) => sum + text.length + 1, 0);
  let finished = 0;
  let more = 0;
  while (shown.length > 0 && size() > room - HIDDEN_LINE) {
    const done = shown.findIndex((todo) => todo.done);
    if (done >= 0) finished += shown.splice(done, 1).length;
    else more += shown.splice(-1).length;
  }
  const before = finished > 0 ? [`-# ${finished} finished steps`] : [];
  const after = more > 0 ? [`-# … and ${more} more`] : [];
  return [...before, ...shown.map(({ text }) => text), ...after].join("\n");
}

function todoLine({ status, content, activeForm }: Todo): string {
  if (status === "completed") return `☑ ~~${line(content, LINE)}~~`;
  if (status === "in_progress") return `▶ **${line(activeForm || content, LINE)}**`;
  return `☐ ${line(content, LINE)}`;
}

function agentLines(subagents: Subagent[]): string {
  return subagents
    .slice(-SHOWN_AGENTS)
    .map(({ status, title, detail }) => {
      const text = line(detail ? `${title}: ${detail}` : title, DETAIL_LINE);
      return `${AGENT_ICONS[status]} ${text}`;
    })
    .join("\n");
}

function smallPrint({ activity, note }: BoardView): string {
  const lines = [
    ...activity.slice(-SHOWN_ACTIVITY).map((text) => line(text, DETAIL_LINE)),
    ...(note ? [line(note, NOTE)] : []),
  ];
  return lines
    .filter((text) => text !== "")
    .map((text) => `-# ${text}`)
    .join("\n");
}

/** One line of plain text, shown as it is. */
function line(text: string, max: number): string {
  return escapeMarkdown(clip(text, max), { maskedLink: true });
}

function clip(text: string, max: number): string {
  const one = text.replace(/\s+/g, " ").trim();
  if (one.length <= max) return one.toWellFormed();
  const cut = one.slice(0, max - 1);
  // Half of a surrogate pair is no character.
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`.toWellFormed();
}
