// Servers for tests: one in this process, or one in a process of its own that can be killed.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
import type { ConfigInput } from "../../../src/server/config/defaults.ts";
import { completeConfig } from "../../../src/server/config/defaults.ts";
import { operationsPart } from "../../../src/server/operations/index.ts";
import { serveParts } from "../../../src/server/serve-parts.ts";
import type { KoineServer, ServerOptions } from "../../../src/server/server.ts";
import { createServer } from "../../../src/server/server.ts";
import type { OwnServices } from "../../../src/server/services.ts";
import { makeServices } from "../../../src/server/services.ts";
import type { ServerModule, Route } from "../../../src/server/types.ts";

/** A server on a free port, without a log and, where nothing else is said, with a ledger in memory. */
export async function startKoine(input: ConfigInput = {}, options: ServerOptions = {}): Promise<KoineServer> {
  const config = completeConfig({ port: 0, drainMs: 2000, log: { level: "silent", format: "json" }, ...input });
  const server = await createServer(config, options);
  try {
    await server.listen();
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}

/** A server of routes of the test's own, and nothing else. */
export async function startRoutes(
  routes: readonly Route[],
  input: ConfigInput = {},
  options: ServerOptions & { part?: Omit<ServerModule, "routes"> } = {},
): Promise<KoineServer & { services: OwnServices }> {
  const config = completeConfig({ port: 0, drainMs: 2000, log: { level: "silent", format: "json" }, ...input });
  const services = await makeServices(config, options);
  const server = serveParts(services, [operationsPart(services), { routes, ...options.part }]);
  await server.listen();
  return Object.assign(server, { services });
}

/** What a process of its own can be told: data, and `demo` beside the providers. */
export type ChildConfig = Omit<ConfigInput, "providers" | "tenants"> & {
  providers?: Record<string, { dialect: string; baseUrl: string; apiKey?: string; vendor?: string }>;
  tenants?: Record<string, { tokens: { hash: string; name: string }[]; maxOpen?: number }>;
};

export interface KoineProcess extends AsyncDisposable {
  readonly url: string;
  readonly child: ChildProcess;
  /** Everything that it has logged. */
  log(): string;
  /** kill -9, and waits until it is gone. */
  kill(): Promise<void>;
  /** Asks it to end, and waits until it has. Gives the exit code. */
  stop(): Promise<number | null>;
}

/** A server in a process of its own; it is ready when this resolves. */
export async function spawnKoine(config: ChildConfig = {}): Promise<KoineProcess> {
  const script = fileURLToPath(new URL("serve-child.ts", import.meta.url));
  const child = spawn(
    process.execPath,
    ["--conditions=koine-source", "--disable-warning=ExperimentalWarning", script, JSON.stringify(config)],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const exited = once(child, "exit");
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once("line", (line) => resolve(line.replace("ready ", "")));
    void exited.then(([code]) => reject(new Error(`The server ended with ${code} before it was ready:\n${log}`)));
  });
  const end = async (signal: "SIGKILL" | "SIGTERM"): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await exited;
    }
    return child.exitCode;
  };
  return {
    url,
    child,
    log: () => log,
    kill: async () => void (await end("SIGKILL")),
    stop: () => end("SIGTERM"),
    [Symbol.asyncDispose]: async () => void (await end("SIGKILL")),
  };
}
