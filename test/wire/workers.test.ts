/** Two workers on one Redis: what one accepts the other may finish; a stop reaches the run wherever it is. */
import { type SlackEmulator, startSlackEmulator } from "../support/emulators/slack.ts";
import { type House, openHouse, slackChannel } from "../support/house.ts";
import { freshPrefix, sharedRedisUrl } from "../support/redis.ts";

let slack: SlackEmulator;
let houses: House[] = [];

beforeEach(async () => {
  slack = await startSlackEmulator();
});
afterEach(async () => {
  await Promise.all(houses.map((house) => house.close()));
  houses = [];
  await slack.stop();
});

async function twoWorkers(delayMs: number): Promise<[House, House]> {
  const state = { url: sharedRedisUrl(), prefix: freshPrefix(), lease_seconds: 2 };
  const open = () =>
    openHouse({
      channels: slackChannel(slack, { session: { context: { is_plan_mode: true } } }),
      models: [{ name: "rehearsal", provider: "rehearsal", options: { delay_ms: delayMs } }],
      rest: { state, runs: { shutdown_seconds: 0 } },
    });
  const pair: [House, House] = [await open(), await open()];
  houses = [...pair];
  return pair;
}

const TASK = "<@U0BOT> 1) read package.json 2) count its dependencies 3) say hello";
const boards = () => slack.posts("C1").filter((message) => message.blocks.some((block) => block.type === "plan"));
const answers = () => slack.posts("C1").filter((message) => !boards().includes(message));

describe("two workers", () => {
  it("share many threads and answer each exactly once", async () => {
    await twoWorkers(5);
    const threads = Array.from({ length: 8 }, (_, n) => slack.say({ text: `<@U0BOT> hello number ${n}` }));
    await slack.until(() => answers().length >= threads.length, 15_000);
    await Promise.all(houses.map((house) => house.app.lanes.idle()));
    for (const thread of threads) expect(slack.posts("C1", thread)).toHaveLength(1);
  }, 30_000);

  it("stop a run of the other worker", async () => {
    const [one, two] = await twoWorkers(1_500);
    const ts = slack.say({ text: TASK });
    await slack.until(() => boards().length === 1, 10_000);
    const working = one.app.lanes.size() > 0 ? two : one;
    const run = (await working.app.state.store.activeRuns(5))[0];
    expect(run).toBeDefined();
    await working.app.door.press({
      id: "p1",
      at: { channel: "slack", account: "T1", chat: "C1", thread: ts },
      user: { id: "U1", name: "Ann" },
      token: `stop:${run?.id}`,
      message: { at: { channel: "slack", account: "T1", chat: "C1" }, id: "x" },
    });
    await slack.until(() => boards()[0]?.text.includes("Stopped"), 5_000);
    await slack.until(() => answers()[0]?.text.includes("Stopped"), 5_000);
  }, 30_000);

  it("hand a run over when one shuts down: same plan message, one answer", async () => {
    const [one, two] = await twoWorkers(300);
    slack.say({ text: TASK });
    await slack.until(() => boards().length === 1, 10_000);
    const [owner, other] = one.app.lanes.size() > 0 ? [one, two] : [two, one];
    await owner.close();
    houses = [other];
    await slack.until(() => boards()[0]?.text.includes("Done"), 20_000);
    await slack.until(() => answers().length > 0, 5_000);
    await other.app.lanes.idle();
    expect(boards()).toHaveLength(1);
    expect(answers()).toHaveLength(1);
  }, 40_000);
});
