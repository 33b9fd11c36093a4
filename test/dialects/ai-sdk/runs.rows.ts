// Streams of a mock model, step by step: texts, reasoning, sources, files, client and provider tools, errors.
import type { ToolSet } from "ai";
import { dynamicTool, jsonSchema, tool } from "ai";
import { finish } from "./stream-helpers.ts";

export interface AiSdkRun {
  name: string;
  steps: object[][];
  tools?: ToolSet;
  /** Further options of streamText. */
  options?: object;
  /** Creates tools and options with state of their own, for one run. */
  with?: () => Pick<AiSdkRun, "tools" | "options">;
  /**
   * True if the stream has data that its UI message lacks: the raw text of a call's input, or the start of an OpenAI
   * item.
   */
  knowsMore?: boolean;
}

export const anyObject = jsonSchema<Record<string, unknown>>({ type: "object" });
export const text = (id: string, ...deltas: string[]): object[] => [
  { type: "text-start", id },
  ...deltas.map((delta) => ({ type: "text-delta", id, delta })),
  { type: "text-end", id },
];
export const input = (id: string, toolName: string, ...deltas: string[]): object[] => [
  { type: "tool-input-start", id, toolName },
  ...deltas.map((delta) => ({ type: "tool-input-delta", id, delta })),
  { type: "tool-input-end", id },
];
export const call = (toolCallId: string, toolName: string, value: unknown, more: object = {}): object => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input: JSON.stringify(value),
  ...more,
});

export const weather = tool({
  description: "The weather.",
  inputSchema: anyObject,
  execute: ({ city }) => ({ city, celsius: 31 }),
});
export const failingTool = tool({
  inputSchema: anyObject,
  execute: (): string => {
    throw new Error("It broke.");
  },
});
export const textTool = tool({ inputSchema: anyObject, execute: () => "Only words." });
const defaultsTool = tool({
  inputSchema: jsonSchema<{ city: string; days: number }>(
    { type: "object" },
    { validate: (value) => ({ success: true, value: { city: "Corinth", days: 3, ...(value as object) } }) },
  ),
  execute: (value) => value,
});

export const signedReasoning = (id: string, content: string, signature: string): object[] => [
  { type: "reasoning-start", id },
  { type: "reasoning-delta", id, delta: content },
  { type: "reasoning-delta", id, delta: "", providerMetadata: { anthropic: { signature } } },
  { type: "reasoning-end", id },
];
const reasoningSummary = (at: number, content: string, more: object): object[] => [
  {
    type: "reasoning-start",
    id: `rs_1:${at}`,
    providerMetadata: { openai: { itemId: "rs_1", reasoningEncryptedContent: null } },
  },
  ...(content === ""
    ? []
    : [
        { type: "reasoning-delta", id: `rs_1:${at}`, delta: content, providerMetadata: { openai: { itemId: "rs_1" } } },
      ]),
  { type: "reasoning-end", id: `rs_1:${at}`, providerMetadata: { openai: { itemId: "rs_1", ...more } } },
];

