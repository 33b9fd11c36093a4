// koine.config.json: every mistake has a path and a remedy, and the JSON Schema agrees with the reader.
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { CONFIG_FILE } from "../../../src/server/config/file-settings.ts";
import { completeConfig } from "../../../src/server/config/defaults.ts";
import { ConfigError, configSchema } from "../../../src/server/config/index.ts";
import { Mistakes } from "../../../src/server/config/mistakes.ts";
import { readSetting } from "../../../src/server/config/read-setting.ts";
import { findSimilarName } from "../../../src/server/config/similar-name.ts";
import { walkJson, replaceAt } from "../../../src/testkit/json/json-nodes.ts";
import { mistakesOf, read, SHA } from "../support/config-files.ts";

/** All settings, each with a value that is not its default. */
const EVERYTHING = {
  $schema: "./koine.config.schema.json",
  host: "0.0.0.0",
  port: 5000,
  data: "team",
  ledger: { url: "memory:", sync: "normal", flushMs: 0, leaseMs: 1000, connections: 3 },
  providers: {
    demo: false,
    local: {
      dialect: "openai-chat",
      baseUrl: "http://127.0.0.1:11434/v1",
      apiKey: "key",
      vendor: "ollama",
      issuer: "home",
      headers: { "x-team": "a" },
      query: { v: "1" },
      timeouts: { connectMs: 1, replyMs: 2, totalMs: 3, gapMs: 4 },
      retry: { attempts: 1, baseMs: 0, maxMs: 0, retryAfterCapMs: 0 },
    },
    answers: { preset: "openai", apiKey: "key", state: "resend", store: false },
    aws: { dialect: "bedrock", apiKey: "key", region: "eu-west-1" },
  },
  defaultProvider: "local",
  models: {
    fast: ["local/small", "answers/gpt-5-mini"],
    "gpt-*": "answers/*",
    slow: { to: "local/large", timeouts: { totalMs: 60_000 }, retry: { attempts: 2 } },
  },
  prices: {
    "local/*": {
      input: 1,
      output: 2,
      reasoning: 3,
      cacheRead: 0.1,
      cacheWrite5m: 1.25,
      cacheWrite1h: 2,
      tiers: [
        { aboveInputTokens: 9, input: 1, output: 2, reasoning: 3, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 },
      ],
    },
  },
  record: { enabled: false, onFailure: "serve", maxWaitMs: 1 },
  tasks: {
    model: "fast",
    instructions: "Be brief.",
    maxSteps: 3,
    toolTimeoutMs: 1000,
    mcpServers: {
      files: {
        type: "stdio",
        command: "npx",
        args: ["files"],
        env: { A: "b" },
        cwd: "tools",
        prefix: "f_",
        retry: "safe",
        trustHints: true,
        timeouts: { connectMs: 1, callMs: 2, gapMs: 3 },
      },
      web: { type: "http", url: "https://tools.example/mcp", headers: { a: "b" }, retry: { get: "safe" } },
      off: { command: "x", disabled: true },
    },
  },
  tenants: { acme: { tokens: [SHA("a"), { hash: SHA("b"), name: "build" }], maxOpen: 5 } },
  unprotected: true,
  limits: {
    bodyBytes: 1,
    importBytes: 11,
    depth: 2,
    headers: 3,
    headerBytes: 4,
    headersMs: 5,
    requestMs: 6,
    idleMs: 7,
    stallMs: 8,
    open: 9,
    connections: 10,
  },
  hosts: ["koine.example", "[::1]", "*"],
  origins: ["https://app.example", "*"],
  heartbeatMs: 1000,
  drainMs: 0,
  lameDuckMs: 5,
  log: { level: "debug", format: "text" },
  telemetry: { url: "http://127.0.0.1:4318", headers: { a: "b" }, serviceName: "team" },
};

