import { readMessages, score } from "../../bench/plan-mode/measure.ts";
import { classifyPlanMode } from "../../src/plan-mode.ts";

describe("classifyPlanMode on the labelled messages", () => {
  const messages = readMessages();

  it.each(["en", "zh"])("is right for at least nine of ten messages it was not tuned on: %s", (lang) => {
    expect(score(messages, "report", lang).accuracy).toBeGreaterThanOrEqual(0.9);
  });

  it("is measured on at least 240 messages, halved by position and balanced", () => {
    expect(messages.length).toBeGreaterThanOrEqual(240);
    for (const it of messages) expect(it.half).toBe(Math.floor((it.id - 1) / 4) % 2 === 0 ? "tune" : "report");
    for (const lang of ["en", "zh"]) {
      const ours = messages.filter((it) => it.half === "report" && it.lang === lang);
      expect(ours.filter((it) => it.plan).length * 2).toBe(ours.length);
    }
  });
});

describe("classifyPlanMode", () => {
  it.each([
    ["Make a plan for the release.", true, "asks for a plan"],
    ["帮我做一个发布计划", true, "asks for a plan"],
    ["1. book the room\n2. invite Ann\n3. order cake", true, "a list of 3 tasks"],
    ["Open the file, fix the title, then save it and upload it.", true, "4 steps"],
    ["下載資料，整理成表格，然後發給小陳", true, "3 steps"],
    ["No plan please: open the file, fix the title, save it, upload it.", false, "asked for no plan"],
    ["Open the file and fix the title.", false, "only 2 steps"],
    ["hello there", false, "one step or small talk"],
    ["", false, "one step or small talk"],
  ])("says why: %s", (text, plan, reason) => {
    expect(classifyPlanMode(text)).toEqual({ plan, reason });
  });

  it("does not count what is only quoted", () => {
    expect(classifyPlanMode('Translate "open the file, fix the title, save it, upload it"').plan).toBe(false);
  });

  it("stays fast on hostile input", () => {
    for (const piece of ["三件事", "make ", '"', "{", "1. ", "and then ", "我，"]) {
      const started = performance.now();
      classifyPlanMode(piece.repeat(50_000));
      expect(performance.now() - started).toBeLessThan(500);
    }
  });
});
