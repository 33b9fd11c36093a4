// `npm run test:quick`: the tests that need neither a browser nor PostgreSQL nor other programs.
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { listFilesLeftOut } from "./test/support/quick-run.ts";
import base from "./vitest.config.ts";

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    exclude: [...(base.test?.exclude ?? []), ...listFilesLeftOut()],
    // Neither PostgreSQL nor the built page is needed.
    globalSetup: [],
    // Many tests wait for timers; one more worker than cores uses that time.
    maxWorkers: 1 + availableParallelism(),
  },
});
