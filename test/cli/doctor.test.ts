// `koine doctor`: what it finds, what it says about it, and that it neither writes nor tells a key.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import type { Finding } from "../../src/cli/doctor/finding.ts";
import { checkClock } from "../../src/cli/doctor/machine.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { user } from "../../src/model/index.ts";
import { startKoine } from "../server/support/start-koine.ts";
import type { Setting } from "./support.ts";
import { koine } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-doctor-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function examine(
  args: string,
  setting: Setting = {},
): Promise<{ code: number; findings: Finding[]; text: string }> {
  const { code, stdout } = await koine(`doctor --json ${args}`, { clock: Date.now, ...setting });
  return { code, findings: (JSON.parse(stdout) as { findings: Finding[] }).findings, text: stdout };
}

const of = (findings: readonly Finding[], name: string): Finding | undefined =>
  findings.find((each) => each.name === name);
const config = (settings: object): Setting => ({ files: { "koine.config.json": JSON.stringify(settings) } });

/** A ledger's file whose tables say that they are older. */
async function makeOlder(path: string): Promise<void> {
  await (await openLedger(`sqlite:${path}`)).close();
  const database = new DatabaseSync(path);
  database.exec("PRAGMA user_version = 1");
  database.close();
}

test("a machine as it should be has nothing to mend, and nothing is written", async () => {
  const { code, stdout, files } = await koine("doctor --port 0", { clock: Date.now });
  expect(stdout).toMatch(/^ok {4}node {11}Node \d+/);
  expect(stdout).toContain("\nok    provider demo  Part of this program: koine.\n");
  expect(stdout).toMatch(/\nEverything is as it should be\.\n$/);
  expect({ code, files }).toStrictEqual({ code: 0, files: "" });
});

test("every mistake of the settings is a finding", async () => {
  const { code, findings } = await examine("", config({ prot: 1, log: "loud" }));
  expect(code).toBe(1);
  expect(findings.map(({ name, state }) => `${name} ${state}`)).toStrictEqual([
    "node ok",
    "settings fail",
    "settings fail",
  ]);
  expect(findings[1]?.message).toContain('/prot is no setting. Did you mean "port"?');
});

