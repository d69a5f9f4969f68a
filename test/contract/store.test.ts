import { createLog } from "../../src/log.ts";
import { openRedisState } from "../../src/state/redis.ts";
import { openSqliteState } from "../../src/state/sqlite.ts";
import { freshPrefix, privateCluster, sharedRedisUrl } from "../support/redis.ts";
import { type Opened, storeContract } from "./store.ts";

const log = createLog({ level: "silent" });

storeContract("the embedded store", async () => {
  const { store } = openSqliteState({ path: ":memory:", keepDays: 30, log });
  return { store, other: store, close: () => store.close() };
});

storeContract("the Redis store", () => redisPair([sharedRedisUrl()]));

storeContract("the Redis store on a Cluster", async () => {
  const cluster = await privateCluster();
  const pair = await redisPair(cluster.urls);
  return {
    ...pair,
    async close() {
      await pair.close();
      await cluster.dispose();
    },
  };
});

async function redisPair([url = "", ...cluster]: string[]): Promise<Opened> {
  const options = { url, cluster, prefix: freshPrefix(), keepDays: 30, log };
  const [{ store }, { store: other }] = await Promise.all([openRedisState(options), openRedisState(options)]);
  return { store, other, close: async () => void (await Promise.all([store.close(), other.close()])) };
}
