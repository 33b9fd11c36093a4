// Made-up Bedrock requests, with every tool and every setting at least once.
import type { WireSample } from "../../../src/testkit/index.ts";
import { cachePoint, citedText, media, unusualBytes, providerBlocks, toolLoop } from "./message-samples.ts";

const CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

function buildRequest(request: object, ...messages: object[]): object {
  const turns = messages.length > 0 ? messages : [{ role: "user", content: [{ text: "Where is the agora?" }] }];
  return { messages: turns, ...request };
}

const weather = {
  toolSpec: {
    name: "get_weather",
    description: "Tells the weather of a city.",
    inputSchema: {
      json: {
        type: "object",
        properties: { zone: { type: "string" }, city: { type: "string" } },
        required: ["city"],
      },
    },
  },
};

export const requestSamples: readonly WireSample[] = [
  { name: "a minimal request", wire: buildRequest({}), address: { model: CLAUDE } },
  { name: "the SDK's input, with the model in the body", wire: buildRequest({ modelId: CLAUDE }) },
  {
    name: "every setting",
    wire: buildRequest({
      system: [{ text: "Be brief." }, cachePoint],
      inferenceConfig: { maxTokens: 2048, temperature: 0.5, topP: 0.9, stopSequences: ["END"] },
      additionalModelRequestFields: { top_k: 40, anthropic_beta: ["context-1m-2025-08-07"] },
      additionalModelResponseFieldPaths: ["/stop_sequence"],
      guardrailConfig: { guardrailIdentifier: "gr-1", guardrailVersion: "1", trace: "enabled" },
      performanceConfig: { latency: "optimized" },
      requestMetadata: { team: "agora", purpose: "test" },
      serviceTier: { type: "priority" },
      toolConfig: { tools: [weather], toolChoice: { tool: { name: "get_weather" } } },
    }),
    address: { model: CLAUDE, stream: true },
  },
  {
    name: "system text in blocks",
    wire: buildRequest({
      system: [{ text: "Know this." }, cachePoint, { guardContent: { text: { text: "And this." } } }, { note: 1 }],
    }),
  },
  { name: "an empty system list", wire: buildRequest({ system: [] }) },
  {
    name: "a stored prompt",
    wire: { promptVariables: { city: { text: "Athens" } } },
    address: { model: "arn:aws:bedrock:us-east-1:123456789012:prompt/P1:1" },
  },
  {
    name: "every tool",
    wire: buildRequest({
      toolConfig: {
        tools: [
          { toolSpec: { ...weather.toolSpec, strict: true } },
          { cachePoint: { type: "default", ttl: "5m" } },
          { systemTool: { name: "nova_grounding" } },
          { toolSpec: { name: "no_schema", note: 1 }, hint: 2 },
          { mcpTool: { server: "echo" } },
          cachePoint,
        ],
        toolChoice: { any: {} },
      },
    }),
  },
  {
    name: "tool choice auto",
    wire: buildRequest({ toolConfig: { tools: [weather], toolChoice: { auto: {} } } }),
  },
  {
    name: "an unknown tool choice",
    wire: buildRequest({ toolConfig: { tools: [weather], toolChoice: { some: { names: ["get_weather"] } } } }),
  },
  {
    name: "an unfinished tool loop",
    wire: buildRequest({ toolConfig: { tools: [weather] } }, ...toolLoop.slice(0, 3)),
  },
  {
    name: "a thinking budget",
    wire: buildRequest({ additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 2048 } } }),
    address: { model: CLAUDE },
  },
  {
    name: "no thinking",
    wire: buildRequest({ additionalModelRequestFields: { thinking: { type: "disabled" } }, inferenceConfig: {} }),
  },
  {
    name: "adaptive thinking at an effort",
    wire: buildRequest({
      additionalModelRequestFields: { thinking: { type: "adaptive" } },
      outputConfig: { effort: "xhigh" },
    }),
  },
  { name: "an unknown effort", wire: buildRequest({ outputConfig: { effort: "heroic", pace: "slow" } }) },
  {
    name: "an output schema",
    wire: buildRequest({
      outputConfig: {
        textFormat: {
          type: "json_schema",
          structure: { jsonSchema: { schema: '{"type":"object"}', name: "place", description: "A place." } },
        },
      },
    }),
  },
  {
    name: "an output schema with unusual white space",
    wire: buildRequest({
      outputConfig: {
        textFormat: { type: "json_schema", structure: { jsonSchema: { schema: '{ "type": "object" }' } } },
      },
    }),
  },
  {
    name: "media and documents",
    wire: buildRequest({}, media, { role: "assistant", content: [citedText] }, unusualBytes),
  },
  {
    name: "provider tools",
    wire: buildRequest(
      { toolConfig: { tools: [{ systemTool: { name: "nova_grounding" } }] } },
      { role: "user", content: [{ text: "Search." }] },
      { role: "assistant", content: [...providerBlocks, { text: "Found." }] },
      { role: "user", content: [{ text: "More." }] },
    ),
    address: { model: "us.amazon.nova-2-lite-v1:0" },
  },
  {
    name: "unsigned reasoning",
    wire: buildRequest(
      { additionalModelRequestFields: {}, toolConfig: {}, outputConfig: {}, requestMetadata: {} },
      { role: "user", content: [{ text: "Think." }] },
      { role: "assistant", content: [{ reasoningContent: { reasoningText: { text: "Hm." } } }, { text: "So." }] },
      { role: "user", content: [{ text: "More." }] },
    ),
    address: { model: "us.deepseek.r1-v1:0" },
  },
];
