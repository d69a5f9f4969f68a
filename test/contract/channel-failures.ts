/** What the platform refuses, and what is never told. */
import { inspect } from "node:util";
import type { Address, MessageRef } from "../../channels/channel.ts";
import { ChannelError } from "../../channels/errors.ts";
import type { ChannelDriver } from "../support/drivers/driver.ts";
import { somewhere } from "./channel-fixtures.ts";

type What = "post" | "edit";

const REQUESTS: [string, What][] = [
  ["a post", "post"],
  ["an edit", "edit"],
];

export function channelFailures(get: () => ChannelDriver): void {
  const faults = () => get().faults!;

  async function scene() {
    const driver = get();
    const at = await somewhere(driver);
    const ref = await driver.channel.post(at, { kind: "notice", text: "before" });
    return { driver, at, ref };
  }

  /** What the request rejects with; it must be a ChannelError that tells no secret. */
  async function refusal(what: What, at: Address, ref: MessageRef): Promise<ChannelError> {
    const { channel, secrets, log } = get();
    const content = { kind: "markdown" as const, text: "the body of the message" };
    const request: Promise<unknown> = what === "post" ? channel.post(at, content) : channel.edit(ref, content);
    const error: unknown = await request.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof ChannelError)) throw new Error(`no ChannelError but ${inspect(error)}`);
    const told = `${inspect(error, { depth: 10, showHidden: true })}\n${log.lines.join("\n")}`;
    for (const secret of secrets) expect(told).not.toContain(secret);
    expect(error.message).not.toContain("the body of the message");
    return error;
  }

  it.each(REQUESTS)("tells how long %s must wait", async (_, what) => {
    const { at, ref } = await scene();
    faults().limitNext(what);
    const error = await refusal(what, at, ref);
    expect(error.code).toBe("rate_limited");
    // A client may add a little, never take from it.
    expect(error.retryAfterMs).toBeGreaterThanOrEqual(2000);
    expect(error.retryAfterMs).toBeLessThan(3000);
  });

  it.each(REQUESTS)("tells that the platform is away when %s fails with 5xx", async (_, what) => {
    const { driver, at, ref } = await scene();
    faults().failNext(what);
    expect(await refusal(what, at, ref)).toMatchObject({ code: "unavailable" });
    const later = await driver.channel.post(at, { kind: "notice", text: "after" });
    expect(driver.shown(later)).toContain("after");
  });

  it("tells that a message is gone", async () => {
    const { driver, at, ref } = await scene();
    driver.deleteMessage(ref);
    expect(await refusal("edit", at, ref)).toMatchObject({ code: "message_gone" });
  });

  it("tells that it was thrown out of a chat", async () => {
    const { at, ref } = await scene();
    faults().kick();
    expect(await refusal("post", at, ref)).toMatchObject({ code: "chat_gone" });
    expect(await refusal("edit", at, ref)).toMatchObject({ code: "chat_gone" });
  });

  it("tells that its token was revoked, without telling the token", async () => {
    const { at, ref } = await scene();
    faults().revokeToken();
    expect(await refusal("post", at, ref)).toMatchObject({ code: "auth" });
    expect(await refusal("edit", at, ref)).toMatchObject({ code: "auth" });
  });
}
