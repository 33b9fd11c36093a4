// Providers from the environment: the variables of the official SDKs, and only providers with a key.
import { expect, test } from "vitest";
import type { HttpProvider } from "../../../src/client/index.ts";
import { Client, ClientError, presets, providersFromEnv } from "../../../src/client/index.ts";
import { createProviderAdapter } from "../../../src/calls/index.ts";
import { user } from "../../../src/index.ts";
import { replayServer } from "../../../src/testkit/replay-server.ts";
import { requireError } from "../../support/require-error.ts";

type Env = Record<string, string>;

test.each<[what: string, env: Env, name: string, expected: object]>([
  [
    "OpenAI",
    { OPENAI_API_KEY: "k" },
    "openai",
    { dialect: "openai-responses", apiKey: "k", baseUrl: "https://api.openai.com/v1" },
  ],
  [
    "OpenAI with a regional URL",
    { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "https://eu.api.openai.com/v1" },
    "openai",
    { dialect: "openai-responses", apiKey: "k", baseUrl: "https://eu.api.openai.com/v1" },
  ],
  [
    "an OpenAI-compatible server uses Chat Completions",
    { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://127.0.0.1:8000/v1" },
    "openai",
    { dialect: "openai-chat", apiKey: "k", baseUrl: "http://127.0.0.1:8000/v1" },
  ],
  [
    "a host name that only resembles OpenAI's",
    { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "https://api.openai.com.example/v1" },
    "openai",
    { dialect: "openai-chat", apiKey: "k", baseUrl: "https://api.openai.com.example/v1" },
  ],
  [
    "an organization and a project",
    { OPENAI_API_KEY: "k", OPENAI_ORG_ID: "o", OPENAI_PROJECT_ID: "p" },
    "openai",
    { ...presets.openai, apiKey: "k", headers: { "openai-organization": "o", "openai-project": "p" } },
  ],
  ["Anthropic", { ANTHROPIC_API_KEY: "k" }, "anthropic", { ...presets.anthropic, apiKey: "k" }],
  [
    "a gateway for Anthropic",
    { ANTHROPIC_AUTH_TOKEN: "t", ANTHROPIC_BASE_URL: "http://127.0.0.1:4141" },
    "anthropic",
    { dialect: "anthropic", baseUrl: "http://127.0.0.1:4141", headers: { authorization: "Bearer t" } },
  ],
  [
    "a key wins over a token",
    { ANTHROPIC_API_KEY: "k", ANTHROPIC_AUTH_TOKEN: "t" },
    "anthropic",
    { ...presets.anthropic, apiKey: "k" },
  ],
  [
    "headers for Anthropic",
    { ANTHROPIC_API_KEY: "k", ANTHROPIC_CUSTOM_HEADERS: "X-Team: a b\nX-Url: http://h\nnonsense" },
    "anthropic",
    { ...presets.anthropic, apiKey: "k", headers: { "x-team": "a b", "x-url": "http://h" } },
  ],
  [
    "headers for OpenAI",
    { OPENAI_API_KEY: "k", OPENAI_CUSTOM_HEADERS: "X-Team: a", OPENAI_ORG_ID: "o" },
    "openai",
    { ...presets.openai, apiKey: "k", headers: { "x-team": "a", "openai-organization": "o" } },
  ],
  ["Gemini", { GEMINI_API_KEY: "k" }, "gemini", { ...presets.gemini, apiKey: "k" }],
  [
    "Google's own variable wins",
    { GEMINI_API_KEY: "a", GOOGLE_API_KEY: "b" },
    "gemini",
    { ...presets.gemini, apiKey: "b" },
  ],
  [
    "Gemini with another URL",
    { GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: "http://h:1" },
    "gemini",
    { dialect: "gemini", apiKey: "k", baseUrl: "http://h:1" },
  ],
  [
    "Bedrock",
    { AWS_BEARER_TOKEN_BEDROCK: "k", AWS_REGION: "eu-west-1", AWS_DEFAULT_REGION: "x" },
    "bedrock",
    { dialect: "bedrock", apiKey: "k", region: "eu-west-1" },
  ],
  [
    "Bedrock by its default region",
    { AWS_BEARER_TOKEN_BEDROCK: "k", AWS_DEFAULT_REGION: "us-east-1" },
    "bedrock",
    { dialect: "bedrock", apiKey: "k", region: "us-east-1" },
  ],
  [
    "Azure",
    { AZURE_OPENAI_API_KEY: "k", AZURE_OPENAI_ENDPOINT: "https://x.openai.azure.com/" },
    "azure",
    { dialect: "openai-chat", vendor: "azure", apiKey: "k", baseUrl: "https://x.openai.azure.com/openai/v1" },
  ],
  ...["/openai", "/openai/", "/openai/v1", "/openai/v1/"].map((path): [string, Env, string, object] => [
    `Azure with the pasted URL ${path}`,
    { AZURE_OPENAI_API_KEY: "k", AZURE_OPENAI_ENDPOINT: `https://x.openai.azure.com${path}` },
    "azure",
    {
      dialect: "openai-chat",
      vendor: "azure",
      apiKey: "k",
      baseUrl: "https://x.openai.azure.com/openai/v1",
    },
  ]),
  ["OpenRouter", { OPENROUTER_API_KEY: "k" }, "openrouter", { ...presets.openrouter, apiKey: "k" }],
  ["Groq", { GROQ_API_KEY: "k" }, "groq", { ...presets.groq, apiKey: "k" }],
  ["Mistral", { MISTRAL_API_KEY: "k" }, "mistral", { ...presets.mistral, apiKey: "k" }],
  ["DeepSeek", { DEEPSEEK_API_KEY: "k" }, "deepseek", { ...presets.deepseek, apiKey: "k" }],
  ["xAI", { XAI_API_KEY: "k" }, "xai", { ...presets.xai, apiKey: "k" }],
  ["Together", { TOGETHER_API_KEY: "k" }, "together", { ...presets.together, apiKey: "k" }],
  ["Fireworks", { FIREWORKS_API_KEY: "k" }, "fireworks", { ...presets.fireworks, apiKey: "k" }],
  ["a trailing line break", { GROQ_API_KEY: "k\n" }, "groq", { ...presets.groq, apiKey: "k" }],
])("%s", (_, env, name, expected) => {
  const providers = providersFromEnv(env);
  expect(providers).toStrictEqual({ [name]: expected });
  expect(createProviderAdapter(name, providers[name] as HttpProvider).kind).toBe("http");
});

test.each<[what: string, env: Env]>([
  ["an empty environment", {}],
  ["an empty key", { OPENAI_API_KEY: "", GROQ_API_KEY: "  " }],
  ["a URL without a key", { OPENAI_BASE_URL: "http://h:1", ANTHROPIC_BASE_URL: "http://h:1" }],
  ["what others use", { PATH: "/bin", AWS_REGION: "us-east-1", constructor: "x" }],
])("%s configures no provider", (_, env) => {
  expect(providersFromEnv(env)).toStrictEqual({});
});

test.each<[env: Env, path: string, message: string]>([
  [
    { AWS_BEARER_TOKEN_BEDROCK: "k" },
    "/providers/bedrock/region",
    "is set, but AWS_REGION or AWS_DEFAULT_REGION is not",
  ],
  [{ AZURE_OPENAI_API_KEY: "k" }, "/providers/azure/baseUrl", "is set, but AZURE_OPENAI_ENDPOINT is not"],
  [{ OPENAI_API_KEY: "k", OPENAI_BASE_URL: "h:1" }, "/providers/openai/baseUrl", "OPENAI_BASE_URL: "],
  [{ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "h" }, "/providers/anthropic/baseUrl", "ANTHROPIC_BASE_URL: "],
  [
    { ANTHROPIC_API_KEY: "k", ANTHROPIC_CUSTOM_HEADERS: "a b: c" },
    "/providers/anthropic/headers/a b",
    "ANTHROPIC_CUSTOM_HEADERS: ",
  ],
  [{ GEMINI_API_KEY: "a\nb" }, "/providers/gemini/apiKey", "GEMINI_API_KEY: "],
  [
    { AWS_BEARER_TOKEN_BEDROCK: "k", AWS_DEFAULT_REGION: "US East" },
    "/providers/bedrock/region",
    "AWS_DEFAULT_REGION: ",
  ],
  [{ AZURE_OPENAI_API_KEY: "k", AZURE_OPENAI_ENDPOINT: "x" }, "/providers/azure/baseUrl", "AZURE_OPENAI_ENDPOINT: "],
  [{ GROQ_API_KEY: "a\nb" }, "/providers/groq/apiKey", "GROQ_API_KEY: "],
])("an invalid variable is named: %j", (env, path, message) => {
  const error = requireError(ClientError, () => providersFromEnv(env));
  expect(error).toMatchObject({ code: "configuration", path });
  expect(error.message).toContain(message);
});

test("an environment without a key is rejected, and the error lists the variables", () => {
  const error = requireError(ClientError, () => Client.fromEnv({ env: { OPENAI_BASE_URL: "http://h:1" } }));
  expect(error).toMatchObject({ code: "configuration", path: "/providers" });
  for (const name of ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DASHSCOPE_API_KEY", "demo()"]) {
    expect(error.message).toContain(name);
  }
});

test("given providers suffice, and replace incomplete ones of the environment", () => {
  const bedrock: HttpProvider = { dialect: "bedrock", baseUrl: "http://h:1" };
  const client = Client.fromEnv({ env: { AWS_BEARER_TOKEN_BEDROCK: "k" }, providers: { bedrock } });
  expect(client.providers).toStrictEqual(["bedrock"]);
});

test("a client from the environment sends its key over HTTP as each SDK does", async () => {
  await using server = await replayServer({ "*": { status: 400, body: { error: { message: "no" } } } });
  const env = {
    OPENAI_API_KEY: "key-o",
    OPENAI_BASE_URL: `${server.url}/v1`,
    ANTHROPIC_AUTH_TOKEN: "key-a",
    ANTHROPIC_BASE_URL: server.url,
    GEMINI_API_KEY: "key-g",
    GOOGLE_GEMINI_BASE_URL: server.url,
  };
  await using client = Client.fromEnv({ env });
  expect(client.providers).toStrictEqual(["openai", "anthropic", "gemini"]);
  for (const model of ["openai/m", "anthropic/m", "gemini/m"]) {
    await expect(client.complete({ model, messages: [user("x")] })).rejects.toMatchObject({ code: "invalid-request" });
  }
  const sent = server.requests.map(({ path, headers }) => [
    path,
    headers["authorization"] ?? headers["x-goog-api-key"],
  ]);
  expect(sent).toStrictEqual([
    ["/v1/chat/completions", "Bearer key-o"],
    ["/v1/messages", "Bearer key-a"],
    ["/v1beta/models/m:generateContent", "key-g"],
  ]);
});

test.each<[variable: string, env: Env]>([
  ["ANTHROPIC_AUTH_TOKEN", { ANTHROPIC_AUTH_TOKEN: "a\nb" }],
  ["OPENAI_ORG_ID", { OPENAI_API_KEY: "k", OPENAI_ORG_ID: "a\nb" }],
  ["OPENAI_PROJECT_ID", { OPENAI_API_KEY: "k", OPENAI_PROJECT_ID: "a\nb" }],
  ["OPENAI_CUSTOM_HEADERS", { OPENAI_API_KEY: "k", OPENAI_ORG_ID: "o", OPENAI_CUSTOM_HEADERS: "x-a: a\u0001b" }],
])("an invalid header is attributed to its variable: %s", (variable, env) => {
  expect(requireError(ClientError, () => providersFromEnv(env)).message).toMatch(new RegExp(`^${variable}: `));
});

test.each(["ANTHROPIC_AUTH_TOKEN", "GOOGLE_API_KEY"])(
  "the error for an environment without a key names %s",
  (variable) => {
    expect(requireError(ClientError, () => Client.fromEnv({ env: {} })).message).toContain(variable);
  },
);
