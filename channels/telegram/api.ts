/** telegraf's client with a deadline for every call and errors that are safe to log. */
import { Telegram } from "telegraf";
import { toChannelError } from "./errors.ts";

export interface CallOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
}

export interface Api {
  /** Rejects with a ChannelError only. */
  call<T = unknown>(method: string, payload?: object, options?: CallOptions): Promise<T>;
  /** Where a file of `getFile` lies; holds the token, so it must not be logged. */
  fileUrl(path: string): URL;
  /** Removes the token from text. */
  hide(text: string): string;
}

/** telegraf itself would wait 500 s for an answer. */
const CALL_MS = 30_000;
const UPLOAD_MS = 300_000;

export function createApi(token: string, apiRoot: string): Api {
  const root = apiRoot.endsWith("/") ? apiRoot : `${apiRoot}/`;
  const client = new Telegram(token, { apiRoot: root, webhookReply: false });
  const hide = (text: string) => (token ? text.replaceAll(token, "<token>") : text);
  return {
    hide,
    fileUrl: (path) => new URL(`./file/bot${token}/${path.split("/").map(encodeURIComponent).join("/")}`, root),
    async call<T>(method: string, payload: object = {}, options: CallOptions = {}) {
      const limit = options.timeoutMs ?? (/^send(Document|Photo)$/.test(method) ? UPLOAD_MS : CALL_MS);
      const signals = [AbortSignal.timeout(limit), ...(options.signal ? [options.signal] : [])];
      try {
        // telegraf types payload and signal by its own unions; the wire takes any method with a JSON object.
        return (await client.callApi(method as "getMe", payload as never, {
          signal: AbortSignal.any(signals) as never,
        })) as T;
      } catch (error) {
        throw toChannelError(error, method, hide);
      }
    },
  };
}
