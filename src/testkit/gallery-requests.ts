// Canonical requests that between them use every field of a request, and every turn that a conversation can take.
import type { Message } from "../model/message.ts";
import { assistant, system, user } from "../model/message.ts";
import type { FunctionTool, ModelRequest, Tool, ToolChoice } from "../model/request.ts";
import type { Exhibit } from "./exchange.ts";
import { turnGallery } from "./gallery-turns.ts";
import { gallery, toldApart } from "./gallery.ts";

const extra = { "some-dialect": { unknown_setting: "value-of-the-unknown-setting", list: [1, null] } };

const lookUp: FunctionTool = {
  type: "function",
  name: "look_up",
  description: "Looks something up.",
  inputSchema: {
    type: "object",
    properties: { zeal: { type: "string", description: "How eagerly." }, amount: { type: "integer", minimum: 3 } },
    required: ["zeal", "amount"],
    additionalProperties: false,
  },
  outputSchema: { type: "object", properties: { found: { type: "boolean", title: "Whether it was found" } } },
  strict: true,
  format: "json",
  cache: { ttl: "5m" },
  extra,
};

const tools: Tool[] = [
  lookUp,
  { type: "function", name: "no_parameters" },
  {
    type: "function",
    name: "free_form",
    description: "Takes any text.",
    format: "text",
    grammar: { syntax: "regex", definition: "[a-z]+ is the grammar" },
  },
  ...["openai-responses", "anthropic", "gemini", "some-dialect"].map((dialect): Tool => {
    const settings = { limit: 5, sites: [`https://example.com/${dialect}`] };
    // Gemini names a tool by its key, the others by its type.
    const value = dialect === "gemini" ? { somethingNew: settings } : { type: `tool_of_${dialect}`, ...settings };
    return { type: "provider", dialect, name: `${dialect}_search`, value, cache: { ttl: "1h" }, extra };
  }),
];

/** Every field, and every message of the gallery. */
function everything(): ModelRequest {
  return toldApart({
    model: "model-of-the-request",
    messages: gallery(),
    tools,
    toolChoice: { toolName: "look_up" },
    parallelToolCalls: false,
    output: {
      type: "json-schema",
      schema: { type: "object", properties: { answer: { type: "string", description: "The answer." } } },
      name: "name_of_the_schema",
      description: "What the schema is for.",
      strict: true,
    },
    sampling: {
      temperature: 0.25,
      topP: 0.75,
      topK: 17,
      seed: 4711,
      presencePenalty: 0.125,
      frequencyPenalty: -0.375,
      stop: ["first stop word", "second stop word"],
      maxOutputTokens: 2345,
      logprobs: true,
      topLogprobs: 4,
      n: 2,
    },
    reasoning: { effort: "high", budget: 1234, summary: "a-long-summary" },
    metadata: { user_id: "user-in-the-metadata", type: "type-in-the-metadata", count: 3 },
    stream: true,
    extra,
  });
}

function asked(request: Partial<ModelRequest>, ...messages: Message[]): ModelRequest {
  return { model: "a-model", messages: messages.length > 0 ? messages : [user("A question.")], ...request };
}

const CHOICES: readonly ToolChoice[] = [
  "auto",
  "none",
  "required",
  { toolName: "free_form" },
  { toolNames: ["look_up", "no_parameters"], mode: "auto" },
  { toolNames: ["look_up", "no_parameters"], mode: "required" },
];

/** The requests, each by a name. */
export function requestGallery(): Exhibit<ModelRequest>[] {
  return [
    { name: "every field", value: everything() },
    { name: "nothing but a message", value: { messages: [user("Nothing else.")] } },
    { name: "no message at all", value: { model: "a-model", messages: [] } },
    { name: "instructions only", value: asked({}, system("Only instructions.")) },
    ...CHOICES.map((toolChoice) => ({
      name: `the tool choice ${JSON.stringify(toolChoice)}`,
      value: asked({ tools: tools.slice(0, 3), toolChoice, parallelToolCalls: true }),
    })),
    { name: "text wanted", value: asked({ output: { type: "text" } }) },
    { name: "JSON wanted", value: asked({ output: { type: "json" } }) },
    { name: "a schema without a name", value: asked({ output: { type: "json-schema", schema: { type: "object" } } }) },
    { name: "settings that are zero or false", value: asked({ sampling: zero(), stream: false }) },
    { name: "reasoning by effort", value: asked({ reasoning: { effort: "low" } }) },
    { name: "reasoning by budget", value: asked({ reasoning: { budget: 2048 }, sampling: { maxOutputTokens: 4096 } }) },
    { name: "an empty list of tools", value: asked({ tools: [], sampling: { stop: [] } }) },
    { name: "a greeting and an answer", value: asked({}, user("Good morning."), assistant("Good day."), user("So?")) },
    ...turnGallery().map(({ name, value }) => ({ name, value: asked({}, ...value) })),
  ];
}

function zero(): NonNullable<ModelRequest["sampling"]> {
  return { temperature: 0, topP: 0, presencePenalty: 0, frequencyPenalty: 0, seed: 0, logprobs: false };
}
