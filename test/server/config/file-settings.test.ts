// koine.config.json: every mistake has a path and a remedy, and the JSON Schema agrees with the reader.
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { CONFIG_FILE } from "../../../src/server/config/file-settings.ts";
import { configSchema } from "../../../src/server/config/index.ts";
import { Mistakes } from "../../../src/server/config/mistakes.ts";
import { readSetting } from "../../../src/server/config/read-setting.ts";
import { findSimilarName } from "../../../src/server/config/similar-name.ts";
import { walkJson, replaceAt } from "../../../src/testkit/json/json-nodes.ts";
import { mistakesOf, read, SHA } from "../support/config-files.ts";
import { EVERY_SETTING } from "../support/every-setting.ts";

test("a file may contain every setting", async () => {
  const config = await read(EVERY_SETTING);
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
    limits: EVERY_SETTING.limits,
    log: { level: "debug", format: "text" },
    telemetry: { url: "http://127.0.0.1:4318/v1/traces", headers: { a: "b" }, serviceName: "team" },
    prices: EVERY_SETTING.prices,
  });
  expect(Object.keys(config.providers)).toStrictEqual(["local", "answers", "aws"]);
  expect(config.providers["answers"]).toMatchObject({ dialect: "openai-responses", store: false });
  expect(config.tasks.mcpServers.map(({ name }) => name)).toStrictEqual(["files", "web"]);
});

test("EVERY_SETTING contains every setting", () => {
  const named = new Set([...walkJson(EVERY_SETTING)].map(({ keys }) => keys.at(-1)));
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
    for (const { keys } of walkJson(EVERY_SETTING)) {
      for (const odd of ODD) {
        const mutant = replaceAt(EVERY_SETTING, keys, odd);
        const verdict = isValid(mutant);
        if (verdict !== isRead(mutant)) expect({ keys, odd, schema: isValid.errors }).toBe("the same verdict");
        if (!verdict) refused++;
      }
    }
    expect(isValid(EVERY_SETTING)).toBe(true);
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
  ["an unknown setting", { colour: 1 }, "/colour", "is not a setting. Available: "],
  ["a number as text", { port: "80" }, "/port", "must be a whole number from 0 to 65535; it is a string."],
  ["a number out of range", { port: 70_000 }, "/port", "must be a whole number from 0 to 65535."],
  ["a value outside its list", { log: "loud" }, "/log", 'must be one of "debug", "info", "warn", "error", "silent".'],
  ["a list for an object", { providers: [] }, "/providers", "must be an object; it is a list."],
  ["a file that is a list", [], "", "must be an object; it is a list."],
  ["a provider without a dialect", { providers: { a: {} } }, "/providers/a/dialect", 'or a "preset"'],
  [
    "a URL of another dialect",
    { providers: { a: { ...local, baseUrl: "http://h/v1/messages" } } },
    "/providers/a/baseUrl",
    "is an endpoint of anthropic, not of openai-chat",
  ],
  ["an official URL without a key", { providers: { a: { preset: "groq" } } }, "/providers/a/apiKey", "is missing"],
  ["a provider name with a slash", { providers: { "a/b": local } }, "/providers/a~1b", "without slashes"],
  ["a provider name that is not ASCII", { providers: { 日本: local } }, "/providers/日本", "must be ASCII letters"],
  ["a rule without a provider", { models: { fast: "gpt" } }, "/models/fast", 'must be a model as "provider/model".'],
  [
    "a rule with an unknown provider",
    { providers: { local }, models: { fast: ["loacl/x"] } },
    "/models/fast/0",
    'has the unknown provider "loacl" (is its key set?). Did you mean "local"? Available: demo, local.',
  ],
  ["a rule without a target", { models: { fast: [] } }, "/models/fast", "is an empty list; add at least one element."],
  ["a rule with two stars", { models: { "*-*": "demo/*" } }, "/models/*-*", 'has more than one "*"'],
  [
    "a star in the target without one in the name",
    { models: { a: { to: "demo/*" } } },
    "/models/a/to",
    "the model name has none",
  ],
  ["an unknown default provider", { defaultProvider: "x" }, "/defaultProvider", 'has the unknown provider "x"'],
  ["an unknown model of tasks", { tasks: { model: "x/y" } }, "/tasks/model", "is not an available model"],
  [
    "a tenant without tokens",
    { tenants: { a: {} } },
    "/tenants/a/tokens",
    "is empty, so the tenant cannot be used: add a token.",
  ],
  [
    "a token in plain text",
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
    "an MCP server with neither command nor URL",
    { tasks: { mcpServers: { a: {} } } },
    "/tasks/mcpServers/a",
    'must have exactly one of "command", "url".',
  ],
  [
    "an MCP server with settings of the other kind",
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
  ["a price without an output rate", { prices: { a: { input: 1 } } }, "/prices/a/output", "is missing"],
  [
    "a tier without a rate that its price has",
    { prices: { a: { input: 1, output: 1, cacheRead: 1, tiers: [{ aboveInputTokens: 1, input: 1, output: 1 }] } } },
    "/prices/a/tiers/0/cacheRead",
    "the price has this rate",
  ],
  ["an invalid database URL", { ledger: "mysql://u:secret@h" }, "/ledger", 'must be "sqlite:path/to/file.db"'],
  [
    "an invalid database URL in an object",
    { ledger: { url: "koine.db" } },
    "/ledger/url",
    'must be "sqlite:path/to/file.db"',
  ],
  ["a bare percent sign", { ledger: "postgres://u:50%secret@h/d" }, "/ledger", 'write "%25" for a percent sign'],
  ["a database URL with an unescaped slash", { ledger: "postgres://u:se/cret@h/d" }, "/ledger", '"/" as "%2F"'],
  [
    "a duration above the limit of timers",
    { heartbeatMs: 9_999_999_999 },
    "/heartbeatMs",
    "to 2147483647. The longest duration is 24 days",
  ],
  ["a limit above the limit of timers", { limits: { stallMs: 2 ** 31 } }, "/limits/stallMs", "from 1 to 2147483647"],
  [
    "a tool timeout above the limit of timers",
    { tasks: { mcpServers: { a: { command: "x", timeouts: { callMs: 2 ** 31 } } } } },
    "/tasks/mcpServers/a/timeouts/callMs",
    "from 1 to 2147483647",
  ],
  ["an origin with a path", { origins: ["https://a.example/"] }, "/origins/0", "without a path"],
  ["a host with a scheme", { hosts: ["https://a.example"] }, "/hosts/0", "without https:// and port"],
  [
    "a rule without a target",
    { models: { a: {} } },
    "/models/a/to",
    'is missing: it must be a model as "provider/model"',
  ],
  ["an MCP server that is null", { tasks: { mcpServers: { a: null } } }, "/tasks/mcpServers/a", "must be an object"],
  ["a nesting depth beyond the parser's limit", { limits: { depth: 5000 } }, "/limits/depth", "from 1 to 1000"],
  ["telemetry set to true", { telemetry: true }, "/telemetry", "must be false, or an object; it is a boolean."],
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
