// One instance of the server: a process on a fixed port that can be killed, frozen, stopped and started again.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import type { Fault } from "./evidence.ts";

export interface InstanceOptions {
  /** The bundled `koine` program. */
  program: string;
  config: string;
  database: string;
  port: number;
}

/** Below the ephemeral ports, so that no outgoing connection takes the port of a dead instance. */
const [FIRST_PORT, PORTS] = [20_000, 10_000];

export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** More than any start needs. */
const START_MS = 60_000;

export class Instance {
  readonly url: string;
  /** Unexpected exits, and shutdowns that failed. */
  readonly faults: Fault[] = [];
  /** Log lines by event, and recovered runs. */
  readonly logged = new Map<string, number>();
  recovered = 0;
  starts = 0;
  readonly #options: InstanceOptions;
  #child: ChildProcess | undefined;
  #closed: Promise<unknown> = Promise.resolve();
  /** True if its exit is expected. */
  #isEnding = false;

  constructor(options: InstanceOptions) {
    this.#options = options;
    this.url = `http://127.0.0.1:${options.port}`;
  }

  /** Resolves when it listens. */
  async start(): Promise<void> {
    const { program, config, database, port } = this.#options;
    const args = ["serve", "--port", String(port), "--config", config, "--log", "warn", "--log-format", "json"];
    const child = spawn(process.execPath, [program, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NODE_NO_WARNINGS: "1", KOINE_DATABASE: database },
    });
    this.#child = child;
    this.#isEnding = false;
    this.starts++;
    const trouble: string[] = [];
    createInterface({ input: child.stderr }).on("line", (line) => {
      trouble.push(line);
      this.#note(line);
    });
    this.#closed = once(child, "close").then(([code, signal]) => {
      if (!this.#isEnding || (signal === null && code !== 0)) this.#fault(`ended with ${code ?? signal}`, trouble);
    });
    const listening = once(createInterface({ input: child.stdout }), "line");
    const isUp = await Promise.race([
      listening.then(() => true),
      this.#closed.then(() => false),
      pause(START_MS, false, { ref: false }),
    ]);
    if (!isUp) throw new Error(`An instance did not start:\n${trouble.join("\n")}`);
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.#isEnding = true;
    this.#child?.kill("SIGKILL");
    await this.#closed;
  }

  /** Requests a graceful shutdown. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#child?.kill("SIGTERM");
    await this.#closed;
  }

  /** Stops the process for a while without its knowledge. */
  async freeze(ms: number): Promise<void> {
    this.#child?.kill("SIGSTOP");
    await pause(ms);
    this.#child?.kill("SIGCONT");
  }

  #fault(what: string, trouble: readonly string[]): void {
    this.faults.push({ where: this.url, what: `${what}: ${trouble.slice(-5).join("\n")}` });
  }

  #note(line: string): void {
    if (!line.startsWith("{")) return;
    // A line of Koine's log.
    const { event, runs = 0 } = JSON.parse(line) as { event: string; runs?: number };
    this.logged.set(event, (this.logged.get(event) ?? 0) + 1);
    if (event === "record.recovered") this.recovered += runs;
  }
}
