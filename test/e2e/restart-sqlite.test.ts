import { restartSuite } from "../support/restart-suite.ts";

restartSuite("sqlite");
