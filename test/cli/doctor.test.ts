// Tests `koine doctor`: its findings, and that it writes nothing and prints no key.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import type { DoctorFinding } from "../../src/cli/doctor/finding.ts";
import { checkClock } from "../../src/cli/doctor/machine.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { user } from "../../src/model/index.ts";
import { startKoine } from "../server/support/start-koine.ts";
import type { CommandSetup } from "./support.ts";
import { koine } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-doctor-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function runDoctor(
  args: string,
  setup: CommandSetup = {},
): Promise<{ code: number; findings: DoctorFinding[]; text: string }> {
  const { code, stdout } = await koine(`doctor --json ${args}`, { clock: Date.now, ...setup });
  return { code, findings: (JSON.parse(stdout) as { findings: DoctorFinding[] }).findings, text: stdout };
}

const findFinding = (findings: readonly DoctorFinding[], name: string): DoctorFinding | undefined =>
  findings.find((each) => each.name === name);
const withConfig = (settings: object): CommandSetup => ({ files: { "koine.config.json": JSON.stringify(settings) } });

/** Creates a ledger file with an older schema version. */
async function createOldLedger(path: string): Promise<void> {
  await (await openLedger(`sqlite:${path}`)).close();
  const database = new DatabaseSync(path);
  database.exec("PRAGMA user_version = 1");
  database.close();
}

test("a machine without problems has only ok findings, and nothing is written", async () => {
  const { code, stdout, files } = await koine("doctor --port 0", { clock: Date.now });
  expect(stdout).toMatch(/^ok {4}node {11}Node \d+/);
  expect(stdout).toContain("\nok    provider demo  Runs inside Koine: koine.\n");
  expect(stdout).toMatch(/\nNo problems found\.\n$/);
  expect({ code, files }).toStrictEqual({ code: 0, files: "" });
});

test("each mistake in the settings is a finding", async () => {
  const { code, findings } = await runDoctor("", withConfig({ prot: 1, log: "loud" }));
  expect(code).toBe(1);
  expect(findings.map(({ name, state }) => `${name} ${state}`)).toStrictEqual([
    "node ok",
    "settings fail",
    "settings fail",
  ]);
  expect(findings[1]?.message).toContain('/prot is not a setting. Did you mean "port"?');
});

