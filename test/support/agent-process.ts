/** An agent in a process of its own over a database file, to be killed. Arguments: model server, database file. */
import { tool } from "langchain";
import { z } from "zod";
import { config as configSchema } from "../../config/schema.ts";
import { openState } from "../../src/state/open.ts";
import { createTestAgent, eventsOf, fixedParts, quietLog, ROOT } from "./agent-run.ts";

const [, , server = "", file = ""] = process.argv;
const note = tool(({ what }) => `noted ${what}`, {
  name: "note",
  description: "Notes",
  schema: z.object({ what: z.string() }),
});
const { state: stateConfig } = configSchema.parse({ state: { url: `sqlite:${file}` } });
const state = await openState(stateConfig, { root: ROOT, log: quietLog() });
const models = [{ name: "main", provider: "openai", model: "gpt-4.1-mini", base_url: server, api_key: "k" }];
const agent = createTestAgent({
  config: { models },
  checkpointer: state.checkpointer,
  parts: fixedParts({ tools: [note] }),
});
const events = await eventsOf(agent, { text: "do A and B", id: "m1", context: { is_plan_mode: true } });
process.stdout.write(JSON.stringify(events.at(-1)));
await state.store.close();
