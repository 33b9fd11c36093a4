// Rows of requests that Anthropic would reject: the repaired request and the losses.
import { expect } from "vitest";
import { assistant, system, user } from "../../../src/model/message.ts";
import type { Message } from "../../../src/model/message.ts";
import type { ToolCallPart, ToolResultPart } from "../../../src/model/parts.ts";
import type { FunctionTool, ModelRequest } from "../../../src/model/request.ts";

/** Codes of the losses that the tests have produced. */
export const producedCodes = new Set<string>();

const call = (id: string, input: unknown = {}): ToolCallPart => ({
  type: "tool-call",
  toolCallId: id,
  toolName: "f",
  input,
});
const result = (id: string): ToolResultPart => ({
  type: "tool-result",
  toolCallId: id,
  toolName: "f",
  isError: false,
  output: id,
});
const toolMessage = (...ids: string[]): Message => ({ role: "tool", parts: ids.map(result) });
const wireCall = (id: unknown): object => ({ type: "tool_use", id });
const wireResult = (id: unknown, content = id): object => ({ type: "tool_result", tool_use_id: id, content });
const functionTool: FunctionTool = { type: "function", name: "f", inputSchema: { type: "object" } };
const imageMessage = (mimeType?: string): Message =>
  user([{ type: "image", data: "iVBORw0KGgoAAA==", ...(mimeType && { mimeType }) }]);
const fileMessage = (mimeType: string): Message => user([{ type: "file", data: "R3LDvMOfZQ==", mimeType }]);

type RepairRow = [sentence: string, request: Partial<ModelRequest>, wire: object, losses: string[]];

