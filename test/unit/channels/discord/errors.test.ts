import { DiscordAPIError, HTTPError } from "discord.js";
import { codeOf, toChannelError } from "../../../../channels/discord/errors.ts";
import { fileUrl } from "../../../../channels/discord/files.ts";
import { Recent } from "../../../../channels/discord/recent.ts";

const URL_WITH_TOKEN = "https://discord.com/api/v10/webhooks/1/interaction-secret";

describe("codeOf", () => {
  it.each([
    [404, 10008, "message_gone"],
    [403, 50005, "message_gone"],
    [400, 30046, "message_gone"],
    [400, 50083, "thread_archived"],
    [403, 160005, "chat_gone"],
    [403, 50013, "chat_gone"],
    [403, 50001, "chat_gone"],
    [403, 50007, "chat_gone"],
    [404, 10003, "chat_gone"],
    [404, 10004, "chat_gone"],
    [401, 0, "auth"],
    [429, 20028, "rate_limited"],
    [400, 50006, "refused"],
    [413, 40005, "refused"],
    [500, 130000, "unavailable"],
    [503, undefined, "unavailable"],
    [400, 50035, "refused"],
  ])("HTTP %s with %s is %s", (status, code, expected) => {
    expect(codeOf({ status, code }, {})).toBe(expected);
  });

  it("tells a deleted thread from a deleted channel", () => {
    expect(codeOf({ status: 404, code: 10003 }, { inThread: true })).toBe("thread_gone");
  });
});

describe("a missing right", () => {
  it("to react or attach is not the end of the chat", () => {
    expect(codeOf({ status: 403, code: 50013 }, { isExtra: true })).toBe("refused");
    expect(codeOf({ status: 403, code: 50001 }, { isExtra: true })).toBe("chat_gone");
  });
});

describe("toChannelError", () => {
  const form = {
    code: 50035,
    message: "Invalid Form Body",
    errors: { content: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: "Must be 2000 or fewer in length." }] } },
  };

  it("finds the field that is too long", () => {
    const error = new DiscordAPIError(form, 50035, 400, "POST", URL_WITH_TOKEN, { files: undefined, body: undefined });
    expect(toChannelError(error, "POST /channels/messages").code).toBe("too_long");
  });

  it("carries neither the body nor the token of an interaction", () => {
    const body = { files: undefined, body: { content: "private words" } };
    const refused = new DiscordAPIError({ code: 50006, message: "Empty" }, 50006, 400, "POST", URL_WITH_TOKEN, body);
    const failed = new HTTPError(502, "Bad Gateway", "POST", URL_WITH_TOKEN, body);
    for (const error of [refused, failed]) {
      const { message, cause } = toChannelError(error, "POST /webhooks");
      expect(JSON.stringify([message, cause])).not.toMatch(/private words|interaction-secret/);
    }
  });

  it("is unavailable when nobody answered", () => {
    expect(toChannelError(new TypeError("fetch failed"), "x").code).toBe("unavailable");
    expect(toChannelError(new DOMException("aborted", "AbortError"), "x").code).toBe("unavailable");
  });
});

describe("fileUrl", () => {
  const api = "https://discord.com/api";

  it.each(["https://cdn.discordapp.com/attachments/1/2/a.txt?ex=1", "https://media.discordapp.net/a.png"])(
    "lets %s through",
    (source) => expect(fileUrl(source, api).href).toBe(source),
  );

  it.each([
    "http://cdn.discordapp.com/a",
    "https://cdn.discordapp.com:8443/a",
    "https://cdn.discordapp.com.evil.test/a",
    "https://user@cdn.discordapp.com/a",
    "http://127.0.0.1/a",
    "file:///etc/passwd",
    "",
  ])("refuses %s", (source) => {
    expect(() => fileUrl(source, api)).toThrow(expect.objectContaining({ code: "refused" }));
  });
});

describe("Recent", () => {
  it("forgets the oldest, and counts a renewed entry as new", () => {
    const recent = new Recent<number>(2);
    recent.set("a", 1);
    recent.set("b", 2);
    recent.set("a", 3);
    recent.set("c", 4);
    expect(["a", "b", "c"].map((key) => recent.get(key))).toEqual([3, undefined, 4]);
  });
});
