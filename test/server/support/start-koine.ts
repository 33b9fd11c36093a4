// Starts servers for tests, in this process or in a child process that can be killed.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import { completeConfig } from "../../../src/server/config/complete-config.ts";
import type { ConfigFile } from "../../../src/server/config/index.ts";
import { operationsModule } from "../../../src/server/operations/index.ts";
import { serveModules } from "../../../src/server/serve-modules.ts";
import type { KoineServer, ServerOptions } from "../../../src/server/server.ts";
import { createServer } from "../../../src/server/server.ts";
import type { ServerServices } from "../../../src/server/services.ts";
import { createServices } from "../../../src/server/services.ts";
import type { ServerModule, Route } from "../../../src/server/types.ts";

/** Starts a server on a free port, without a log and by default with a ledger in memory. */
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

/** Starts a server with only the test's routes. */
export async function startRoutes(
  routes: readonly Route[],
  input: ConfigInput = {},
  options: ServerOptions & { part?: Omit<ServerModule, "routes"> } = {},
): Promise<KoineServer & { services: ServerServices }> {
  const config = completeConfig({ port: 0, drainMs: 2000, log: { level: "silent", format: "json" }, ...input });
  const services = await createServices(config, options);
  const server = serveModules(services, [operationsModule(services), { routes, ...options.part }]);
  await server.listen();
  return Object.assign(server, { services });
}

export interface KoineProcess extends AsyncDisposable {
  readonly url: string;
  readonly child: ChildProcess;
  /** Returns the whole log. */
  log(): string;
  /** kill -9, and waits for the exit. */
  kill(): Promise<void>;
  /** Requests a shutdown and waits for it. Returns the exit code. */
  stop(): Promise<number | null>;
}

/** Starts a server in a child process; resolves when it is ready. */
export async function spawnKoine(config: ConfigFile = {}): Promise<KoineProcess> {
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
