/** What every channel does, whatever the platform. One suite over the real adapters; only the platforms are emulated. */
import type { ChannelDriver } from "../support/drivers/driver.ts";
import { channelFailures } from "./channel-failures.ts";
import { channelInbound } from "./channel-inbound.ts";
import { channelOutbound } from "./channel-outbound.ts";

/** `isPlatform`: there are groups, files and refusals, which the terminal does not have. */
export function channelContract(name: string, open: () => Promise<ChannelDriver>, isPlatform = true): void {
  describe(`${name} as a channel`, () => {
    let driver: ChannelDriver;
    beforeEach(async () => {
      driver = await open();
      await driver.channel.start(driver.door);
    });
    afterEach(() => driver.close());
    const get = () => driver;
    channelInbound(get, isPlatform);
    channelOutbound(get, isPlatform);
    if (isPlatform) channelFailures(get);
  });
}
