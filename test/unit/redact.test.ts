import { redact } from "../../src/redact.ts";

describe("redaction", () => {
  it.each([
    ["https://api.telegram.org/bot123456789:AAHfiqksKZ8WmR2zSjiQ7-1WsP1cRkkiX0I/getMe", "AAHfiqks"],
    ["token xoxb-1234-5678-abcdefGHIJKL", "abcdefGHIJKL"],
    ["app xapp-1-A012-345-abcdef0123456789", "abcdef0123456789"],
    ["Authorization: Bearer abcdefghijklmnop.qrs", "abcdefghijklmnop"],
    ["redis://default:hunter2pw@10.0.0.1:6379/0 refused", "hunter2pw"],
    ["key sk-proj-abcdefghijklmnopqrstuv", "abcdefghijklmnop"],
  ])("hides the secret in %s", (text, secret) => {
    expect(redact(text)).not.toContain(secret);
  });

  it("hides configured secrets of any shape, and leaves the rest readable", () => {
    expect(redact("login with hunter2pw failed", ["hunter2pw"])).toBe("login with <redacted> failed");
    expect(redact("plain text: 12:30, a@b.c")).toBe("plain text: 12:30, a@b.c");
  });
});
