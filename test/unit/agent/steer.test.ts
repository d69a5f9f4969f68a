import { HumanMessage } from "@langchain/core/messages";
import { steer } from "../../../src/agent/middleware/steer.ts";

describe("a message that steers a run", () => {
  const bob = { id: "U2", name: "Bob" };
  const hookOf = (ids: string[]) => {
    const { beforeModel } = steer(async () => ids.map((id) => ({ id, text: `text ${id}`, speaker: bob })));
    if (typeof beforeModel !== "function") throw new Error("steer has no hook");
    return (known: string[]) =>
      beforeModel({ messages: known.map((id) => new HumanMessage({ id, content: id })) } as never, {} as never);
  };

  it("is written once, whatever is offered again after a crash", async () => {
    const result = (await hookOf(["s1", "s2"])(["m", "s1"])) as { messages: HumanMessage[] };
    expect(result.messages.map(({ id }) => id)).toEqual(["s2"]);
    expect(await hookOf(["s1"])(["m", "s1"])).toBeUndefined();
  });
});
