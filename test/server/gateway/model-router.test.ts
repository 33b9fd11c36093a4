// Routing of model names: rules, providers, families, and an error that lists the available models.
import { expect, test } from "vitest";
import type { ProviderConfig } from "../../../src/client/index.ts";
import { createClientContext } from "../../../src/calls/index.ts";
import { demo } from "../../../src/client/index.ts";
import { ModelRouter } from "../../../src/server/gateway/model-router.ts";
import type { ModelRule } from "../../../src/server/config/types.ts";

const openai: ProviderConfig = { dialect: "openai-responses", apiKey: "k" };
const anthropic: ProviderConfig = { dialect: "anthropic", apiKey: "k" };
const gemini: ProviderConfig = { dialect: "gemini", apiKey: "k" };
const local: ProviderConfig = { dialect: "openai-chat", baseUrl: "http://127.0.0.1:1/v1" };

const RULES: ModelRule[] = [
  { pattern: "gpt-*", targets: ["openai/*"] },
  { pattern: "gpt-5*", targets: ["openai/gpt-5*", "local/llama"] },
  {
    pattern: "fast",
    targets: ["anthropic/claude-haiku", "local/llama"],
    timeouts: { totalMs: 5 },
    retry: { attempts: 1 },
  },
  { pattern: "azure/*", targets: ["openai/*"] },
  { pattern: "*-mini", targets: ["local/*-small"] },
  { pattern: "lost", targets: ["unknown/model"] },
];

function router(
  providers: Record<string, ProviderConfig>,
  models: ModelRule[] = [],
  defaultProvider?: string,
): ModelRouter {
  const clientContext = createClientContext({ providers });
  return new ModelRouter({ models, ...(defaultProvider !== undefined && { defaultProvider }) }, clientContext.adapters);
}

const ALL = { demo: demo(), openai, anthropic, gemini, local };

test.each<[sentence: string, modelName: string, targets: string[]]>([
  ["an alias has its targets in order", "fast", ["anthropic/claude-haiku", "local/llama"]],
  ["a lone star repeats the complete name", "gpt-4o", ["openai/gpt-4o"]],
  ["the longer pattern wins", "gpt-5-pro", ["openai/gpt-5-pro", "local/llama"]],
  ["the part before a slash in a pattern is not repeated", "azure/gpt-4", ["openai/gpt-4"]],
  ["a star within a target repeats its match", "o9-mini", ["local/o9-small"]],
  ["a provider can be named", "gemini/gemini-2.5-pro", ["gemini/gemini-2.5-pro"]],
  ["a model's own slashes stay", "local/meta/llama", ["local/meta/llama"]],
  ["a resource name of Gemini's clients is accepted", "models/gemini-2.5-pro", ["gemini/gemini-2.5-pro"]],
  ["a bare name belongs to the provider of its family: claude", "claude-opus-4-8", ["anthropic/claude-opus-4-8"]],
  ["a bare name belongs to the provider of its family: o3", "o3", ["openai/o3"]],
  ["a bare name belongs to the local provider that has it", "koine", ["demo/koine"]],
])("%s", (_, modelName, targets) => {
  expect(router(ALL, RULES).route(modelName).targets).toEqual(targets);
});

test("a rule has its own timeouts and retries", () => {
  expect(router(ALL, RULES).route("fast")).toMatchObject({ timeouts: { totalMs: 5 }, retry: { attempts: 1 } });
});

test.each<[sentence: string, providers: Record<string, ProviderConfig>, fallback: string | undefined, target: string]>([
  ["the only provider serves every bare name", { openai }, undefined, "openai/llama"],
  ["the demo does not count as a second provider", { demo: demo(), local }, undefined, "local/llama"],
  ["the default provider serves every bare name", ALL, "local", "local/llama"],
])("%s", (_, providers, fallback, target) => {
  expect(router(providers, [], fallback).route("llama").targets).toEqual([target]);
});

test.each<[sentence: string, modelName: string | undefined, code: string]>([
  ["an unknown bare name is not found", "llama", "not-found"],
  ["an unknown provider is not found", "unknown/llama", "not-found"],
  ["a provider without a model is not found", "openai/", "not-found"],
  ["a missing name is invalid", undefined, "invalid-request"],
  ["a blank name is invalid", " ", "invalid-request"],
])("%s, and the error lists the available models", (_, modelName, code) => {
  const available = "Available: fast, anthropic/claude-haiku, local/llama,";
  const rules = RULES.filter(({ pattern }) => pattern === "fast");
  const refused = (): unknown => router(ALL, rules).route(modelName);
  expect(refused).toThrow(
    expect.objectContaining({ code, path: "/model", message: expect.stringContaining(available) }),
  );
});

test("a model that a local provider does not have is not found", () => {
  expect(() => router({ demo: demo() }).route("gpt-4o")).toThrow(expect.objectContaining({ code: "not-found" }));
});

test("a rule with an unknown target is a configuration error", () => {
  expect(() => router(ALL, RULES).route("lost")).toThrow(
    expect.objectContaining({ code: "configuration", message: expect.stringContaining('"unknown/model"') }),
  );
});

test("arbitrary model names do not fill the memory", () => {
  const routes = router({ openai });
  for (let n = 0; n < 3000; n += 1) routes.route(`gpt-${n}`);
  expect(routes.route("gpt-1").targets).toEqual(["openai/gpt-1"]);
});