const historyRows: RepairRow[] = [
  [
    "B16: a rejected id is replaced on call and result",
    { messages: [user("Hello."), assistant([call("a b")]), toolMessage("a b")] },
    {
      messages: [
        {},
        { content: [wireCall(expect.stringMatching(/^a_b_\w{11}$/))] },
        { content: [wireResult(expect.stringMatching(/^a_b_\w{11}$/), "a b")] },
      ],
    },
    ["call-id-renamed /messages/1/parts/0/toolCallId", "call-id-renamed /messages/2/parts/0/toolCallId"],
  ],
  [
    "B30: a rejected tool name is replaced, also in a call to an undefined tool",
    { messages: [user("Hello."), assistant([{ ...call("a"), toolName: "x.y" }]), toolMessage("a")] },
    { messages: [{}, { content: [{ name: expect.stringMatching(/^x_y_\w{11}$/) }] }, {}] },
    ["tool-renamed /messages/1/parts/0/toolName", "result-tool-name-dropped /messages/2/parts/0/toolName"],
  ],
  [
    "B22, B32: arguments that are not an object are wrapped in one",
    { messages: [user("Hello."), assistant([call("a", "free"), call("b", [1])]), toolMessage("a", "b")] },
    { messages: [{}, { content: [{ input: { value: "free" } }, { input: { value: [1] } }] }, {}] },
    ["arguments-wrapped /messages/1/parts/0/input", "arguments-wrapped /messages/1/parts/1/input"],
  ],
  [
    "B24: a call without a result gets an error result",
    { messages: [user("Hello."), assistant([call("a")]), user("So?")] },
    { messages: [{}, {}, { content: [{ type: "tool_result", tool_use_id: "a", is_error: true }, { text: "So?" }] }] },
    ["result-synthesized /messages/1/parts/0"],
  ],
  [
    "B24: only the first of two results is sent",
    { messages: [user("Hello."), assistant([call("a")]), toolMessage("a", "a")] },
    { messages: [{}, {}, { content: [wireResult("a")] }] },
    ["result-duplicate /messages/2/parts/1"],
  ],
  [
    "B24: a result without a call is written as text",
    { messages: [user("Hello."), toolMessage("a")] },
    { messages: [{ role: "user", content: [{ text: "Hello." }, { text: "[Result of f, call a] a" }] }] },
    ["result-orphan /messages/1/parts/0"],
  ],
  [
    "B25: results are sorted in the order of their calls, in one message",
    { messages: [user("Hello."), assistant([call("a"), call("b")]), toolMessage("b", "a")] },
    { messages: [{}, {}, { content: [wireResult("a"), wireResult("b")] }] },
    ["results-reordered /messages/2/parts/0"],
  ],
  [
    "B25: a late result is moved after its call",
    { messages: [user("Hello."), assistant([call("a")]), user("Wait."), toolMessage("a")] },
    { messages: [{}, {}, { content: [wireResult("a"), { text: "Wait." }] }] },
    ["result-moved /messages/3/parts/0"],
  ],
  [
    "B34: blank text is dropped",
    {
      messages: [
        user([
          { type: "text", text: " " },
          { type: "text", text: "Hello." },
        ]),
      ],
    },
    { messages: [{ content: "Hello." }] },
    ["text-blank /messages/0/parts/0"],
  ],
  [
    "B35: trailing white space of a final assistant message is trimmed",
    { messages: [user("Hello."), assistant("Well \n")] },
    { messages: [{}, { content: "Well" }] },
    ["text-trimmed /messages/1/parts/0/text"],
  ],
  [
    "B41: a user message is inserted before a leading assistant message",
    { messages: [system("s"), assistant("Hello."), user("So?")] },
    { messages: [{ role: "user" }, { role: "assistant" }, { role: "user" }] },
    ["user-turn-synthesized /messages/1"],
  ],
  [
    "B41: a user message is inserted if the first one was dropped",
    { messages: [user([]), assistant("Hello."), user("So?")] },
    { messages: [{ role: "user" }, { role: "assistant" }, { role: "user" }] },
    ["message-empty /messages/0", "user-turn-synthesized /messages/1"],
  ],
  [
    "B41: a user message is inserted into an empty history",
    { messages: [system("s")] },
    { system: "s", messages: [{ role: "user" }] },
    ["user-turn-synthesized /messages"],
  ],
  [
    "B17: a repeated call id is replaced",
    { messages: [user("Hello."), assistant([call("a")]), toolMessage("a"), assistant([call("a")]), toolMessage("a")] },
    {
      messages: [
        {},
        { content: [wireCall("a")] },
        {},
        { content: [wireCall("a_2")] },
        { content: [wireResult("a_2", "a")] },
      ],
    },
    ["call-id-repeated /messages/3/parts/0/toolCallId", "call-id-repeated /messages/4/parts/0/toolCallId"],
  ],
  [
    "B50: a lone surrogate is replaced",
    { messages: [user("a\ud83d")] },
    { messages: [{ content: "a\ufffd" }] },
    ["lone-surrogate-replaced /messages/0/parts/0/text"],
  ],
  [
    "an empty message is dropped",
    { messages: [system([]), user("Hello."), assistant([]), user("So?")] },
    { messages: [{ content: [{ text: "Hello." }, { text: "So?" }] }] },
    ["message-empty /messages/0", "message-empty /messages/2", "turns-merged /messages/3/role"],
  ],
  [
    "B39: only the first four breakpoints are sent",
    {
      tools: [{ ...functionTool, cache: {} }],
      messages: [
        system([{ type: "text", text: "s", cache: { ttl: "1h" } }]),
        user([1, 2, 3].map((n) => ({ type: "text", text: `${n}`, cache: {} }))),
      ],
    },
    { messages: [{ content: [{ cache_control: {} }, { cache_control: {} }, { type: "text", text: "3" }] }] },
    ["cache-breakpoint-limit /messages/1/parts/2/cache"],
  ],
];

const mediaRows: RepairRow[] = [
  [
    "B47: a missing image type is detected from the data",
    { messages: [imageMessage()] },
    { messages: [{ content: [{ source: { media_type: "image/png" } }] }] },
    ["mime-type-corrected /messages/0/parts/0"],
  ],
  [
    "an image of an unsupported type is dropped",
    { messages: [imageMessage("image/tiff"), user("See?")] },
    { messages: [{ content: "See?" }] },
    ["media-format-unsupported /messages/0/parts/0", "message-unsupported /messages/0/parts"],
  ],
  [
    "B46: a text file in base64 is sent as text",
    { messages: [fileMessage("text/markdown")] },
    { messages: [{ content: [{ source: { type: "text", media_type: "text/plain", data: "Grüße" } }] }] },
    ["media-converted /messages/0/parts/0/data", "mime-type-corrected /messages/0/parts/0/mimeType"],
  ],
  [
    "a data URL is sent as base64",
    { messages: [user([{ type: "image", url: "data:image/gif;base64,R0lGODlh" }])] },
    { messages: [{ content: [{ source: { type: "base64", media_type: "image/gif", data: "R0lGODlh" } }] }] },
    ["media-converted /messages/0/parts/0/url"],
  ],
];