export const runs: AiSdkRun[] = [
  { name: "a text", steps: [[...text("1", "Hel", "lo."), finish("stop", "end_turn")]] },
  {
    name: "signed reasoning, a tool, and a second step",
    steps: [
      [
        { type: "response-metadata", id: "resp-1", modelId: "mock-1", timestamp: new Date(0) },
        ...signedReasoning("0", "A tool knows.", "sig-1"),
        { type: "reasoning-start", id: "1", providerMetadata: { anthropic: { redactedData: "hidden" } } },
        { type: "reasoning-end", id: "1" },
        ...text("2", "Let me look."),
        ...input("call_1", "weather", '{"city":', '"Corinth"}'),
        call("call_1", "weather", { city: "Corinth" }, { providerMetadata: { google: { thoughtSignature: "ts" } } }),
        finish("tool-calls", "tool_use"),
      ],
      [...signedReasoning("0", "It is warm.", "sig-2"), ...text("1", "31 ", "degrees."), finish("stop")],
    ],
    tools: { weather },
  },
  {
    name: "parallel tools whose inputs interleave",
    steps: [
      [
        { type: "tool-input-start", id: "a", toolName: "weather" },
        { type: "tool-input-delta", id: "a", delta: '{"city":"Co' },
        { type: "tool-input-start", id: "b", toolName: "words" },
        { type: "tool-input-delta", id: "b", delta: "{" },
        { type: "tool-input-delta", id: "a", delta: 'rinth"}' },
        { type: "tool-input-delta", id: "b", delta: "}" },
        { type: "tool-input-end", id: "a" },
        { type: "tool-input-end", id: "b" },
        call("a", "weather", { city: "Corinth" }),
        call("b", "words", {}),
        call("c", "broken", {}),
        finish("tool-calls"),
      ],
      [...text("1", "One of three failed."), finish("stop")],
    ],
    tools: { weather, words: textTool, broken: failingTool },
  },
  {
    name: "an input with schema defaults, and dynamic tools",
    knowsMore: true,
    steps: [
      [
        ...input("a", "defaults", '{ "days": 5 }'),
        call("a", "defaults", { days: 5 }),
        call("b", "free", { x: 1 }),
        finish("tool-calls"),
      ],
      [...text("1", "Done."), finish("stop")],
    ],
    tools: {
      defaults: defaultsTool,
      free: dynamicTool({ title: "Free", inputSchema: anyObject, execute: () => Promise.resolve([1, null]) }),
    },
  },
  {
    name: "a tool without an execute function",
    steps: [[...text("1", "Yours:"), call("a", "ask", { what: "?" }), finish("tool-calls")]],
    tools: { ask: tool({ inputSchema: anyObject }) },
  },
  {
    name: "a call of an unknown tool, and one with invalid JSON",
    knowsMore: true,
    steps: [
      [
        call("a", "nobody", { x: 1 }),
        ...input("b", "weather", '{"city'),
        { type: "tool-call", toolCallId: "b", toolName: "weather", input: '{"city' },
        finish("tool-calls"),
      ],
      [...text("1", "Sorry."), finish("stop")],
    ],
    tools: { weather },
  },
  {
    name: "sources and files",
    steps: [
      [
        { type: "source", sourceType: "url", id: "s0", url: "https://example.com/before" },
        { type: "text-start", id: "1" },
        { type: "text-delta", id: "1", delta: "As they say." },
        {
          type: "source",
          sourceType: "url",
          id: "s1",
          url: "https://example.com/a",
          title: "A",
          providerMetadata: { google: { index: 1 } },
        },
        {
          type: "source",
          sourceType: "document",
          id: "s2",
          mediaType: "application/pdf",
          title: "B",
          filename: "b.pdf",
        },
        { type: "text-end", id: "1", providerMetadata: { openai: { itemId: "msg_1", phase: "final" } } },
        { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw0KGgo=" } },
        { type: "custom", kind: "openai.compaction", providerMetadata: { openai: { itemId: "cmp_1" } } },
        ...text("2", "And a picture."),
        finish("stop"),
      ],
    ],
  },
  {
    name: "an OpenAI reasoning item with several summaries",
    knowsMore: true,
    steps: [
      [
        ...reasoningSummary(0, "First.", {}),
        ...reasoningSummary(1, "Second.", { reasoningEncryptedContent: "enc" }),
        ...text("msg_1", "So."),
        finish("stop"),
      ],
    ],
  },
  {
    name: "an OpenAI reasoning item without a summary",
    steps: [[...reasoningSummary(0, "", {}), ...text("m", "So."), finish("stop")]],
  },
  {
    name: "tools that the provider runs",
    steps: [
      [
        call("srv", "web_search", { query: "koine" }, { providerExecuted: true, dynamic: true }),
        {
          type: "tool-result",
          toolCallId: "srv",
          toolName: "web_search",
          result: [{ url: "https://example.com" }],
          providerExecuted: true,
          dynamic: true,
          providerMetadata: { openai: { itemId: "ws_1" } },
        },
        ...text("1", "Found."),
        finish("stop"),
      ],
    ],
  },
  { name: "an answer that is cut off", steps: [[...text("1", "Too lo"), finish("length", "max_tokens")]] },
  { name: "an answer without parts", steps: [[finish("other")]] },
  {
    name: "texts with the same id, and interleaved texts",
    steps: [
      [
        ...text("1", "One."),
        ...text("1", "Two."),
        ...signedReasoning("1", "Hm.", "s"),
        ...text("1", "Three."),
        finish("stop"),
      ],
    ],
  },
];
