// Sources of settings: flags, variables, files and defaults, and their precedence.
import { describe, expect, test } from "vitest";
import type { Sources } from "../support/config-files.ts";
import { failureOf, mistakesOf, read, readIn, SHA } from "../support/config-files.ts";

const NAME = "koine.config.json";

describe("the file", () => {
  test.each([
    ["that is named", { file: "own.json" }, "%/own.json", 1],
    ["that a variable names", { env: { KOINE_CONFIG: "own.json" } }, "%/own.json", 1],
    ["in the data folder", { flags: { data: "team" } }, "%/team/koine.config.json", 2],
    ["in the usual data folder", {}, "%/koine-data/koine.config.json", 3],
    ["in the working folder, if the data folder has none", { flags: { data: "none" } }, `%/${NAME}`, 4],
  ])("%s is read", async (_sentence, sources, path, port) => {
    const files = {
      "own.json": { port: 1 },
      [`team/${NAME}`]: { port: 2 },
      [`koine-data/${NAME}`]: { port: 3 },
      [NAME]: { port: 4 },
    };
    const { config, file } = await readIn(files, sources);
    expect([file, config.port]).toStrictEqual([path, port]);
  });

  test("is optional", async () => {
    const { config, file } = await readIn({});
    expect(file).toBeUndefined();
    expect(config).toMatchObject({ host: "127.0.0.1", port: 4141, data: "%/koine-data" });
    expect(config.ledger.url).toBe("sqlite:%/koine-data/koine.db");
    expect(Object.keys(config.providers)).toStrictEqual(["demo"]);
  });

  test("must exist if it is named", async () => {
    const { message } = await failureOf(() => readIn({}, { file: "own.json" }));
    expect(message).toMatch(/own\.json: The file does not exist: create it, or choose another file\.$/);
  });

  test("with invalid JSON is reported by line and column, without its content", async () => {
    const { message, path } = await failureOf(() => readIn({ [NAME]: '{ "providers": { "a": { "apiKey": "sk-1" "b"' }));
    expect(message).toContain("is not valid JSON: Invalid JSON at line 1, column 42");
    expect(message).not.toContain("sk-1");
    expect(path).toBe("/providers/a/apiKey");
  });

  test("may start with a byte order mark", async () => {
    expect((await readIn({ [NAME]: '\uFEFF{"port": 7}' })).config.port).toBe(7);
  });

  test("has paths relative to its folder; flags have paths relative to the working folder", async () => {
    const tasks = { mcpServers: { a: { command: "x", cwd: "tools" } } };
    const file = { [`team/${NAME}`]: { data: "d", ledger: "sqlite:l.db", tasks } };
    const { config } = await readIn(file, { file: `team/${NAME}` });
    expect([config.data, config.ledger.url]).toStrictEqual(["%/team/d", "sqlite:%/team/l.db"]);
    expect(config.tasks.mcpServers[0]).toMatchObject({ cwd: expect.stringMatching(/\/team\/tools$/) as string });
    const flags = { data: "here", database: "sqlite:f.db" };
    const flagged = (await readIn(file, { file: `team/${NAME}`, flags })).config;
    expect([flagged.data, flagged.ledger.url]).toStrictEqual(["%/here", "sqlite:%/f.db"]);
  });
});

test("flags win over variables, and variables over the file", async () => {
  const file = { host: "h1", port: 1, ledger: "memory:", log: { level: "error", format: "json" } };
  const env = {
    KOINE_HOST: "h2",
    KOINE_PORT: "2",
    KOINE_DATABASE: "postgres://h/d",
    KOINE_LOG: "warn",
    KOINE_DATA: "v",
  };
  const flags = { host: "h3", port: 3, database: "sqlite:x.db", logLevel: "debug", logFormat: "text", data: "f" };
  expect(await read(file)).toMatchObject({ host: "h1", port: 1, log: { level: "error" } });
  expect(await read(file, { env })).toMatchObject({
    host: "h2",
    port: 2,
    data: "%/v",
    ledger: { url: "postgres://h/d" },
    log: { level: "warn", format: "json" },
  });
  expect(await read(file, { env, flags })).toMatchObject({
    host: "h3",
    port: 3,
    data: "%/f",
    ledger: { url: "sqlite:%/x.db" },
    log: { level: "debug", format: "text" },
  });
});