test("a file may contain every setting", async () => {
  const config = await read(EVERYTHING);
  expect(config).toMatchObject({
    host: "0.0.0.0",
    port: 5000,
    heartbeatMs: 1000,
    drainMs: 0,
    lameDuckMs: 5,
    defaultProvider: "local",
    unprotected: true,
    ledger: { url: "memory:", sync: "normal", flushMs: 0, leaseMs: 1000, connections: 3 },
    record: { enabled: false, onFailure: "serve", maxWaitMs: 1 },
    limits: EVERYTHING.limits,
    log: { level: "debug", format: "text" },
    telemetry: { url: "http://127.0.0.1:4318/v1/traces", headers: { a: "b" }, serviceName: "team" },
    prices: EVERYTHING.prices,
  });
  expect(Object.keys(config.providers)).toStrictEqual(["local", "answers", "aws"]);
  expect(config.providers["answers"]).toMatchObject({ dialect: "openai-responses", store: false });
  expect(config.tasks.mcpServers.map(({ name }) => name)).toStrictEqual(["files", "web"]);
});

test("EVERYTHING contains every setting", () => {
  const named = new Set([...walkJson(EVERYTHING)].map(({ keys }) => keys.at(-1)));
  const settings = [...walkJson(configSchema())].filter(({ keys }) => keys.at(-2) === "properties");
  expect(settings.length).toBeGreaterThan(80);
  expect(settings.map(({ keys }) => keys.at(-1)).filter((name) => !named.has(name))).toStrictEqual([]);
});

test("docs/server.md names every setting of the file", () => {
  const page = readFileSync("docs/server.md", "utf8");
  const [section = ""] = page.split("\n## Configuration\n")[1]?.split("\n## ") ?? [];
  for (const name of Object.keys(CONFIG_FILE.kind === "fields" ? CONFIG_FILE.optional : {})) {
    if (name !== "$schema") expect(section).toContain(`\`${name}\``);
  }
});

describe("koine.config.schema.json", () => {
  const isValid = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(configSchema());
  const isRead = (value: unknown): boolean => {
    const mistakes = new Mistakes();
    readSetting(CONFIG_FILE, value, "", { env: {}, mistakes });
    return !mistakes.any;
  };

  test("is up to date", () => {
    expect(JSON.parse(readFileSync("koine.config.schema.json", "utf8"))).toStrictEqual(configSchema());
  });

  test("agrees with the reader on a file with one odd value anywhere", () => {
    const ODD = [null, 0, -1, 1.5, 70_000, "", "odd", "a/b", true, false, [], {}, ["a/b"], { odd: 1 }, [{}]];
    let refused = 0;
    for (const { keys } of walkJson(EVERYTHING)) {
      for (const odd of ODD) {
        const mutant = replaceAt(EVERYTHING, keys, odd);
        const verdict = isValid(mutant);
        if (verdict !== isRead(mutant)) expect({ keys, odd, schema: isValid.errors }).toBe("the same verdict");
        if (!verdict) refused++;
      }
    }
    expect(isValid(EVERYTHING)).toBe(true);
    expect(refused).toBeGreaterThan(500);
  });

  test("accepts a variable for any scalar value", () => {
    expect(isValid({ port: "$PORT", record: { enabled: "${ON}" }, log: "$LEVEL" })).toBe(true);
    expect(isValid({ record: "$ON", telemetry: "$ON", providers: { openai: "$ON" } })).toBe(true);
    expect(isValid({ port: "$$5" })).toBe(false);
  });
});

const local = { dialect: "openai-chat", baseUrl: "http://127.0.0.1:1/v1" };