describe("providers", () => {
  const servers: Server[] = [];
  afterAll(() => servers.forEach((server) => server.close()));
  const requests: string[] = [];

  async function startProvider(status: number, headers: Record<string, string> = {}): Promise<string> {
    const server = createServer((request, response) => {
      const key = request.headers.authorization ?? String(request.headers["x-api-key"]);
      requests.push(`${request.method} ${request.url} ${key}`);
      response.writeHead(status, headers).end("{}");
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test("are requested with their keys, and the keys are not printed", async () => {
    const [chat, anthropic] = [await startProvider(200), await startProvider(200)];
    const { code, findings, text } = await runDoctor(
      "--port 0",
      withConfig({
        providers: {
          a: { dialect: "openai-chat", baseUrl: `${chat}/v1`, apiKey: "sk-secret" },
          b: { dialect: "anthropic", baseUrl: anthropic, apiKey: "sk-secret" },
        },
      }),
    );
    expect(requests.toSorted()).toStrictEqual(["GET /v1/models Bearer sk-secret", "GET /v1/models sk-secret"]);
    expect(findFinding(findings, "provider a")).toMatchObject({
      state: "ok",
      message: expect.stringMatching(/accepts the key/),
    });
    expect(findFinding(findings, "clock")?.message).toContain("in agreement with the providers");
    expect(code).toBe(0);
    expect(text).not.toContain("sk-secret");
  });

  test.each([
    [401, "fail", "rejects the key (401)"],
    [403, "fail", "rejects the key (403)"],
    [404, "ok", "answers (404)"],
    [302, "warn", "redirects to another address (302)"],
    [503, "warn", "reports a server error (503)"],
  ])("with the status %i are a finding: %s", async (status, state, message) => {
    const baseUrl = await startProvider(status, { location: "http://127.0.0.1:9/" });
    const local = { dialect: "openai-chat", baseUrl: `${baseUrl}/v1`, apiKey: "sk-secret" };
    const { code, findings } = await runDoctor("--port 0", withConfig({ providers: { local } }));
    expect(findFinding(findings, "provider local")).toMatchObject({
      state,
      message: expect.stringContaining(message) as string,
    });
    expect(code).toBe(state === "fail" ? 1 : 0);
  });

  test("that cannot be reached are reported, unless --offline is set", async () => {
    const unreachable = await startProvider(200);
    servers.at(-1)?.close();
    const setting = withConfig({
      providers: { local: { dialect: "gemini", baseUrl: unreachable, apiKey: "sk-secret" } },
    });
    const { findings, text } = await runDoctor("--port 0", setting);
    expect(findFinding(findings, "provider local")).toMatchObject({
      state: "fail",
      message: expect.stringMatching(/^Cannot be reached: .*ECONNREFUSED/),
    });
    expect(text).not.toContain("sk-secret");
    const offline = await runDoctor("--port 0 --offline", setting);
    expect(findFinding(offline.findings, "provider local")).toBeUndefined();
    expect(offline.code).toBe(0);
  });

  test("that do not reply are reported after the time limit", async () => {
    const server = createServer(() => undefined);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const { findings } = await runDoctor(
      "--port 0 --timeout 0.1",
      withConfig({ providers: { a: { dialect: "openai-chat", baseUrl } } }),
    );
    expect(findFinding(findings, "provider a")?.message).toBe("Cannot be reached: no reply within 100 ms.");
    server.closeAllConnections();
  });
});

describe("the ledger", () => {
  test("is opened, and a sample of its threads is read", async () => {
    const path = join(folder, "sound");
    mkdirSync(path, { mode: 0o700 });
    const ledger = await openLedger(`sqlite:${join(path, "koine.db")}`);
    for (const tenant of ["default", "acme"]) {
      const tenantLedger = ledger.forTenant(tenant);
      await tenantLedger.append((await tenantLedger.createThread()).id, [user("Hi.")]);
    }
    await ledger.close();
    const tenants = { acme: { tokens: [`sha256:${"a".repeat(64)}`] } };
    const { findings } = await runDoctor(`--port 0 --data ${path}`, withConfig({ tenants }));
    expect(findFinding(findings, "ledger")).toMatchObject({
      state: "ok",
      message: expect.stringMatching(/; 2 threads read, no problems\.$/),
    });
    expect(findFinding(findings, "access")).toMatchObject({
      state: "ok",
      message: "Clients need a token; tenants: acme.",
    });
  });

  test.each<[string, (path: string) => Promise<void>, string]>([
    ["that is empty", async (path) => writeFileSync(path, ""), "contains no ledger yet"],
    ["of an older Koine", createOldLedger, "has version 1; this Koine needs"],
    ["without problems", async (path) => (await openLedger(`sqlite:${path}`)).close(), "0 threads read, no problems"],
  ])("%s is reported and not changed, and no other file is created", async (description, create, message) => {
    const within = join(folder, `ledger-${description.replaceAll(" ", "-")}`);
    mkdirSync(within, { mode: 0o700 });
    const path = join(within, "koine.db");
    await create(path);
    const before = readFileSync(path);
    const { code, findings } = await runDoctor(`--port 0 --offline --data ${path}`);
    expect(findFinding(findings, "ledger")?.message).toContain(message);
    expect([code, readdirSync(within), readFileSync(path).equals(before)]).toStrictEqual([0, ["koine.db"], true]);
  });

  test("of another program is reported and not changed", async () => {
    const path = join(folder, "other.db");
    writeFileSync(path, "This text is not a database, but it is long enough for the check of the header.");
    const before = readFileSync(path, "utf8");
    const { code, findings } = await runDoctor(`--port 0 --data ${path}`);
    expect(findFinding(findings, "ledger")).toMatchObject({
      state: "fail",
      message: expect.stringContaining("not a SQLite database"),
    });
    expect([code, readFileSync(path, "utf8")]).toStrictEqual([1, before]);
  });

  test("in a folder that others can read gives a warning", async () => {
    const path = join(folder, "open");
    mkdirSync(path);
    chmodSync(path, 0o755);
    const { code, findings } = await runDoctor(`--port 0 --data ${path}`);
    expect(findFinding(findings, "data folder")).toMatchObject({ state: "warn", hint: `chmod 700 ${path}` });
    expect([code, readdirSync(path)]).toStrictEqual([0, []]);
  });

  test("with a password in its URL is printed without it", async () => {
    const { text, findings } = await runDoctor("--port 0 --database postgres://me:secret@127.0.0.1:9/koine");
    expect(findFinding(findings, "ledger")).toMatchObject({
      state: "fail",
      message: expect.stringContaining("postgres://127.0.0.1:9/koine"),
    });
    expect(text).not.toContain("secret");
  });
});

describe("the port", () => {
  test("of a running Koine server is ok, with and without tokens", async () => {
    const token = { hash: `sha256:${"a".repeat(64)}`, name: "t" };
    for (const tenants of [{}, { acme: { tokens: [token] } }]) {
      await using server = await startKoine({ tenants });
      const { findings } = await runDoctor(`--port ${new URL(server.url).port} --offline`);
      expect(findFinding(findings, "port")).toMatchObject({
        state: "ok",
        message: expect.stringContaining("A Koine server"),
      });
    }
  });

  test("of another program is a failure", async () => {
    const other = createServer((_, response) => response.end("hello"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { code, findings } = await runDoctor(`--port ${(other.address() as AddressInfo).port} --offline`);
    other.close();
    expect(findFinding(findings, "port")).toMatchObject({
      state: "fail",
      message: expect.stringContaining("in use by another program"),
    });
    expect(code).toBe(1);
  });
});

test("an address that other machines can reach without a token is a failure", async () => {
  const { findings } = await runDoctor("--port 0 --offline --host 0.0.0.0");
  expect(findFinding(findings, "access")).toMatchObject({
    state: "fail",
    hint: expect.stringContaining("koine token create"),
  });
});

test("MCP servers are started, and their tools are listed", async () => {
  const mcpServers = { broken: { command: process.execPath, args: ["-e", "process.exit(3)"] } };
  const { code, findings } = await runDoctor("--port 0", withConfig({ tasks: { mcpServers } }));
  expect(findFinding(findings, "tools broken")).toMatchObject({ state: "fail" });
  expect(code).toBe(1);
});

test.each([
  ["earlier than Koine", Date.UTC(1970, 0, 2), [], "fail"],
  ["in agreement with the providers", Date.UTC(2026, 5, 1), [{ serverTime: 1000, receivedAt: 2000 }], "ok"],
  ["two minutes off", Date.UTC(2026, 5, 1), [{ serverTime: 0, receivedAt: 120_000 }], "warn"],
  [
    "different from one of three providers",
    Date.UTC(2026, 5, 1),
    [
      { serverTime: 0, receivedAt: 9e9 },
      { serverTime: 1, receivedAt: 1 },
      { serverTime: 1, receivedAt: 1 },
    ],
    "ok",
  ],
  ["not compared", Date.UTC(2026, 5, 1), [], "ok"],
])("a clock that is %s", (_sentence, now, dates, state) => {
  expect(checkClock(now, dates).state).toBe(state);
});

test("an invalid --timeout is a usage error", async () => {
  expect(await koine("doctor --timeout soon")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--timeout must be a number"),
  });
});