test.each([
  [{ flags: { port: "8o" } }, "--port", "must be a whole number from 0 to 65535."],
  [{ env: { KOINE_PORT: "65536" } }, "KOINE_PORT", "must be a whole number from 0 to 65535."],
  [{ env: { KOINE_LOG: "loud" } }, "KOINE_LOG", "must be one of debug, info, warn, error, silent."],
  [{ flags: { database: "koine.db" } }, "--database", 'must be "sqlite:path/to/file.db", "postgres://…" or "memory:".'],
  [{ env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "nowhere" } }, "OPENAI_BASE_URL", "must be a URL"],
  [{ env: { AZURE_OPENAI_API_KEY: "k" } }, "AZURE_OPENAI_API_KEY", "is set, but AZURE_OPENAI_ENDPOINT is"],
  [{ env: { OTEL_EXPORTER_OTLP_ENDPOINT: "collector" } }, "OTEL_EXPORTER_OTLP_ENDPOINT", "must be a URL"],
  [
    { env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_EXPORTER_OTLP_HEADERS: "a" } },
    "OTEL_EXPORTER_OTLP_HEADERS",
    'must be a list such as "name=value,name=value"',
  ],
])("a mistake outside the file is reported by its name: %j", async (sources, name, message) => {
  const mistakes = await mistakesOf({}, sources);
  expect(mistakes).toHaveLength(1);
  expect(mistakes[0]?.path).toBe(name);
  expect(mistakes[0]?.message).toContain(message);
});

test.each<[sentence: string, file: object, sources: Sources, data: string, url: string]>([
  ["a URL in a variable", {}, { env: { KOINE_DATA: "postgres://h/d" } }, "%/koine-data", "postgres://h/d"],
  ["a file in a flag", {}, { flags: { data: "x/a.db" } }, "%/koine-data", "sqlite:%/x/a.db"],
  ["a URL in the file", { data: "memory:" }, {}, "%/koine-data", "memory:"],
  ["a file in the file", { data: "x/a.sqlite" }, {}, "%/koine-data", "sqlite:%/x/a.sqlite"],
  ["a folder in a variable", {}, { env: { KOINE_DATA: "x" } }, "%/x", "sqlite:%/x/koine.db"],
  [
    "the `ledger` of the same source has precedence",
    { data: "memory:", ledger: "sqlite:b.db" },
    {},
    "%/koine-data",
    "sqlite:%/b.db",
  ],
  [
    "a ledger in a variable has precedence",
    {},
    { env: { KOINE_DATA: "memory:", KOINE_DATABASE: "sqlite:b.db" } },
    "%/koine-data",
    "sqlite:%/b.db",
  ],
  [
    "a source of higher precedence wins over another source's ledger",
    { ledger: "sqlite:b.db" },
    { env: { KOINE_DATABASE: "sqlite:b.db" }, flags: { data: "memory:" } },
    "%/koine-data",
    "memory:",
  ],
])("data may be a database: %s", async (_sentence, file, sources, data, url) => {
  const { config } = await readIn({ "koine.config.json": file }, sources);
  expect([config.data, config.ledger.url]).toStrictEqual([data, url]);
});

