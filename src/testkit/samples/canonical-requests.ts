// Creates canonical requests that together use every field of a request and every tool choice, and a request for each
// of the difficult turns.
import type { Message } from "../../model/message.ts";
import { assistant, system, user } from "../../model/message.ts";
import type { FunctionTool, ModelRequest, Tool, ToolChoice } from "../../model/request.ts";
import type { NamedValue } from "../checks/payload-codec.ts";
import { difficultTurns } from "./difficult-turns.ts";
import { canonicalMessages, withUniqueStrings } from "./canonical-messages.ts";

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
    // Gemini identifies the type of a tool by the key of its settings, the other dialects by the field `type`.
    const value = dialect === "gemini" ? { somethingNew: settings } : { type: `tool_of_${dialect}`, ...settings };
    return { type: "provider", dialect, name: `${dialect}_search`, value, cache: { ttl: "1h" }, extra };
  }),
];

function requestWithEveryField(): ModelRequest {
  return withUniqueStrings({
    model: "model-of-the-request",
    messages: canonicalMessages(),
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

function createRequest(request: Partial<ModelRequest>, ...messages: Message[]): ModelRequest {
  return { model: "a-model", messages: messages.length > 0 ? messages : [user("A question.")], ...request };
}

const TOOL_CHOICES: readonly ToolChoice[] = [
  "auto",
  "none",
  "required",
  { toolName: "free_form" },
  { toolNames: ["look_up", "no_parameters"], mode: "auto" },
  { toolNames: ["look_up", "no_parameters"], mode: "required" },
];

/** Returns named canonical requests that together use every field of a request. */
export function canonicalRequests(): NamedValue<ModelRequest>[] {
  return [
    { name: "every field", value: requestWithEveryField() },
    { name: "only a message", value: { messages: [user("Nothing else.")] } },
    { name: "no messages", value: { model: "a-model", messages: [] } },
    { name: "only instructions", value: createRequest({}, system("Only instructions.")) },
    ...TOOL_CHOICES.map((toolChoice) => ({
      name: `the tool choice ${JSON.stringify(toolChoice)}`,
      value: createRequest({ tools: tools.slice(0, 3), toolChoice, parallelToolCalls: true }),
    })),
    { name: "text output", value: createRequest({ output: { type: "text" } }) },
    { name: "JSON output", value: createRequest({ output: { type: "json" } }) },
    {
      name: "a schema without a name",
      value: createRequest({ output: { type: "json-schema", schema: { type: "object" } } }),
    },
    { name: "settings that are zero or false", value: createRequest({ sampling: zeroSampling(), stream: false }) },
    { name: "reasoning by effort", value: createRequest({ reasoning: { effort: "low" } }) },
    {
      name: "reasoning by budget",
      value: createRequest({ reasoning: { budget: 2048 }, sampling: { maxOutputTokens: 4096 } }),
    },
    { name: "an empty list of tools", value: createRequest({ tools: [], sampling: { stop: [] } }) },
    {
      name: "a greeting and an answer",
      value: createRequest({}, user("Good morning."), assistant("Good day."), user("So?")),
    },
    ...difficultTurns().map(({ name, value }) => ({ name, value: createRequest({}, ...value) })),
  ];
}

function zeroSampling(): NonNullable<ModelRequest["sampling"]> {
  return { temperature: 0, topP: 0, presencePenalty: 0, frequencyPenalty: 0, seed: 0, logprobs: false };
}
