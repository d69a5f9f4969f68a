/** Neutral content as Bot API requests. Markup that Telegram refuses is sent once more as plain text. */
import { stat } from "node:fs/promises";
import type { Address, Content, MessageRef, OutFile } from "../channel.ts";
import { ChannelError } from "../errors.ts";
import type { Api } from "./api.ts";
import { boardHtml, boardKeyboard, boardPlain, type InlineKeyboard, questionKeyboard } from "./board.ts";
import { plainText, toTelegramHtml } from "./format.ts";

export interface Outbound {
  post(to: Address, content: Content): Promise<MessageRef>;
  edit(ref: MessageRef, content: Content): Promise<void>;
}

interface Body {
  html: string;
  plain: string;
  /** An empty keyboard takes the old buttons away. */
  keyboard: InlineKeyboard;
}

const MOST_CAPTION = 1024;
const MOST_PHOTO_BYTES = 10_000_000;
const NO_BUTTONS: InlineKeyboard = { inline_keyboard: [] };

export function createOutbound(api: Api): Outbound {
  async function asHtmlOrPlain<T>(send: (words: object) => Promise<T>, body: Pick<Body, "html" | "plain">): Promise<T> {
    try {
      return await send({ text: body.html, parse_mode: "HTML" });
    } catch (error) {
      if (!(error instanceof ChannelError && error.code === "bad_format")) throw error;
      return send({ text: body.plain });
    }
  }

  async function postFile(to: Address, file: OutFile, comment = ""): Promise<Sent> {
    const target = targetOf(to);
    const media = { source: file.path, filename: file.name };
    const fits = comment.length > 0 && comment.length <= MOST_CAPTION;
    const caption = (words: object) => {
      const { text, ...mode } = words as { text: string }; // Made by asHtmlOrPlain.
      return fits && text ? { caption: text, ...mode } : {};
    };
    const send = (method: "sendPhoto" | "sendDocument", field: string) =>
      asHtmlOrPlain<Sent>(
        (words) => api.call(method, { ...target, ...caption(words), [field]: media }),
        markdownBody(comment),
      );
    if (!fits && comment) await post(to, { kind: "markdown", text: comment });
    if (!(await isPhoto(file))) return send("sendDocument", "document");
    try {
      return await send("sendPhoto", "photo");
    } catch (error) {
      // Odd sizes and damaged images are refused as photos only.
      if (!(error instanceof ChannelError && error.code === "refused")) throw error;
      return send("sendDocument", "document");
    }
  }

  async function post(to: Address, content: Content): Promise<Sent> {
    if (content.kind === "file") return postFile(to, content.file, content.comment);
    const body = bodyOf(content);
    const extra = { ...targetOf(to), ...withoutPreview, ...(body.keyboard === NO_BUTTONS ? {} : keyboardOf(body)) };
    return asHtmlOrPlain<Sent>((words) => api.call("sendMessage", { ...extra, ...words }), body);
  }

  return {
    async post(to, content) {
      const sent = await post(to, content);
      return { at: to, id: String(sent.message_id) };
    },
    async edit(ref, content) {
      if (content.kind === "file") throw new ChannelError({ code: "refused", message: "a sent file cannot be edited" });
      const body = bodyOf(content);
      const target = { chat_id: ref.at.chat, message_id: Number(ref.id), ...withoutPreview, ...keyboardOf(body) };
      try {
        await asHtmlOrPlain((words) => api.call("editMessageText", { ...target, ...words }), body);
      } catch (error) {
        if (!(error instanceof ChannelError && error.code === "unchanged")) throw error;
      }
    },
  };
}

type Sent = { message_id: number };

const withoutPreview = { link_preview_options: { is_disabled: true } };

function keyboardOf({ keyboard }: Body): object {
  return { reply_markup: keyboard };
}

/** `thread` is never the General topic here (inbound.ts), so it can always be sent back. */
export function targetOf(to: Address): { chat_id: string; message_thread_id?: number } {
  return { chat_id: to.chat, ...(to.thread === undefined ? {} : { message_thread_id: Number(to.thread) }) };
}

function bodyOf(content: Exclude<Content, { kind: "file" }>): Body {
  switch (content.kind) {
    case "markdown":
    case "notice":
      return markdownBody(content.text);
    case "question":
      return { ...markdownBody(content.text), keyboard: questionKeyboard(content.buttons) };
    case "board": {
      const { board } = content;
      return { html: boardHtml(board), plain: boardPlain(board), keyboard: boardKeyboard(board.buttons) };
    }
  }
}

function markdownBody(text: string): Body {
  return { html: toTelegramHtml(text), plain: plainText(text), keyboard: NO_BUTTONS };
}

async function isPhoto(file: OutFile): Promise<boolean> {
  if (!/^image\/(jpeg|png)$/.test(file.type)) return false;
  const facts = await stat(file.path).catch(() => undefined);
  return facts !== undefined && facts.size <= MOST_PHOTO_BYTES;
}