describe("providers", () => {
  const servers: Server[] = [];
  afterAll(() => servers.forEach((server) => server.close()));
  const asked: string[] = [];

  async function replying(status: number, headers: Record<string, string> = {}): Promise<string> {
    const server = createServer((request, response) => {
      const key = request.headers.authorization ?? String(request.headers["x-api-key"]);
      asked.push(`${request.method} ${request.url} ${key}`);
      response.writeHead(status, headers).end("{}");
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test("are asked for their models with their keys, which nobody is told", async () => {
    const [chat, anthropic] = [await replying(200), await replying(200)];
    const { code, findings, text } = await examine(
      "--port 0",
      config({
        providers: {
          a: { dialect: "openai-chat", baseUrl: `${chat}/v1`, apiKey: "sk-secret" },
          b: { dialect: "anthropic", baseUrl: anthropic, apiKey: "sk-secret" },
        },
      }),
    );
    expect(asked.toSorted()).toStrictEqual(["GET /v1/models Bearer sk-secret", "GET /v1/models sk-secret"]);
    expect(of(findings, "provider a")).toMatchObject({ state: "ok", message: expect.stringMatching(/takes the key/) });
    expect(of(findings, "clock")?.message).toContain("as providers say, too");
    expect(code).toBe(0);
    expect(text).not.toContain("sk-secret");
  });

  test.each([
    [401, "fail", "refuses the key (401)"],
    [403, "fail", "refuses the key (403)"],
    [404, "ok", "answers (404)"],
    [302, "warn", "sends elsewhere (302)"],
    [503, "warn", "has trouble of its own (503)"],
  ])("that answer with %i are a finding: %s", async (status, state, message) => {
    const baseUrl = await replying(status, { location: "http://127.0.0.1:9/" });
    const local = { dialect: "openai-chat", baseUrl: `${baseUrl}/v1`, apiKey: "sk-secret" };
    const { code, findings } = await examine("--port 0", config({ providers: { local } }));
    expect(of(findings, "provider local")).toMatchObject({
      state,
      message: expect.stringContaining(message) as string,
    });
    expect(code).toBe(state === "fail" ? 1 : 0);
  });

  test("that nobody can reach are told, unless it is offline", async () => {
    const gone = await replying(200);
    servers.at(-1)?.close();
    const setting = config({ providers: { local: { dialect: "gemini", baseUrl: gone, apiKey: "sk-secret" } } });
    const { findings, text } = await examine("--port 0", setting);
    expect(of(findings, "provider local")).toMatchObject({
      state: "fail",
      message: expect.stringMatching(/^Cannot be reached: .*ECONNREFUSED/),
    });
    expect(text).not.toContain("sk-secret");
    const offline = await examine("--port 0 --offline", setting);
    expect(of(offline.findings, "provider local")).toBeUndefined();
    expect(offline.code).toBe(0);
  });

  test("that say nothing are not waited for", async () => {
    const server = createServer(() => undefined);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const { findings } = await examine(
      "--port 0 --timeout 0.1",
      config({ providers: { a: { dialect: "openai-chat", baseUrl } } }),
    );
    expect(of(findings, "provider a")?.message).toBe("Cannot be reached: no reply within 100 ms.");
    server.closeAllConnections();
  });
});

describe("the ledger", () => {
  test("is opened, and a sample of it is read", async () => {
    const path = join(folder, "sound");
    mkdirSync(path, { mode: 0o700 });
    const ledger = await openLedger(`sqlite:${join(path, "koine.db")}`);
    for (const tenant of ["default", "acme"]) {
      const own = ledger.forTenant(tenant);
      await own.append((await own.createThread()).id, [user("Hi.")]);
    }
    await ledger.close();
    const tenants = { acme: { tokens: [`sha256:${"a".repeat(64)}`] } };
    const { findings } = await examine(`--port 0 --data ${path}`, config({ tenants }));
    expect(of(findings, "ledger")).toMatchObject({
      state: "ok",
      message: expect.stringMatching(/; 2 threads read, all sound\.$/),
    });
    expect(of(findings, "access")).toMatchObject({ state: "ok", message: "Tokens are asked for; tenants: acme." });
  });

  test.each<[string, (path: string) => Promise<void>, string]>([
    ["that is empty", async (path) => writeFileSync(path, ""), "contains no ledger yet"],
    ["of an older Koine", makeOlder, "has version 1, and this Koine has"],
    ["as it should be", async (path) => (await openLedger(`sqlite:${path}`)).close(), "0 threads read, all sound"],
  ])("%s is told, and stays as it is, with nothing beside it", async (what, make, message) => {
    const within = join(folder, `kept-${what.replaceAll(" ", "-")}`);
    mkdirSync(within, { mode: 0o700 });
    const path = join(within, "koine.db");
    await make(path);
    const before = readFileSync(path);
    const { code, findings } = await examine(`--port 0 --offline --data ${path}`);
    expect(of(findings, "ledger")?.message).toContain(message);
    expect([code, readdirSync(within), readFileSync(path).equals(before)]).toStrictEqual([0, ["koine.db"], true]);
  });

  test("of another program is told, and left as it is", async () => {
    const path = join(folder, "other.db");
    writeFileSync(path, "This is no database, but a text that is long enough to be looked at.");
    const before = readFileSync(path, "utf8");
    const { code, findings } = await examine(`--port 0 --data ${path}`);
    expect(of(findings, "ledger")).toMatchObject({
      state: "fail",
      message: expect.stringContaining("not a SQLite database"),
    });
    expect([code, readFileSync(path, "utf8")]).toStrictEqual([1, before]);
  });

  test("in a folder that others can read is worth a word", async () => {
    const path = join(folder, "open");
    mkdirSync(path);
    chmodSync(path, 0o755);
    const { code, findings } = await examine(`--port 0 --data ${path}`);
    expect(of(findings, "data folder")).toMatchObject({ state: "warn", hint: `chmod 700 ${path}` });
    expect([code, readdirSync(path)]).toStrictEqual([0, []]);
  });

  test("behind a password is named without it", async () => {
    const { text, findings } = await examine("--port 0 --database postgres://me:secret@127.0.0.1:9/koine");
    expect(of(findings, "ledger")).toMatchObject({
      state: "fail",
      message: expect.stringContaining("postgres://127.0.0.1:9/koine"),
    });
    expect(text).not.toContain("secret");
  });
});

describe("the port", () => {
  test("of a server of Koine's is fine, with and without tokens", async () => {
    const token = { hash: "a".repeat(64), name: "t" };
    for (const tenants of [new Map(), new Map([["acme", { tokens: [token] }]])]) {
      await using server = await startKoine({ tenants });
      const { findings } = await examine(`--port ${new URL(server.url).port} --offline`);
      expect(of(findings, "port")).toMatchObject({
        state: "ok",
        message: expect.stringContaining("A server of Koine's"),
      });
    }
  });

  test("of another program is in the way", async () => {
    const other = createServer((_, response) => response.end("hello"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { code, findings } = await examine(`--port ${(other.address() as AddressInfo).port} --offline`);
    other.close();
    expect(of(findings, "port")).toMatchObject({
      state: "fail",
      message: expect.stringContaining("in use by another program"),
    });
    expect(code).toBe(1);
  });
});

test("a door that is open to others is told", async () => {
  const { findings } = await examine("--port 0 --offline --host 0.0.0.0");
  expect(of(findings, "access")).toMatchObject({ state: "fail", hint: expect.stringContaining("koine token create") });
});

test("MCP servers are started, and asked for their tools", async () => {
  const mcpServers = { broken: { command: process.execPath, args: ["-e", "process.exit(3)"] } };
  const { code, findings } = await examine("--port 0", config({ tasks: { mcpServers } }));
  expect(of(findings, "tools broken")).toMatchObject({ state: "fail" });
  expect(code).toBe(1);
});

test.each([
  ["before Koine was made", Date.UTC(1970, 0, 2), [], "fail"],
  ["as providers say", Date.UTC(2026, 5, 1), [{ said: 1000, at: 2000 }], "ok"],
  ["two minutes off", Date.UTC(2026, 5, 1), [{ said: 0, at: 120_000 }], "warn"],
  [
    "off by what one of three says",
    Date.UTC(2026, 5, 1),
    [
      { said: 0, at: 9e9 },
      { said: 1, at: 1 },
      { said: 1, at: 1 },
    ],
    "ok",
  ],
  ["nobody else's to say", Date.UTC(2026, 5, 1), [], "ok"],
])("a clock that is %s", (_sentence, now, dates, state) => {
  expect(checkClock(now, dates).state).toBe(state);
});

test("a time that is none is a mistake of the command line", async () => {
  expect(await koine("doctor --timeout soon")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--timeout is a number"),
  });
});