test.each<[sentence: string, file: unknown, path: string, message: string]>([
  ["a misspelt setting", { prot: 1 }, "/prot", 'is not a setting. Did you mean "port"? Available: '],
  ["a setting in another spelling", { default_provider: "a" }, "/default_provider", 'Did you mean "defaultProvider"?'],
  ["a setting like no other", { colour: 1 }, "/colour", "is not a setting. Available: "],
  ["a number as text", { port: "80" }, "/port", "must be a whole number from 0 to 65535; it is a string."],
  ["a number out of range", { port: 70_000 }, "/port", "must be a whole number from 0 to 65535."],
  [
    "a value outside of its list",
    { log: "loud" },
    "/log",
    'must be one of "debug", "info", "warn", "error", "silent".',
  ],
  ["a list for an object", { providers: [] }, "/providers", "must be an object; it is a list."],
  ["a file that is a list", [], "", "must be an object; it is a list."],
  ["a provider without a dialect", { providers: { a: {} } }, "/providers/a/dialect", 'or a "preset"'],
  [
    "a provider at another's address",
    { providers: { a: { ...local, baseUrl: "http://h/v1/messages" } } },
    "/providers/a/baseUrl",
    "is an endpoint of anthropic, not of openai-chat",
  ],
  ["an official address without a key", { providers: { a: { preset: "groq" } } }, "/providers/a/apiKey", "is missing"],
  ["a provider whose name has a slash", { providers: { "a/b": local } }, "/providers/a~1b", "without slashes"],
  ["a provider whose name no header takes", { providers: { 日本: local } }, "/providers/日本", "must be ASCII letters"],
  ["a rule without a provider", { models: { fast: "gpt" } }, "/models/fast", 'must be a model as "provider/model".'],
  [
    "a rule to a provider that is not there",
    { providers: { local }, models: { fast: ["loacl/x"] } },
    "/models/fast/0",
    'has the unknown provider "loacl" (is its key set?). Did you mean "local"? Available: demo, local.',
  ],
  ["a rule to nowhere", { models: { fast: [] } }, "/models/fast", "is an empty list; add at least one element."],
  ["a rule with two stars", { models: { "*-*": "demo/*" } }, "/models/*-*", 'has more than one "*"'],
  ["a star with nothing to repeat", { models: { a: { to: "demo/*" } } }, "/models/a/to", "the model name has none"],
  [
    "a default provider that is not there",
    { defaultProvider: "x" },
    "/defaultProvider",
    'has the unknown provider "x"',
  ],
  ["an unknown model of tasks", { tasks: { model: "x/y" } }, "/tasks/model", "is not an available model"],
  [
    "a tenant without tokens",
    { tenants: { a: {} } },
    "/tenants/a/tokens",
    "is empty, so the tenant cannot be used: add a token.",
  ],
  [
    "a token that is not hashed",
    { tenants: { a: { tokens: ["koine_abc"] } } },
    "/tenants/a/tokens/0",
    'must be "sha256:" and 64 hex digits. Run "koine token hash"',
  ],
  [
    "a token of two tenants",
    { tenants: { a: { tokens: [SHA("a")] }, b: { tokens: [SHA("A")] } } },
    "/tenants/b/tokens/0",
    'is also a token of "a"',
  ],
  [
    "an MCP server that is neither",
    { tasks: { mcpServers: { a: {} } } },
    "/tasks/mcpServers/a",
    'must have exactly one of "command", "url".',
  ],
  [
    "an MCP server with the other's settings",
    { tasks: { mcpServers: { a: { url: "http://h/", args: [] } } } },
    "/tasks/mcpServers/a/args",
    'is only valid with "command".',
  ],
  [
    "an MCP server of the wrong type",
    { tasks: { mcpServers: { a: { type: "http", command: "x" } } } },
    "/tasks/mcpServers/a/type",
    'must be "stdio" for a command.',
  ],
  ["a price without an output", { prices: { a: { input: 1 } } }, "/prices/a/output", "is missing"],
  [
    "a tier that leaves a rate out",
    { prices: { a: { input: 1, output: 1, cacheRead: 1, tiers: [{ aboveInputTokens: 1, input: 1, output: 1 }] } } },
    "/prices/a/tiers/0/cacheRead",
    "the price has this rate",
  ],
  ["a database that is none", { ledger: "mysql://u:secret@h" }, "/ledger", 'must be "sqlite:path/to/file.db"'],
  ["the same in an object", { ledger: { url: "koine.db" } }, "/ledger/url", 'must be "sqlite:path/to/file.db"'],
  ["a bare percent sign", { ledger: "postgres://u:50%secret@h/d" }, "/ledger", 'write "%25" for a percent sign'],
  ["an address with bare signs", { ledger: "postgres://u:se/cret@h/d" }, "/ledger", '"/" as "%2F"'],
  [
    "a time that no timer waits",
    { heartbeatMs: 9_999_999_999 },
    "/heartbeatMs",
    "to 2147483647. The longest duration is 24 days",
  ],
  ["the same among limits", { limits: { stallMs: 2 ** 31 } }, "/limits/stallMs", "from 1 to 2147483647"],
  [
    "the same of a tool",
    { tasks: { mcpServers: { a: { command: "x", timeouts: { callMs: 2 ** 31 } } } } },
    "/tasks/mcpServers/a/timeouts/callMs",
    "from 1 to 2147483647",
  ],
  ["an origin with a path", { origins: ["https://a.example/"] }, "/origins/0", "without a path"],
  ["a host with a scheme", { hosts: ["https://a.example"] }, "/hosts/0", "without https:// and port"],
  ["a nesting depth beyond the parser's limit", { limits: { depth: 5000 } }, "/limits/depth", "from 1 to 1000"],
  ["telemetry that is on", { telemetry: true }, "/telemetry", "must be false, or an object; it is a boolean."],
])("%s is reported with its path", async (_sentence, file, path, message) => {
  const mistakes = await mistakesOf(file);
  expect(mistakes.map((each) => each.path)).toStrictEqual([path]);
  expect(mistakes[0]?.message).toContain(message);
  expect(JSON.stringify(mistakes)).not.toContain("secret");
});

