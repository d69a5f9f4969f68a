import { ChannelError } from "../../../../channels/errors.ts";
import { codeOf, toChannelError } from "../../../../channels/telegram/errors.ts";

const TOKEN = "123456789:AAsecretsecretsecretsecretsecretsecret";
const hide = (text: string) => text.replaceAll(TOKEN, "<token>");

describe("codeOf", () => {
  it.each([
    ["message is not modified: specified new message content", "unchanged"],
    ["message to edit not found", "message_gone"],
    ["message can't be edited", "message_gone"],
    ["MESSAGE_ID_INVALID", "message_gone"],
    ["message thread not found", "thread_gone"],
    ["TOPIC_CLOSED", "thread_gone"],
    ["message is too long", "too_long"],
    ["MESSAGE_TOO_LONG", "too_long"],
    ["message caption is too long", "too_long"],
    ['can\'t parse entities: Unsupported start tag "x" at byte offset 3', "bad_format"],
    ["chat not found", "chat_gone"],
    ["not enough rights to send text messages to the chat", "chat_gone"],
    ["group chat was deactivated", "chat_gone"],
    ["CHAT_WRITE_FORBIDDEN", "chat_gone"],
    ["BUTTON_DATA_INVALID", "refused"],
    ["message text is empty", "refused"],
  ])("reads 400 %s as %s", (description, code) => {
    expect(codeOf({ error_code: 400, description: `Bad Request: ${description}` }, "sendMessage")).toBe(code);
  });

  it.each([
    [403, "Forbidden: bot was blocked by the user", "chat_gone"],
    [403, "Forbidden: user is deactivated", "chat_gone"],
    [403, "Forbidden: bot can't initiate conversation with a user", "chat_gone"],
    [401, "Unauthorized", "auth"],
    [404, "Not Found: method not found", "refused"],
    [409, "Conflict: terminated by other getUpdates request", "conflict"],
    [500, "Internal Server Error", "unavailable"],
  ])("reads %i %s as %s", (error_code, description, code) => {
    expect(codeOf({ error_code, description }, "sendMessage")).toBe(code);
  });

  it("takes a 404 for a wrong token at sign-in only", () => {
    const refusal = { error_code: 404, description: "Not Found" };
    expect(codeOf(refusal, "getMe")).toBe("auth");
    expect(codeOf(refusal, "setMessageReaction")).toBe("refused");
  });

  it("does not end a chat because a file or a reaction is not allowed there", () => {
    const refusal = { error_code: 400, description: "Bad Request: not enough rights to send documents to the chat" };
    expect(codeOf(refusal, "sendDocument")).toBe("refused");
    expect(codeOf({ error_code: 400, description: "Bad Request: message can't be deleted" }, "deleteMessage")).toBe(
      "message_gone",
    );
  });

  it("waits as long as told, even for hours", () => {
    const response = { error_code: 429, description: "Too Many Requests", parameters: { retry_after: 13_938 } };
    const error = toChannelError({ response }, "editMessageText", hide);
    expect(error).toMatchObject({ code: "rate_limited", retryAfterMs: 13_938_000 });
  });
});

describe("toChannelError", () => {
  it.each([
    new Error(`request to https://api.telegram.org/bot${TOKEN}/getMe failed, reason: ECONNREFUSED`),
    Object.assign(new Error(`bot${TOKEN}`), { code: "ECONNRESET", name: "FetchError" }),
    { response: { error_code: 400, description: `Bad Request: ${TOKEN}` }, on: { payload: { text: TOKEN } } },
    new TypeError(`Invalid URL: /bot${TOKEN}`),
    TOKEN,
  ])("keeps the token out of everything the error carries (%#)", (thrown) => {
    const error = toChannelError(thrown, "getMe", hide);
    expect(error).toBeInstanceOf(ChannelError);
    expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain("AAsecret");
  });

  it("tells a time-out from a refused connection", () => {
    const late = Object.assign(new Error("aborted"), { name: "AbortError" });
    const refused = Object.assign(new Error("x"), { code: "ECONNREFUSED" });
    expect(toChannelError(late, "getMe", hide).message).toBe("Telegram getMe: no answer in time");
    expect(toChannelError(refused, "getMe", hide).message).toBe("Telegram getMe: no connection (ECONNREFUSED)");
  });

  it("passes a ChannelError through", () => {
    const error = new ChannelError({ code: "refused", message: "x" });
    expect(toChannelError(error, "getMe", hide)).toBe(error);
  });
});
