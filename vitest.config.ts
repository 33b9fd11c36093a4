import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { listUnavailableTests } from "./test/page/support/browser-availability.ts";

export default defineConfig({
  test: {
    // The sources run in Node as they are, as for users: Vite's own loader reads every import through a getter, which
    // costs a quarter of the time. There is no transform, so mocks of modules would not work; we have none.
    experimental: { viteModuleRunner: false },
    execArgv: ["--conditions=koine-source"],
    // Tests are pure or clean up after themselves: a fresh worker per file would cost a third of the time.
    isolate: false,
    // One for every core; the default leaves one idle, which is half of a small machine.
    maxWorkers: "100%",
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...listUnavailableTests()],
    // Very many tests start programs of ours: each would strip and compile the same files again.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/koine", import.meta.url)) },
    globalSetup: ["test/support/postgres-setup.ts", "test/page/support/page-setup.ts"],
    typecheck: { enabled: false },
    testTimeout: 60_000,
    // A poll waits for an event, and its patience is no measure of time: a busy machine may need many seconds.
    expect: { poll: { timeout: 30_000 } },
    // A real Postgres starts in one of them.
    hookTimeout: 60_000,
  },
});
