// Settings from code: the same keys, values and mistakes as in koine.config.json, and values that JSON cannot express.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { demo } from "../../../src/client/index.ts";
import type { LocalProvider } from "../../../src/client/index.ts";
import { completeConfig } from "../../../src/server/config/complete-config.ts";
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import { ConfigError } from "../../../src/server/config/index.ts";
import type { Mistake, ServerConfig } from "../../../src/server/config/index.ts";
import { Mistakes } from "../../../src/server/config/mistakes.ts";
import { resolveConfig } from "../../../src/server/config/resolve-config.ts";
import { replaceAt, walkJson } from "../../../src/testkit/json/json-nodes.ts";
import { EVERY_SETTING } from "../support/every-setting.ts";

const CWD = "/srv/koine";

// Written by configSchema.
const schema = JSON.parse(readFileSync("koine.config.schema.json", "utf8")) as { properties: Record<string, unknown> };

/** Completes unchecked settings in code. */
function complete(settings: unknown, env: Record<string, string> = {}): ServerConfig {
  return completeConfig(settings as ConfigInput, { cwd: CWD, env });
}

/** Reads the same settings as those of a file in the same folder. */
function readAsFile(settings: unknown): ServerConfig {
  const mistakes = new Mistakes();
  const config = resolveConfig({ settings, isCode: false, folder: CWD, cwd: CWD, flags: {}, env: {} }, mistakes);
  mistakes.throwAny();
  return config;
}

/** Returns the configuration, or the mistakes. Functions of the demo provider differ between two configurations. */
function outcome(step: () => ServerConfig): unknown {
  try {
    const config = step();
    return { ...config, providers: JSON.stringify(config.providers), tenants: [...config.tenants] };
  } catch (error) {
    if (error instanceof ConfigError) return { mistakes: error.mistakes };
    throw error;
  }
}