const settingRows: RepairRow[] = [
  [
    "B56: a default for `max_tokens` is reported",
    { sampling: {} },
    { max_tokens: 4096 },
    ["max-tokens-default /sampling/maxOutputTokens"],
  ],
  [
    "B56: the default for `max_tokens` is added to the thinking budget",
    { sampling: {}, reasoning: { budget: 8000 } },
    { max_tokens: 12096, thinking: { type: "enabled", budget_tokens: 8000 } },
    ["max-tokens-default /sampling/maxOutputTokens"],
  ],
  [
    "a budget below the minimum is raised",
    { reasoning: { budget: 100 } },
    { thinking: { budget_tokens: 1024 } },
    ["budget-adjusted /reasoning/budget"],
  ],
  [
    "a budget above `max_tokens` is lowered",
    { reasoning: { budget: 9999 } },
    { max_tokens: 4096, thinking: { budget_tokens: 2048 } },
    ["budget-adjusted /reasoning/budget"],
  ],
  [
    "a budget of zero disables thinking",
    { reasoning: { budget: 0 } },
    { thinking: { type: "disabled" } },
    ["budget-adjusted /reasoning/budget"],
  ],
  [
    "a negative budget becomes adaptive thinking",
    { reasoning: { budget: -1 } },
    { thinking: { type: "adaptive" } },
    ["budget-adjusted /reasoning/budget"],
  ],
  [
    "B8: thinking is disabled if `max_tokens` is too small",
    { reasoning: { budget: 2048 }, sampling: { maxOutputTokens: 500 } },
    { max_tokens: 500 },
    ["reasoning-disabled /reasoning/budget"],
  ],
  [
    "B8: thinking is disabled after tool calls of another provider",
    {
      reasoning: { budget: 2048 },
      messages: [user("Hello."), assistant([{ type: "reasoning", text: "Hm." }, call("a")]), toolMessage("a")],
    },
    { messages: [{}, { content: [wireCall("a")] }, {}] },
    ["reasoning-unsupported /messages/1/parts/0", "reasoning-disabled /reasoning/budget"],
  ],
  [
    "B55: a forced tool choice becomes `auto` while the model thinks",
    { reasoning: { budget: 2048 }, tools: [functionTool], toolChoice: "required", parallelToolCalls: false },
    { tool_choice: { type: "auto", disable_parallel_tool_use: true } },
    ["tool-choice-incompatible /toolChoice"],
  ],
  [
    "B55: a forced tool choice disables thinking with minimal effort",
    { reasoning: { effort: "minimal" }, tools: [functionTool], toolChoice: "required" },
    { tool_choice: { type: "any" }, output_config: { effort: "low" } },
    ["setting-approximated /reasoning/effort", "reasoning-disabled /reasoning/effort"],
  ],
  ...[
    "claude-3-7-sonnet-latest",
    "claude-sonnet-4-20250514",
    "anthropic.claude-opus-4-1-20250805-v1:0",
    "claude-haiku-4-5",
  ].map((model): RepairRow => [
    `an effort is a budget for ${model}`,
    { model, reasoning: { effort: "high" }, sampling: { maxOutputTokens: 20_000 } },
    { thinking: { type: "enabled", budget_tokens: 16_384 } },
    ["effort-as-budget /reasoning/effort"],
  ]),
  [
    "a budget for an effort is limited by `max_tokens`",
    { model: "claude-sonnet-4-5", reasoning: { effort: "medium" } },
    { max_tokens: 4096, thinking: { type: "enabled", budget_tokens: 2048 } },
    ["effort-as-budget /reasoning/effort", "budget-adjusted /reasoning/effort"],
  ],
  [
    "an effort beside a budget is dropped for models without effort",
    { model: "claude-sonnet-4-5", reasoning: { effort: "medium", budget: 1024 } },
    { thinking: { type: "enabled", budget_tokens: 1024 } },
    ["field-unsupported /reasoning/effort"],
  ],
  [
    "an effort is dropped for a model without thinking",
    { model: "claude-3-5-haiku-latest", reasoning: { effort: "low" } },
    {},
    ["reasoning-disabled /reasoning/effort"],
  ],
  ...["claude-opus-4-1", "claude-sonnet-4-5-20250929", "claude-opus-5"].map((model): RepairRow => [
    `temperature is all that ${model} takes beside top_p`,
    { model, sampling: { maxOutputTokens: 9, temperature: 0.5, topP: 0.9 } },
    { temperature: 0.5 },
    ["sampling-adjusted /sampling/topP"],
  ]),
  [
    "temperature and top_p are sent to a model that accepts both",
    { model: "claude-sonnet-4-20250514", sampling: { maxOutputTokens: 9, temperature: 0.5, topP: 0.9 } },
    { temperature: 0.5, top_p: 0.9 },
    [],
  ],
  [
    "sampling settings are dropped while the model thinks",
    { reasoning: { effort: "low" }, sampling: { maxOutputTokens: 9, temperature: 0.2, topP: 0.5, topK: 3 } },
    { max_tokens: 9, thinking: { type: "adaptive" } },
    ["sampling-adjusted /sampling/temperature", "sampling-adjusted /sampling/topP", "sampling-adjusted /sampling/topK"],
  ],
  [
    "a temperature above the limit is lowered, and a blank stop sequence dropped",
    { sampling: { maxOutputTokens: 9, temperature: 1.5, stop: ["\n", "END"] } },
    { temperature: 1, stop_sequences: ["END"] },
    ["sampling-adjusted /sampling/temperature", "sampling-adjusted /sampling/stop/0"],
  ],
  [
    "B52: a tool choice without tools is dropped",
    { toolChoice: "auto", parallelToolCalls: true },
    {},
    ["tool-settings-dropped /toolChoice", "tool-settings-dropped /parallelToolCalls"],
  ],
  [
    "B52: a required call without supported tools is reported as a loss",
    { tools: [{ type: "provider", dialect: "gemini", name: "maps", value: {} }], toolChoice: "required" },
    {},
    ["tool-not-portable /tools/0", "tool-choice-dropped /toolChoice"],
  ],
  [
    "B53: strict is dropped if the schema is not closed",
    { tools: [{ ...functionTool, strict: true }] },
    { tools: [{ name: "f", input_schema: { type: "object" } }] },
    ["strict-disabled /tools/0/strict"],
  ],
  [
    "an input schema without a type gets the type object",
    { tools: [{ type: "function", name: "f", inputSchema: { properties: {} } }] },
    { tools: [{ input_schema: { type: "object", properties: {} } }] },
    ["schema-changed /tools/0/inputSchema"],
  ],
  [
    "a union in an input schema is merged into one object",
    {
      tools: [
        {
          type: "function",
          name: "f",
          inputSchema: { type: "array", items: { $ref: "#/$defs/a" }, $defs: { a: { type: "string" } } },
        },
      ],
    },
    {
      tools: [
        {
          input_schema: {
            type: "object",
            properties: { value: { type: "array", items: { $ref: "#/$defs/a" } } },
            required: ["value"],
            $defs: { a: { type: "string" } },
          },
        },
      ],
    },
    ["schema-changed /tools/0/inputSchema"],
  ],
  [
    "the objects of an output schema are closed",
    { output: { type: "json-schema", schema: { type: "object", properties: { a: { type: "object" } } } } },
    {
      output_config: {
        format: {
          schema: {
            type: "object",
            properties: { a: { type: "object", additionalProperties: false } },
            additionalProperties: false,
          },
        },
      },
    },
    ["schema-changed /output/schema"],
  ],
  [
    "residue of dropped thinking is dropped",
    { extra: { anthropic: { thinking: { display: "omitted" } } } },
    {},
    ["residue-conflict /extra/anthropic/thinking"],
  ],
];

export const repairRows: readonly RepairRow[] = [...historyRows, ...mediaRows, ...settingRows];
