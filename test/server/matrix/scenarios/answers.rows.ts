// Scenarios of complete answers: text, tools, reasoning, structured output, and finish reasons.
import { reasoning, refusal, text, toolCall } from "../../../../src/index.ts";
import type { Scripted } from "../../../support/upstreams/index.ts";
import type { Call, UpstreamRequest, Scenario, ClientAndUpstream, ToolSpec, Turn, UpstreamName } from "../types.ts";
import { MODES, PROVIDERS } from "../types.ts";

/** A PNG of one pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const LOCATION_SCHEMA: ToolSpec["schema"] = {
  type: "object",
  properties: { at: { type: "string" } },
  required: ["at"],
  additionalProperties: false,
};
const LOOK: ToolSpec = { name: "look", description: "The weather at a place.", schema: LOCATION_SCHEMA };
const TRAVEL: ToolSpec = { name: "travel", description: "Goes to a place.", schema: LOCATION_SCHEMA };

const sunny = ({ input }: Call): string => `Sunny at ${JSON.stringify(input)}.`;
const look = (at: string): Call => ({ name: "look", input: { at } });
const travel = (at: string): Call => ({ name: "travel", input: { at } });

/** Creates a scenario with the same answers and expectations everywhere. */
function same(
  id: string,
  title: string,
  task: Scenario["task"],
  answers: readonly Scripted[],
  turns: Partial<Turn>[],
  upstreamRequest?: Partial<UpstreamRequest>,
): Scenario {
  return {
    id,
    title,
    modes: MODES,
    task,
    answers: () => answers,
    expected: () => ({ turns, ...(upstreamRequest !== undefined && { upstreamRequest }), answered: answers.length }),
  };
}

/** Some providers have no finish reason for a refusal. */
function refusalOf(upstream: UpstreamName): Scripted {
  if (upstream === "gemini") return { parts: [text("I would rather not.")], finishReason: "content-filter" };
  return { parts: [refusal("I would rather not.")], finishReason: "refusal" };
}

/** OpenAI has a field for a refusal; elsewhere it is a text with a finish reason. */
function refused({ client, upstream }: ClientAndUpstream): Partial<Turn> {
  const isField = client.id.startsWith("openai") && (upstream === "chat" || upstream === "responses");
  if (isField) return { text: "", refusal: "I would rather not.", finish: "stop" };
  const finish = client.id === "anthropic" ? "refusal" : "content-filter";
  return { text: "I would rather not.", refusal: "", finish };
}

/** The AI SDK requests objects by a tool if it does not know that a model supports structured output. */
function requestsByTool({ client, upstream }: ClientAndUpstream): boolean {
  return client.id === "ai-anthropic" && upstream !== "anthropic";
}

const shown = (upstream: UpstreamName, thought: string): string => (upstream === "chat" ? "" : thought);

const USAGE = { inputTokens: 1200, outputTokens: 80, totalTokens: 1280, cacheReadTokens: 1000 };

