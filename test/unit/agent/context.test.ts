import { ContextError, resolveContext } from "../../../src/agent/context.ts";

const identity = {
  thread_id: "t#0",
  run_id: "r1",
  user_id: "slack:U1",
  channel: "slack",
  chat_id: "slack/T1/C1",
};

describe("resolveContext", () => {
  it("reads both places and fills in the defaults", () => {
    const { model_name: _, ...context } = resolveContext({ configurable: identity });
    expect(context).toEqual({
      ...identity,
      is_plan_mode: false,
      plan_approval: "never",
      thinking_enabled: true,
      subagent_enabled: false,
      max_concurrent_subagents: 3,
    });
    expect(resolveContext({ context: identity }).thread_id).toBe("t#0");
  });

  it("lets context win, also when it says false", () => {
    const configurable = { ...identity, is_plan_mode: true, thinking_enabled: true };
    const resolved = resolveContext({ configurable, context: { is_plan_mode: false, thinking_enabled: undefined } });
    expect(resolved).toMatchObject({ is_plan_mode: false, thinking_enabled: true });
  });

  it("takes auto as a plan mode and model as a name of model_name", () => {
    const resolved = resolveContext({ configurable: { ...identity, is_plan_mode: "auto", model: "big" } });
    expect(resolved).toMatchObject({ is_plan_mode: "auto", model_name: "big" });
  });

  it("ignores what LangGraph keeps there as well", () => {
    const configurable = { ...identity, checkpoint_ns: "", __pregel_send: () => undefined };
    expect(resolveContext({ configurable })).not.toHaveProperty("checkpoint_ns");
  });

  it.each([
    [{ is_plan_mode: "false" }, 'is_plan_mode: must be true, false or auto, not "false"'],
    [{ thinking_enabled: 1 }, "thinking_enabled"],
    [{ max_concurrent_subagents: 0 }, "max_concurrent_subagents"],
    [{ agent_name: "../x" }, 'agent_name: letters, digits and hyphens only, not "../x"'],
    [{ plan_approval: "sometimes" }, "plan_approval"],
  ])("refuses %j instead of converting it", (wrong, words) => {
    expect(() => resolveContext({ configurable: identity, context: wrong })).toThrow(ContextError);
    expect(() => resolveContext({ configurable: identity, context: wrong })).toThrow(words);
  });

  it("names what is missing", () => {
    expect(() => resolveContext({ context: { ...identity, thread_id: undefined } })).toThrow("thread_id is missing");
  });
});
