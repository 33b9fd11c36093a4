// A server in a child process, for tests that kill it: settings as JSON in the first argument, and a line on standard
// output when it is ready.
import { demo } from "../../../src/client/index.ts";
import type { HttpProvider } from "../../../src/client/index.ts";
import { completeConfig } from "../../../src/server/config/defaults.ts";
import { createServer } from "../../../src/server/server.ts";
import type { ChildConfig } from "./start-koine.ts";

// Written by spawnKoine.
const { providers = {}, tenants = {}, ...settings } = JSON.parse(process.argv[2] ?? "{}") as ChildConfig;
const server = await createServer(
  completeConfig({
    port: 0,
    drainMs: 2000,
    log: { level: "warn", format: "json" },
    ...settings,
    providers: { demo: demo(), ...(providers as Record<string, HttpProvider>) },
    tenants: new Map(Object.entries(tenants)),
  }),
);
await server.listen();
process.once("SIGTERM", () => void server.close().then(() => process.exit(0)));
process.stdout.write(`ready ${server.url}\n`);