export const ANSWERS: readonly Scenario[] = [
  same(
    "text",
    "text, several turns",
    { user: "Who is there?", later: ["And who else?"] },
    ["Odysseus, back from Ἴλιος.", "Nobody."],
    [
      { text: "Odysseus, back from Ἴλιος.", finish: "stop", calls: [], reasoning: "", refusal: "" },
      { text: "Nobody.", finish: "stop" },
    ],
    { user: "And who else?" },
  ),
  same(
    "system",
    "system",
    { system: "Answer in one word.", user: "Who is there?" },
    ["Nobody."],
    [{ text: "Nobody.", finish: "stop" }],
    { system: "Answer in one word.", user: "Who is there?" },
  ),
  same(
    "images",
    "images",
    { user: "What is in this picture?", image: PNG },
    ["A pixel."],
    [{ text: "A pixel.", finish: "stop" }],
    { user: "What is in this picture?", images: [PNG] },
  ),
  same(
    "tools",
    "tools",
    { user: "How is the weather at Ithaka?", tools: [LOOK], result: sunny },
    [{ parts: [text("I look."), toolCall("", "look", { at: "Ithaka" })] }, "It is sunny."],
    [
      { text: "I look.", calls: [look("Ithaka")], finish: "tool-calls" },
      { text: "It is sunny.", calls: [], finish: "stop" },
    ],
    { tools: ["look"], calls: [look("Ithaka")], results: ['Sunny at {"at":"Ithaka"}.'] },
  ),
  same(
    "parallel-tools",
    "parallel tools",
    { user: "Ithaka or Pylos?", tools: [LOOK, TRAVEL], result: sunny },
    [
      {
        parts: [
          toolCall("", "look", { at: "Ithaka" }),
          toolCall("", "look", { at: "Pylos" }),
          toolCall("", "travel", { at: "Pylos" }),
        ],
      },
      "Pylos.",
    ],
    [
      { text: "", calls: [look("Ithaka"), look("Pylos"), travel("Pylos")], finish: "tool-calls" },
      { text: "Pylos.", calls: [], finish: "stop" },
    ],
    {
      tools: ["look", "travel"],
      calls: [look("Ithaka"), look("Pylos"), travel("Pylos")],
      results: ["Ithaka", "Pylos", "Pylos"].map((at) => `Sunny at {"at":"${at}"}.`),
    },
  ),
  same(
    "tool-loop",
    "multi-step tool loop",
    { user: "Bring me home.", tools: [LOOK, TRAVEL], result: sunny, later: ["Thank you."] },
    [
      { parts: [text("First a look."), toolCall("", "look", { at: "Ithaka" })] },
      { parts: [toolCall("", "travel", { at: "Scheria" })] },
      { parts: [text("And on."), toolCall("", "travel", { at: "Ithaka" })] },
      "You are home.",
      "Farewell.",
    ],
    [
      { text: "First a look.", calls: [look("Ithaka")], finish: "tool-calls" },
      { text: "", calls: [travel("Scheria")], finish: "tool-calls" },
      { text: "And on.", calls: [travel("Ithaka")], finish: "tool-calls" },
      { text: "You are home.", calls: [], finish: "stop" },
      { text: "Farewell.", calls: [], finish: "stop" },
    ],
    {
      user: "Thank you.",
      calls: [look("Ithaka"), travel("Scheria"), travel("Ithaka")],
      results: ["Ithaka", "Scheria", "Ithaka"].map((at) => `Sunny at {"at":"${at}"}.`),
    },
  ),
  {
    id: "reasoning",
    title: "reasoning with signatures",
    modes: MODES,
    upstreams: [...PROVIDERS, "router"],
    models: { chat: "gpt-5.2", anthropic: "claude-haiku-4-5" },
    task: { user: "Is it safe to sail?", tools: [LOOK], result: sunny, reasoning: true },
    answers: () => [
      { parts: [reasoning("The sea is Poseidon's."), toolCall("", "look", { at: "Ogygia" })] },
      { parts: [reasoning("One more."), toolCall("", "look", { at: "Aiaia" })] },
      { parts: [reasoning("He is away."), text("It is.")] },
    ],
    // OpenAI's Chat does not show reasoning.
    expected: ({ upstream }) => ({
      turns: [
        {
          reasoning: shown(upstream, "The sea is Poseidon's."),
          text: "",
          calls: [look("Ogygia")],
          finish: "tool-calls",
        },
        { reasoning: shown(upstream, "One more."), text: "", calls: [look("Aiaia")], finish: "tool-calls" },
        { reasoning: shown(upstream, "He is away."), text: "It is.", calls: [], finish: "stop" },
      ],
      upstreamRequest: { isReasoning: true, calls: [look("Ogygia"), look("Aiaia")] },
      answered: 3,
      seals: true,
    }),
  },
  {
    id: "structured",
    title: "structured output",
    modes: MODES,
    task: { user: "Where are you?", schema: LOCATION_SCHEMA },
    answers: (at) => [requestsByTool(at) ? { parts: [toolCall("", "json", { at: "Ogygia" })] } : '{"at":"Ogygia"}'],
    expected: () => ({
      turns: [{ text: '{"at":"Ogygia"}', finish: "stop" }],
      upstreamRequest: { schema: LOCATION_SCHEMA, tools: [] },
      answered: 1,
    }),
  },
  same(
    "stop",
    "stop sequences",
    { user: "Count.", stop: ["three"] },
    ["One, two, "],
    [{ text: "One, two, ", finish: "stop" }],
    { stop: ["three"] },
  ),
  same(
    "length",
    "length",
    { user: "Tell me all.", maxOutputTokens: 50 },
    [{ parts: [text("Sing to me of the")], finishReason: "length" }],
    [{ text: "Sing to me of the", finish: "length" }],
    { maxOutputTokens: 50 },
  ),
  {
    id: "refusal",
    title: "refusal",
    modes: MODES,
    task: { user: "Open the bag of winds." },
    answers: ({ upstream }) => [refusalOf(upstream)],
    expected: (at) => ({ turns: [refused(at)], answered: 1 }),
  },
  {
    id: "usage",
    title: "usage",
    modes: MODES,
    task: { user: "Who is there?" },
    // Anthropic does not show this reasoning.
    answers: ({ upstream }) => [
      { parts: [text("Nobody.")], usage: upstream === "anthropic" ? USAGE : { ...USAGE, reasoningTokens: 30 } },
    ],
    expected: ({ upstream }) => ({
      turns: [
        {
          usage: {
            input: 1200,
            output: 80,
            total: 1280,
            cached: 1000,
            ...(upstream !== "anthropic" && { reasoning: 30 }),
          },
        },
      ],
      answered: 1,
    }),
  },
];
