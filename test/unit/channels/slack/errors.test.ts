import { webApi } from "@slack/bolt";
import { describe, expect, it } from "vitest";
import { ChannelError } from "../../../../channels/errors.ts";
import { toChannelError } from "../../../../channels/slack/errors.ts";

const platform = (error: string, more: object = {}) => new webApi.WebAPIPlatformError({ ok: false, error, ...more });

describe("Slack's refusals", () => {
  it.each([
    ["message_not_found", "message_gone"],
    ["cant_update_message", "message_gone"],
    ["edit_window_closed", "message_gone"],
    ["ratelimited", "rate_limited"],
    ["invalid_blocks", "bad_format"],
    ["invalid_blocks_format", "bad_format"],
    ["msg_too_long", "too_long"],
    ["msg_blocks_too_long", "too_long"],
    ["thread_not_found", "thread_gone"],
    ["channel_not_found", "chat_gone"],
    ["is_archived", "chat_gone"],
    ["restricted_action_read_only_channel", "chat_gone"],
    ["token_revoked", "auth"],
    ["account_inactive", "auth"],
    ["internal_error", "unavailable"],
    ["missing_scope", "refused"],
    ["something_new", "refused"],
  ])("takes %s as %s", (error, code) => {
    expect(toChannelError(platform(error), "chat.update")).toMatchObject({ name: "ChannelError", code });
  });

  it("keeps the wait that Slack asks for, whichever way it says so", () => {
    expect(toChannelError(new webApi.WebAPIRateLimitedError(9), "chat.update").retryAfterMs).toBe(9000);
    const inBody = platform("ratelimited", { response_metadata: { retryAfter: 4 } });
    expect(toChannelError(inBody, "chat.update").retryAfterMs).toBe(4000);
    expect(toChannelError(platform("ratelimited"), "chat.update").retryAfterMs).toBeGreaterThan(0);
  });

  it("names the scope that is missing", () => {
    const error = platform("missing_scope", { needed: "files:write" });
    expect(toChannelError(error, "files.info").message).toBe(
      "Slack refused files.info: missing_scope (needs the scope files:write).",
    );
  });

  it.each([
    [new webApi.WebAPIHTTPError(503, "busy", {}), "unavailable"],
    [new webApi.WebAPIHTTPError(404, "nope", {}), "refused"],
    [new webApi.WebAPIRequestError(new Error("socket hang up")), "unavailable"],
    [platform("<html>proxy says no</html>"), "unavailable"],
    [new Error("anything"), "unavailable"],
  ])("takes %s as %s", (error, code) => {
    const converted = toChannelError(error, "chat.update");
    expect(converted.code).toBe(code);
    expect(converted.message).not.toContain("proxy says no");
  });

  it("converts once", () => {
    const error = new ChannelError({ code: "auth", message: "no" });
    expect(toChannelError(error, "x")).toBe(error);
  });
});
