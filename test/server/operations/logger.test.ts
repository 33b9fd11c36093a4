// Log lines: one per event, readable, and without secrets.
import { describe, expect, test } from "vitest";
import { openLedger } from "../../../src/ledger/index.ts";
import { createLogger } from "../../../src/server/operations/logger.ts";
import { createRedactor } from "../../../src/server/operations/redact.ts";
import type { LoggerOptions } from "../../../src/server/operations/logger.ts";
import { startRoutes } from "../support/start-koine.ts";
import { json, route } from "../support/test-routes.ts";

type Settings = LoggerOptions["settings"];
function logging(settings: Settings, secrets: string[] = []): ReturnType<typeof createLogger> & { lines(): string[] } {
  let text = "";
  const clock = (): number => Date.UTC(2026, 0, 2, 3, 4, 5);
  const logger = createLogger({ settings, clock, write: (more) => (text += more), redact: createRedactor(secrets) });
  const lines = (): string[] => {
    logger.flush();
    return text.split("\n").slice(0, -1);
  };
  return { ...logger, lines };
}

describe("a log", () => {
  test("in JSON has one object per line", () => {
    const log = logging({ level: "debug", format: "json" });
    log.debug("a");
    log.info("b", { n: 1, yes: true, left: undefined, text: "two\nlines" });
    expect(log.lines().map((line) => JSON.parse(line))).toStrictEqual([
      { time: "2026-01-02T03:04:05.000Z", level: "debug", event: "a" },
      { time: "2026-01-02T03:04:05.000Z", level: "info", event: "b", n: 1, yes: true, text: "two\nlines" },
    ]);
  });

  test("in text has one line per event, for any field value", () => {
    const log = logging({ level: "info", format: "text" });
    log.warn("odd", { path: "/v1/x", text: 'a "b"\nc' });
    expect(log.lines()).toStrictEqual(['2026-01-02T03:04:05.000Z warn  odd path=/v1/x text="a \\"b\\"\\nc"']);
  });

  test.each<[Settings["level"], string[]]>([
    ["debug", ["debug", "info", "warn", "error"]],
    ["info", ["info", "warn", "error"]],
    ["warn", ["warn", "error"]],
    ["error", ["error"]],
    ["silent", []],
  ])("at level %s has %j", (level, expected) => {
    const log = logging({ level, format: "json" });
    for (const each of ["debug", "info", "warn", "error"] as const) log[each](each);
    expect(log.lines().map((line) => (JSON.parse(line) as { level: string }).level)).toStrictEqual(expected);
  });

  test("has errors with their cause and stack", () => {
    const log = logging({ level: "info", format: "json" });
    log.error("failed", { id: "r1" }, new TypeError("bad", { cause: new Error("because") }));
    expect(JSON.parse(log.lines()[0] ?? "")).toMatchObject({
      id: "r1",
      error: "bad",
      errorName: "TypeError",
      because: "Error: because",
      stack: expect.stringContaining("logger.test.ts"),
    });
  });
});

describe("never in a log", () => {
  test.each<[string, string, string]>([
    ["a known key", "field", "it was my-own-odd-secret here"],
    ["OpenAI's keys", "field", "Incorrect API key provided: sk-proj-abcdefghijklmnop1234"],
    ["Anthropic's keys", "field", "sk-ant-api03-abcdefghijklmnop"],
    ["Google's keys", "field", "AIzaSyA1234567890abcdefghijklmnop"],
    ["Koine's tokens", "field", "koine_AbCdEfGh1234567890"],
    ["bearer headers", "field", "authorization: Bearer abc.def-ghi"],
    ["web tokens", "field", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln"],
    ["keys in a query", "url", "https://host/v1beta/models?key=verysecret&alt=sse"],
    ["passwords in a URL", "url", "postgres://user:verysecret@db/koine"],
    ["fields with the name of a secret", "Authorization", "header-secret"],
    ["cookies", "cookie", "header-secret"],
  ])("%s", (_what, name, text) => {
    const log = logging({ level: "info", format: "json" }, ["my-own-odd-secret"]);
    log.info("event", { [name]: text });
    log.error("event", {}, Object.assign(new Error(name === "field" ? text : "x"), { name: "Odd" }));
    const shown = log.lines().join("\n");
    expect(shown).toContain("[hidden]");
    expect(shown).not.toMatch(/my-own-odd|proj-abc|api03|AIzaSy|AbCdEf|abc\.def|eyJ|verysecret|header-secret/);
  });

  test("input of the server: keys in headers and queries, bodies", async () => {
    let text = "";
    const routes = [
      route("POST", "/fail", async (request) => {
        await request.body();
        throw new Error("inside");
      }),
      route("GET", "/fine", () => json({})),
    ];
    const server = await startRoutes(
      routes,
      { log: { level: "debug", format: "json" } },
      { write: (more) => (text += more) },
    );
    const headers = { authorization: "Bearer tok-in-header", "x-api-key": "tok-in-key" };
    const failed = await fetch(`${server.url}/fail?key=tok-in-query`, {
      method: "POST",
      body: "private-content",
      headers,
    });
    await fetch(`${server.url}/fine?key=tok-in-query`, { headers });
    await server.close();
    expect(failed.status).toBe(500);
    expect(await failed.text()).not.toContain("inside");
    const lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const id = failed.headers.get("x-request-id");
    expect(lines.find((line) => line["id"] === id)).toMatchObject({
      level: "error",
      event: "request",
      error: "inside",
      status: 500,
    });
    expect(lines.find((line) => line["route"] === "GET /fine")).toMatchObject({
      level: "info",
      status: 200,
      tenant: "default",
    });
    expect(text).not.toMatch(/tok-in|private-content/);
  });
});

test.each([
  ["in the authority", "postgres://me:s3cret-word@h/d"],
  ["with a bare percent sign", "postgres://h/d?user=me&password=s3cret-word%"],
  ["in the query", "postgres://h/d?user=me&password=s3cret-word"],
  ["in the query, escaped", "postgres://h/d?password=s3cret%2Dword"],
])("a database's password %s is never logged", async (_where, url) => {
  let log = "";
  const ledger = await openLedger("memory:");
  const settings = { ledger: { url }, log: { level: "info", format: "json" } as const };
  const server = await startRoutes([], settings, { ledger, write: (lines) => (log += lines) });
  server.services.log.info("entry", { text: `it is s3cret-word${url.endsWith("%") ? "%" : ""}` });
  await server.close();
  expect(log).toContain("entry");
  expect(log).not.toContain("s3cret-word");
});
