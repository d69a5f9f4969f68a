/** Neutral content as Bot API requests. */
import type { Address, Content, MessageRef } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import type { Api } from "./api.ts";
import { boardHtml, boardKeyboard, boardPlain, type InlineKeyboard, questionKeyboard } from "./board.ts";
import { sendFile } from "./files.ts";
import { asHtmlOrPlain, markdownWords, type Words } from "./markup.ts";
import { splitForTelegram } from "./size.ts";

export interface Sent {
  message_id: number;
}

interface Body extends Words {
  keyboard?: InlineKeyboard;
}

type TextContent = Exclude<Content, { kind: "file" }>;

const MOST_CAPTION = 1024;
const NO_PREVIEW = { link_preview_options: { is_disabled: true } };
/** Takes the buttons away that the message may have had. */
const NO_BUTTONS: InlineKeyboard = { inline_keyboard: [] };

export async function post(api: Api, to: Address, content: Content): Promise<MessageRef> {
  const sent = content.kind === "file" ? await postFile(api, to, content) : await postText(api, to, content);
  return { at: to, id: String(sent.message_id) };
}

export async function edit(api: Api, ref: MessageRef, content: Content): Promise<void> {
  if (content.kind === "file") throw new ChannelError({ code: "refused", message: "a sent file cannot be edited" });
  const { keyboard = NO_BUTTONS, ...words } = bodyOf(content);
  const target = { chat_id: ref.at.chat, message_id: Number(ref.id), reply_markup: keyboard, ...NO_PREVIEW };
  try {
    await asHtmlOrPlain(words, (text, mode) => api.call("editMessageText", { ...target, text, ...mode }));
  } catch (error) {
    if (!(error instanceof ChannelError && error.code === "unchanged")) throw error;
  }
}

/** `thread` is never the General topic here (inbound.ts), so it can always be sent back. */
export function targetOf(to: Address): { chat_id: string; message_thread_id?: number } {
  return { chat_id: to.chat, ...(to.thread === undefined ? {} : { message_thread_id: Number(to.thread) }) };
}

async function postText(api: Api, to: Address, content: TextContent): Promise<Sent> {
  for (const text of leading(content)) await postText(api, to, { kind: "markdown", text });
  const { keyboard, ...words } = bodyOf(content);
  const markup = keyboard?.inline_keyboard.length ? { reply_markup: keyboard } : {};
  const target = { ...targetOf(to), ...NO_PREVIEW, ...markup };
  return asHtmlOrPlain(words, (text, mode) => api.call<Sent>("sendMessage", { ...target, text, ...mode }));
}

async function postFile(api: Api, to: Address, { file, comment }: Extract<Content, { kind: "file" }>): Promise<Sent> {
  const fits = comment === undefined || comment.length <= MOST_CAPTION;
  if (!fits) await postText(api, to, { kind: "markdown", text: comment });
  return sendFile(api, targetOf(to), file, fits ? comment : undefined);
}

/** A long question (a plan to approve) comes in several messages; the last one carries the buttons. */
function leading(content: TextContent): string[] {
  return content.kind === "question" ? splitForTelegram(content.text).slice(0, -1) : [];
}

function bodyOf(content: TextContent): Body {
  switch (content.kind) {
    case "markdown":
    case "notice":
      return markdownWords(content.text);
    case "question": {
      const text = splitForTelegram(content.text).at(-1) ?? content.text;
      return { ...markdownWords(text), keyboard: questionKeyboard(content.buttons) };
    }
    case "board": {
      const { board } = content;
      return { html: boardHtml(board), plain: boardPlain(board), keyboard: boardKeyboard(board.buttons) };
    }
  }
}