describe("variables in texts", () => {
  test.each([
    ["the whole text", "$KEY", "k-1"],
    ["in braces, within a text", "Bearer ${KEY}!", "Bearer k-1!"],
    ["a dollar", "$$KEY costs $5", "$KEY costs $5"],
  ])("%s", async (_sentence, text, expected) => {
    const file = { tasks: { instructions: text } };
    expect((await read(file, { env: { KEY: "k-1" } })).tasks.instructions).toBe(expected);
  });

  test("may be the value of numbers and flags", async () => {
    const file = { port: "$P", record: { enabled: "$R" }, limits: { depth: "${D}" } };
    const config = await read(file, { env: { P: "99", R: "false", D: "8" } });
    expect([config.port, config.record.enabled, config.limits.depth]).toStrictEqual([99, false, 8]);
    expect(await mistakesOf(file, { env: { P: "many", R: "maybe", D: "8" } })).toStrictEqual([
      { path: "/port", message: "must be a whole number from 0 to 65535; it is a string." },
      { path: "/record/enabled", message: "must be true or false; it is a string." },
    ]);
  });

  test("may be a flag where an object is possible", async () => {
    const file = { record: "$R", providers: { demo: "$OFF", a: { dialect: "openai-chat", baseUrl: "http://h/v1" } } };
    const config = await read(file, { env: { R: "false", OFF: "false" } });
    expect([config.record.enabled, Object.keys(config.providers)]).toStrictEqual([false, ["a"]]);
    expect(await mistakesOf({ record: "$R" }, { env: { R: "maybe" } })).toMatchObject([{ path: "/record" }]);
    expect(await mistakesOf({ record: "false" })).toMatchObject([{ path: "/record" }]);
  });

  test.each([
    ["is not set", "$KEY", {}, "reads the variable KEY, which is not set: set it, or write"],
    ["is empty", "$KEY", { KEY: "" }, "reads the variable KEY, which is empty: set it, or write"],
    ["has no name", "${}", {}, "without a variable name"],
  ])("one that %s is reported with path and name", async (_sentence, apiKey, env, message) => {
    const file = { providers: { a: { dialect: "openai-chat", baseUrl: "http://127.0.0.1:1/v1", apiKey } } };
    const mistakes = await mistakesOf(file, { env });
    expect(mistakes.map(({ path }) => path)).toStrictEqual(["/providers/a/apiKey"]);
    expect(mistakes[0]?.message).toContain(message);
  });
});

test("providers are the demo, those whose keys are in the environment, and those of the file", async () => {
  const env = { OPENAI_API_KEY: "k", GROQ_API_KEY: "k", ANTHROPIC_API_KEY: "k" };
  const own = { dialect: "openai-chat", baseUrl: "http://127.0.0.1:1/v1" };
  const config = await read({ providers: { own, groq: false, openai: { ...own, apiKey: "mine" } } }, { env });
  expect(Object.keys(config.providers)).toStrictEqual(["demo", "anthropic", "own", "openai"]);
  expect(config.providers["openai"]).toMatchObject({ apiKey: "mine", dialect: "openai-chat" });
});

test("rules are in order of precedence", async () => {
  const models = { "g*": "demo/a", "gpt-*": ["demo/b", "demo/c"], "gpt-5": { to: "demo/d", retry: { attempts: 1 } } };
  expect((await read({ models })).models).toStrictEqual([
    { pattern: "gpt-5", targets: ["demo/d"], retry: { attempts: 1 } },
    { pattern: "gpt-*", targets: ["demo/b", "demo/c"] },
    { pattern: "g*", targets: ["demo/a"] },
  ]);
});

test("tokens without a name are named by their hash, so that their order does not matter", async () => {
  const tokens = [SHA("A"), { hash: SHA("b"), name: "build" }];
  expect((await read({ tenants: { acme: { tokens, maxOpen: 2 } } })).tenants.get("acme")).toStrictEqual({
    maxOpen: 2,
    tokens: [
      { hash: "a".repeat(64), name: "token-aaaaaaaa" },
      { hash: "b".repeat(64), name: "build" },
    ],
  });
});

test("the model of tasks may be one that the gateway routes by its family", async () => {
  const env = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" };
  expect((await read({ tasks: { model: "claude-haiku-4-5" } }, { env })).tasks.model).toBe("claude-haiku-4-5");
});

describe("telemetry", () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };
  test.each([
    ["from the usual variables", {}, endpoint, "http://collector:4318/v1/traces"],
    [
      "unchanged, if a variable is for traces only",
      {},
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://c/t" },
      "http://c/t",
    ],
    ["from the file first", { telemetry: { url: "http://own" } }, endpoint, "http://own/v1/traces"],
    ["not if the file disables it", { telemetry: false }, endpoint, undefined],
    ["not if the SDK is disabled", {}, { ...endpoint, OTEL_SDK_DISABLED: "true" }, undefined],
    ["not by default", {}, {}, undefined],
  ])("%s", async (_sentence, file, env, url) => {
    expect((await read(file, { env })).telemetry?.url).toBe(url);
  });

  test("headers and service name can come from variables", async () => {
    const env = { ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: "A=b%20c, d=e", OTEL_SERVICE_NAME: "team" };
    expect((await read({}, { env })).telemetry).toMatchObject({ headers: { a: "b c", d: "e" }, serviceName: "team" });
  });
});
