// Tests `koine serve`: start, startup message, answers, and end at an interrupt.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { startCommand } from "./server-process.ts";
import { koine } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-serve-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function callModel(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "demo/koine", messages: [{ role: "user", content: "Hello" }] }),
  });
}

test("it creates a folder for its owner only, answers, and exits with 0", async () => {
  const server = startCommand(["serve", "--port", "0", "--data", "team/data", "--log", "silent"], folder);
  const [, url = ""] = /^koine listens on (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(await server.ready) ?? [];
  const reply = await callModel(url);
  expect(reply.status).toBe(200);
  expect(reply.headers.get("x-koine-run")).toMatch(/^\w{26}$/);
  server.interrupt();
  expect(await server.ended).toMatchObject({ code: 0, stderr: "" });
  expect(statSync(join(folder, "team/data")).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(folder, "team/data"))).toContain("koine.db");
  for (const name of readdirSync(join(folder, "team/data"))) {
    expect(statSync(join(folder, "team/data", name)).mode & 0o777).toBe(0o600);
  }
  await expect(fetch(url)).rejects.toThrow("fetch failed");
});

test("--json prints address, version and ledger as JSON", async () => {
  const server = startCommand(["serve", "--port", "0", "--database", "memory:", "--log", "silent", "--json"], folder);
  expect(JSON.parse(await server.ready)).toStrictEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
    version: expect.any(String) as string,
    pid: process.pid,
    ledger: "in memory; lost when the server stops",
    config: null,
    providers: ["demo"],
  });
  server.interrupt();
  expect((await server.ended).code).toBe(0);
  expect(existsSync(join(folder, "koine-data"))).toBe(false);
});

test("on a terminal it prints an example for each SDK, and never a key", async () => {
  writeFileSync(
    join(folder, "own.json"),
    JSON.stringify({
      ledger: "memory:",
      models: { fast: ["demo/koine"] },
      tenants: { acme: { tokens: [`sha256:${"a".repeat(64)}`] } },
      drainMs: 0,
    }),
  );
  const env = { NO_COLOR: "1", OPENAI_API_KEY: "sk-never-shown" };
  const server = startCommand(["serve", "--port", "0", "--config", "own.json", "--log", "silent"], folder, {
    env,
    terminals: ["stdout"],
  });
  const text = await server.ready;
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
  for (const line of [
    `listens on ${url}\n`,
    "  providers   demo, openai\n",
    "  models      fast → demo/koine\n",
    "  tenants     acme\n",
    `new OpenAI({ baseURL: "${url}/v1", apiKey: "any" })`,
    `OpenAI(base_url="${url}/v1", api_key="any")`,
    `new Anthropic({ baseURL: "${url}", apiKey: "any" })`,
    `new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: "${url}" } })`,
    `createOpenAI({ baseURL: "${url}/v1", apiKey: "any" })`,
    '-H "authorization: Bearer $TOKEN"',
    "koine token create",
  ]) {
    expect(text).toContain(line);
  }
  expect((await callModel(url)).status).toBe(401);
  server.interrupt();
  const { stdout, stderr } = await server.ended;
  expect(stdout + stderr).not.toContain("sk-never-shown");
});

test("requests are logged as text on a terminal, and as JSON elsewhere", async () => {
  for (const [terminals, shape] of [
    [["stderr"], /^\S+Z info {2}request /m],
    [[], /^\{"time":"[^"]+","level":"info","event":"request",/m],
  ] as const) {
    const server = startCommand(["serve", "--port", "0", "--database", "memory:", "--json"], folder, { terminals });
    const { url } = JSON.parse(await server.ready) as { url: string };
    await (await callModel(url)).text();
    server.interrupt();
    expect((await server.ended).stderr).toMatch(shape);
  }
});

test("--quiet prints nothing", async () => {
  const outcome = await koine("serve -q --port 0 --database memory: --log error");
  expect(outcome).toMatchObject({ code: 0, stdout: "", stderr: "" });
});

describe("a failed start is reported in one sentence", () => {
  test("a port in use", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const outcome = await koine(`serve --port ${port} --database memory: --log silent`);
    other.close();
    expect(outcome).toMatchObject({ code: 4, stdout: "" });
    expect(outcome.stderr).toBe(
      `koine: Port ${port} on 127.0.0.1 is in use: stop the process that uses it, or choose another port (--port).\n`,
    );
  });

  test.each<[sentence: string, args: string, code: number, message: RegExp]>([
    [
      "an unprotected address",
      "serve --port 0 --host 0.0.0.0 --database memory: --log silent",
      2,
      /no token is required.*koine token create/,
    ],
    ["an invalid port", "serve --port x", 2, /--port must be a whole number from 0 to 65535\.\n$/],
    ["a missing configuration file", "serve --config none.json", 2, /none\.json: The file does not exist/],
    ["a file among the arguments", "serve chat.json", 2, /takes no files/],
    ["a database of another program", "serve --port 0 --data %/chat.db", 4, /not a SQLite database/],
    [
      "a folder that cannot be created",
      "serve --port 0 --data %/chat.db/x",
      4,
      /A part of the path .* is not a folder/,
    ],
  ])("%s", async (_sentence, args, code, message) => {
    const outcome = await koine(args, {
      files: { "chat.db": "This is text and no database, and long enough for a page." },
    });
    expect(outcome.stderr).toMatch(message);
    expect([outcome.code, outcome.stderr.split("\n").length]).toStrictEqual([code, 2]);
  });

  test("an unprotected address creates no files", async () => {
    const { code, files } = await koine("serve --port 0 --host 0.0.0.0 --log silent");
    expect({ code, files }).toStrictEqual({ code: 2, files: "" });
  });

  test("a password with a bare percent sign, which is not shown", async () => {
    const env = { KOINE_DATABASE: "postgres://me:100%secret@127.0.0.1:9/koine" };
    const { code, stderr } = await koine("serve --port 0", { env });
    expect([code, stderr]).toStrictEqual([2, expect.stringContaining("KOINE_DATABASE has an invalid percent escape")]);
    expect(stderr).not.toContain("secret");
  });

  test("each mistake in a file is one line", async () => {
    const files = { "koine.config.json": JSON.stringify({ prot: 1, port: "x" }) };
    const { code, stderr } = await koine("serve", { files });
    expect(code).toBe(2);
    expect(stderr.split("\n")).toStrictEqual([
      "koine: koine.config.json has 2 mistakes.",
      expect.stringMatching(/^ {2}\/prot is not a setting\. Did you mean "port"\?/) as string,
      "  /port must be a whole number from 0 to 65535; it is a string.",
      "",
    ]);
  });
});
