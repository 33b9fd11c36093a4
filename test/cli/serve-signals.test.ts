// Tests signals to the server as a separate process: at the first signal open calls finish, at the second it exits.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "koine-signals-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("SIGTERM waits for an open call, a following SIGINT does not", async () => {
  // A provider that accepts a request and never replies.
  const requested = Promise.withResolvers<void>();
  const silent = createServer((socket) => {
    socket.on("error", () => undefined).once("data", () => requested.resolve());
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`;
  const settings = { ledger: "memory:", port: 0, providers: { silent: { dialect: "openai-chat", baseUrl } } };
  writeFileSync(join(folder, "koine.config.json"), JSON.stringify(settings));
  const child = spawn(process.execPath, ["--conditions=koine-source", MAIN, "serve", "--json"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  const logged = Promise.withResolvers<void>();
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log += chunk.toString();
    if (log.includes("shutting down")) logged.resolve();
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  const call = fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "silent/x", messages: [{ role: "user", content: "Hello" }] }),
  }).catch((error: unknown) => error);
  await requested.promise;
  child.kill("SIGTERM");
  await logged.promise;
  expect(child.exitCode).toBeNull();
  child.kill("SIGINT");
  expect(await exited).toStrictEqual([130, null]);
  expect(await call).toBeInstanceOf(Error);
  silent.close();
});

test("SIGTERM ends a server without open calls with exit code 0", async () => {
  const args = ["--conditions=koine-source", MAIN, "serve", "--port", "0", "--database", "memory:"];
  const child = spawn(process.execPath, args, { cwd: tmpdir(), stdio: ["ignore", "pipe", "ignore"] });
  await once(createInterface(child.stdout), "line");
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toStrictEqual([0, null]);
});

test("the end of npm's shell, which forwards no signal, ends the server", async () => {
  const command = `${process.execPath} --conditions=koine-source ${MAIN} serve --port 0 --database memory: --json; true`;
  const env = { ...process.env, npm_lifecycle_event: "start" };
  const shell = spawn("sh", ["-c", command], { cwd: tmpdir(), env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  shell.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()));
  const closed = once(shell.stderr, "close");
  const [line] = (await once(createInterface(shell.stdout), "line")) as [string];
  const { pid } = JSON.parse(line) as { pid: number };
  expect(pid).not.toBe(shell.pid);
  try {
    shell.kill("SIGTERM");
    // The pipe closes when the server has ended.
    await closed;
  } finally {
    if (!log.includes("shutting down")) process.kill(pid, "SIGKILL");
  }
  expect(log).toContain("shutting down");
}, 20_000);
