// A server in a child process, for tests that kill it: settings as JSON in the first argument, and a line on standard
// output when it is ready.
import { completeConfig } from "../../../src/server/config/complete-config.ts";
import type { ConfigFile } from "../../../src/server/config/index.ts";
import { createServer } from "../../../src/server/server.ts";

// Written by spawnKoine.
const settings = JSON.parse(process.argv[2] ?? "{}") as ConfigFile;
const server = await createServer(completeConfig({ port: 0, drainMs: 2000, log: "warn", ...settings }));
await server.listen();
process.once("SIGTERM", () => void server.close().then(() => process.exit(0)));
process.stdout.write(`ready ${server.url}\n`);
