// Starts each gateway as a process, on its own core if possible. The process reports its CPU time on request.
import type { ChildProcess } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { installPeers } from "../contenders/install.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const CAN_PIN = cpus().length > 1 && spawnSync("taskset", ["-c", "0", "true"]).status === 0;

export interface Gateway extends Disposable {
  name: string;
  url: string;
  /** The headers that every request to the gateway needs. */
  headers: Record<string, string>;
  /** True if the gateway accepts requests in another dialect than the dialect of the provider. */
  translates: boolean;
  /** The model names that select the provider's wire format, Chat or Messages. */
  model: { chat: string; messages: string };
  cpuMs(): Promise<number>;
}

function start(core: number, file: string, args: readonly string[]): ChildProcess {
  const node = [...process.execArgv, "--import", join(HERE, "meter.ts"), file, ...args];
  const [command, argv] = CAN_PIN
    ? ["taskset", ["-c", String(core), process.execPath, ...node]]
    : [process.execPath, node];
  return spawn(command, argv, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
}

async function readUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("The process has no output.");
  // The cast is safe, because the process prints its address as the first line.
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  return url;
}

async function cpuMs(child: ChildProcess): Promise<number> {
  const answer = once(child, "message");
  child.send("cpu");
  // The cast is safe, because meter.ts sends this message.
  const [usage] = (await answer) as [{ cpuMs: number }];
  return usage.cpuMs;
}

function gateway(name: string, url: string, child: ChildProcess, rest: Partial<Gateway> = {}): Gateway {
  return {
    name,
    url,
    headers: {},
    translates: true,
    model: { chat: "gpt-bench", messages: "claude-bench" },
    cpuMs: () => cpuMs(child),
    [Symbol.dispose]: () => child.kill("SIGKILL"),
    ...rest,
  };
}

/** Starts the provider and returns its address and process. */
export async function startUpstream(): Promise<{ url: string; child: ChildProcess }> {
  const child = start(0, join(HERE, "upstream.ts"), []);
  return { url: await readUrl(child), child };
}

export async function startBare(mode: "parse" | "pipe", upstream: string): Promise<Gateway> {
  const child = start(1, join(HERE, "bare.ts"), [mode, upstream]);
  return gateway(`bare, ${mode}`, await readUrl(child), child, { translates: false });
}

export async function startKoine(record: "off" | "normal" | "full", upstream: string): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), "koine-bench-"));
  const child = start(1, join(HERE, "koine.ts"), [upstream, record, folder]);
  const name = record === "off" ? "Koine, unrecorded" : `Koine, recorded (${record})`;
  return gateway(name, await readUrl(child), child, {
    model: { chat: "chat/gpt-bench", messages: "claude/claude-bench" },
    [Symbol.dispose]() {
      child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  });
}

/** Starts Portkey, which reads the provider and its address from headers; returns a reason if it cannot be started. */
export async function startPortkey(upstream: string): Promise<Gateway | string> {
  const missing = installPeers(HERE);
  if (missing !== undefined) return missing;
  const port = await freePort();
  const file = join(HERE, "node_modules/@portkey-ai/gateway/build/start-server.js");
  const child = start(1, file, ["--headless", `--port=${port}`]);
  child.stdout?.resume();
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 100; tries++) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    ) {
      return gateway("Portkey", url, child, {
        headers: { "x-portkey-custom-host": `${upstream}/v1`, authorization: "Bearer bench-key-0123456789" },
      });
    }
    await sleep(100);
  }
  child.kill("SIGKILL");
  return "it did not start within 10 s";
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  // The cast is safe, because the address of a listening TCP server is an AddressInfo.
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