function mistakesOf(settings: unknown): readonly Mistake[] {
  try {
    complete(settings);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

describe("every setting of the file", () => {
  const whole = outcome(() => complete(EVERY_SETTING));

  test.each(Object.keys(schema.properties))("%s has the same meaning in code", (name) => {
    expect(EVERY_SETTING).toHaveProperty([name]);
    const { providers, models } = EVERY_SETTING;
    const settings = { providers, models, [name]: EVERY_SETTING[name as keyof typeof EVERY_SETTING] };
    const inCode = outcome(() => complete(settings));
    expect(inCode).not.toHaveProperty("mistakes");
    expect(inCode).toStrictEqual(outcome(() => readAsFile(settings)));
    // The setting has an effect: without it, the configuration is another one.
    const { [name as keyof typeof EVERY_SETTING]: _, ...others } = EVERY_SETTING;
    if (name !== "$schema") expect(outcome(() => complete(others))).not.toStrictEqual(whole);
  });

  test("all settings together have the same meaning in code", () => {
    expect(whole).not.toHaveProperty("mistakes");
    expect(whole).toStrictEqual(outcome(() => readAsFile(EVERY_SETTING)));
  });

  test("a wrong value or key anywhere has the same path in code as in a file", () => {
    const pathsOf = (result: unknown): unknown =>
      (result as { mistakes?: Mistake[] }).mistakes?.map(({ path }) => path);
    let refused = 0;
    for (const { keys, value } of walkJson(EVERY_SETTING)) {
      const isObject = typeof value === "object" && !Array.isArray(value);
      for (const wrong of [null, -1, "", [1], isObject ? { ...value, odd: 1 } : { odd: 1 }]) {
        // In code, headers may also be a list of pairs.
        if (keys.at(-1) === "headers" && Array.isArray(wrong)) continue;
        const settings = replaceAt(EVERY_SETTING, keys, wrong);
        const paths = pathsOf(outcome(() => complete(settings)));
        const filePaths = pathsOf(outcome(() => readAsFile(settings)));
        if (JSON.stringify(paths) !== JSON.stringify(filePaths)) expect({ keys, wrong, paths }).toBe(filePaths);
        if (paths !== undefined) refused++;
      }
    }
    expect(refused).toBeGreaterThan(400);
  });
});

test.each<[sentence: string, settings: unknown, path: string, message: string]>([
  ["a misspelt key", { prot: 1 }, "/prot", 'is not a setting. Did you mean "port"?'],
  ["a misspelt key of a group", { limits: { depht: 1 } }, "/limits/depht", 'Did you mean "depth"?'],
  [
    "a misspelt key of a provider",
    { providers: { a: { preset: "groq", apiKey: "k", vendr: "x" } } },
    "/providers/a/vendr",
    "vendor",
  ],
  [
    "rules in a list",
    { models: [{ pattern: "a", targets: ["demo/koine"] }] },
    "/models",
    "must be an object; it is a list.",
  ],
  ["tenants in a Map", { tenants: new Map() }, "/tenants", "must be an object; it is an instance of Map."],
  ["a list with a gap", { hosts: [undefined] }, "/hosts/0", "must be the name of a host"],
  ["a token without its prefix", { tenants: { a: { tokens: ["0".repeat(64)] } } }, "/tenants/a/tokens/0", '"sha256:"'],
  [
    "a key that is a number",
    { providers: { a: { preset: "groq", apiKey: 1 } } },
    "/providers/a/apiKey",
    "a function that returns the key, or a non-empty text",
  ],
  [
    "a signer that is a text",
    { providers: { a: { dialect: "bedrock", region: "r", apiKey: "k", sign: "s" } } },
    "/providers/a/sign",
    "must be a function",
  ],
  [
    "a local provider without a function",
    { providers: { a: { answer: 1 } } },
    "/providers/a/answer",
    "must be a function",
  ],
  ["an infinite interval", { heartbeatMs: Infinity }, "/heartbeatMs", "The longest duration is 24 days."],
  ["a time that is not a number", { record: { maxWaitMs: Number.NaN } }, "/record/maxWaitMs", "must be a whole number"],
  ["a variable that is not set", { tasks: { instructions: "$KEY" } }, "/tasks/instructions", "reads the variable KEY"],
])("%s is reported with its path", (_sentence, settings, path, message) => {
  const mistakes = mistakesOf(settings);
  expect(mistakes.map((each) => each.path)).toStrictEqual([path]);
  expect(mistakes[0]?.message).toContain(message);
});

test("all mistakes are reported together", () => {
  const paths = mistakesOf({ prot: 1, limits: { idleMs: 1e10 }, tasks: { toolTimeoutMs: 0 } }).map(({ path }) => path);
  expect(paths).toStrictEqual(["/prot", "/limits/idleMs", "/tasks/toolTimeoutMs"]);
});

test("settings that are not an object are the subject of their message", () => {
  expect(() => complete([])).toThrow("The configuration must be an object; it is a list.");
});

describe("values that a file cannot express", () => {
  const sign = (): Record<string, string> => ({});
  const apiKey = async (): Promise<string> => "k";
  const headers = new Map([["x-team", "a"]]);

  test("providers may be objects with functions, and headers in any form", () => {
    class Scripted implements LocalProvider {
      readonly answer: LocalProvider["answer"] = (request, context) => demo().answer(request, context);
    }
    const scripted = new Scripted();
    const { providers } = completeConfig({
      providers: {
        scripted,
        aws: { dialect: "bedrock", region: "us-east-1", sign },
        fetched: { preset: "groq", apiKey, headers },
        listed: { preset: "groq", apiKey: "k", headers: [["x-team", "a"]] },
      },
    });
    expect(Object.keys(providers)).toStrictEqual(["demo", "scripted", "aws", "fetched", "listed"]);
    expect(providers["scripted"]).toBe(scripted);
    expect(providers["aws"]).toMatchObject({ sign });
    expect(providers["fetched"]).toMatchObject({ dialect: "openai-chat", apiKey, headers });
  });

  test("headers of an MCP server may be a function", () => {
    const { tasks } = completeConfig({
      tasks: { mcpServers: { web: { url: "https://tools.example/mcp", headers: sign } } },
    });
    expect(tasks.mcpServers).toMatchObject([{ name: "web", headers: sign }]);
  });

  test("a time limit may be infinite", () => {
    const timeouts = { totalMs: Infinity };
    const { models } = completeConfig({ models: { slow: { to: "demo/koine", timeouts } } });
    expect(models).toMatchObject([{ timeouts }]);
  });

  test("a value that is undefined counts as not set", () => {
    const unset = { port: undefined, providers: { demo: undefined }, limits: { depth: undefined } };
    expect(outcome(() => complete(unset))).toStrictEqual(outcome(() => complete({})));
    expect(mistakesOf({ tasks: { mcpServers: { a: { command: "x", url: undefined } } } })).toStrictEqual([]);
    expect(mistakesOf({ telemetry: { url: undefined } })).toMatchObject([{ path: "/telemetry/url" }]);
  });

  test("a file has none of them, and its messages do not mention them", () => {
    const settings = {
      providers: { a: { preset: "groq", apiKey: 1, sign: 1 } },
      models: { a: { to: "demo/koine", timeouts: { totalMs: Infinity } } },
    };
    expect(outcome(() => readAsFile(settings))).toMatchObject({
      mistakes: [
        { path: "/providers/a/apiKey", message: "must be a non-empty text; it is a number." },
        {
          path: "/providers/a/sign",
          message: expect.stringMatching(/^is not a setting.*: preset, (?!.*sign)/) as string,
        },
        { path: "/models/a/timeouts/totalMs" },
      ],
    });
  });
});

describe("defaults", () => {
  test("the ledger is in memory, unless the settings name a place", () => {
    expect(complete({})).toMatchObject({ data: "", ledger: { url: "memory:" }, host: "127.0.0.1", port: 4141 });
    expect(complete({ data: "team" })).toMatchObject({
      data: "/srv/koine/team",
      ledger: { url: "sqlite:/srv/koine/team/koine.db" },
    });
    expect(complete({ ledger: "sqlite:a.db" }).ledger.url).toBe("sqlite:/srv/koine/a.db");
  });

  test("the demo is a provider, unless it is false", () => {
    expect(Object.keys(complete({ providers: { own: demo() } }).providers)).toStrictEqual(["demo", "own"]);
    expect(Object.keys(complete({ providers: { own: demo(), demo: false } }).providers)).toStrictEqual(["own"]);
  });

  test("no environment variable is read, unless code passes the environment", () => {
    const env = { KEY: "k-1", OPENAI_API_KEY: "k", KOINE_PORT: "7" };
    const settings = { port: 1, providers: { own: { preset: "groq", apiKey: "$KEY" } } };
    const config = complete(settings, env);
    expect([config.port, Object.keys(config.providers)]).toStrictEqual([7, ["demo", "openai", "own"]]);
    expect(config.providers["own"]).toMatchObject({ apiKey: "k-1" });
    expect(Object.keys(completeConfig().providers)).toStrictEqual(["demo"]);
  });
});
