/** `npm run bench`: the measured claims, in under a minute. */
import { benchLimits } from "./limits.ts";
import { benchMessages } from "./messages.ts";
import { print } from "./print.ts";
import { benchTurns } from "./turns.ts";

await benchMessages();
print("");
await benchTurns();
print("");
await benchLimits();