test("all mistakes are reported together, each once", async () => {
  const mistakes = await mistakesOf({
    port: "x",
    providers: { a: { dialect: "nope" } },
    models: { b: "a/x", c: "zzz/x" },
    tenants: { t: { tokens: ["x"] } },
  });
  expect(mistakes.map(({ path }) => path)).toStrictEqual([
    "/port",
    "/providers/a/dialect",
    "/tenants/t/tokens/0",
    "/models/c",
  ]);
});

test.each([
  ["prot", ["port", "host"], "port"],
  ["apikey", ["apiKey", "dialect"], "apiKey"],
  ["base_url", ["baseUrl"], "baseUrl"],
  ["abc", ["xyz"], undefined],
  ["to", ["of"], undefined],
])("%s is corrected to one of %j: %s", (name, known, expected) => {
  expect(findSimilarName(name, known)).toBe(expected);
});

test("an invalid duration is rejected in code too, together with all others", () => {
  const rule = { pattern: "a", targets: ["demo/koine"], timeouts: { totalMs: 1e10, replyMs: Infinity } } as const;
  const complete = (): unknown =>
    completeConfig({
      heartbeatMs: 0,
      drainMs: 0,
      limits: { idleMs: 1e10 },
      ledger: { leaseMs: 1e10, flushMs: 0 },
      record: { maxWaitMs: Number.NaN },
      tasks: { toolTimeoutMs: 1e10, mcpServers: [{ name: "m", command: "x", timeouts: { callMs: 1e10 } }] },
      models: [rule],
    });
  expect(
    thrownBy(complete)
      .mistakes.map(({ path }) => path)
      .toSorted(),
  ).toStrictEqual([
    "/heartbeatMs",
    "/ledger/leaseMs",
    "/limits/idleMs",
    "/models/a/timeouts/totalMs",
    "/record/maxWaitMs",
    "/tasks/mcpServers/m/timeouts/callMs",
    "/tasks/toolTimeoutMs",
  ]);
});

function thrownBy(step: () => unknown): ConfigError {
  try {
    step();
  } catch (error) {
    if (error instanceof ConfigError) return error;
  }
  throw new Error("Nothing was thrown.");
}
