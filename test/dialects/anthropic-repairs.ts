// Requests that the provider would refuse as they are, and what is done about it.
import { expect } from "vitest";
import { assistant, system, user } from "../../src/model/message.ts";
import type { Message } from "../../src/model/message.ts";
import type { ToolCallPart, ToolResultPart } from "../../src/model/parts.ts";
import type { FunctionTool, ModelRequest } from "../../src/model/request.ts";

/** The codes that were seen. */
export const produced = new Set<string>();

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
const tool = (...ids: string[]): Message => ({ role: "tool", parts: ids.map(result) });
const use = (id: unknown): object => ({ type: "tool_use", id });
const answer = (id: unknown, content = id): object => ({ type: "tool_result", tool_use_id: id, content });
const f: FunctionTool = { type: "function", name: "f", inputSchema: { type: "object" } };
const image = (mimeType?: string): Message =>
  user([{ type: "image", data: "iVBORw0KGgoAAA==", ...(mimeType && { mimeType }) }]);
const file = (mimeType: string): Message => user([{ type: "file", data: "R3LDvMOfZQ==", mimeType }]);

type Row = [sentence: string, request: Partial<ModelRequest>, wire: object, losses: string[]];

const history: Row[] = [
  [
    "B16: an id that is refused is replaced on call and result alike",
    { messages: [user("Hello."), assistant([call("a b")]), tool("a b")] },
    {
      messages: [
        {},
        { content: [use(expect.stringMatching(/^a_b_\w{11}$/))] },
        { content: [answer(expect.stringMatching(/^a_b_\w{11}$/), "a b")] },
      ],
    },
    ["call-id-renamed /messages/1/parts/0/toolCallId", "call-id-renamed /messages/2/parts/0/toolCallId"],
  ],
  [
    "B30: a name that is refused is replaced, also where a model made it up",
    { messages: [user("Hello."), assistant([{ ...call("a"), toolName: "x.y" }]), tool("a")] },
    { messages: [{}, { content: [{ name: expect.stringMatching(/^x_y_\w{11}$/) }] }, {}] },
    ["tool-renamed /messages/1/parts/0/toolName", "tool-name /messages/2/parts/0/toolName"],
  ],
  [
    "B22, B32: arguments that are no object, free text among them, are put into one",
    { messages: [user("Hello."), assistant([call("a", "free"), call("b", [1])]), tool("a", "b")] },
    { messages: [{}, { content: [{ input: { value: "free" } }, { input: { value: [1] } }] }, {}] },
    ["arguments-wrapped /messages/1/parts/0/input", "arguments-wrapped /messages/1/parts/1/input"],
  ],
  [
    "B24: a call without a result gets one that says so",
    { messages: [user("Hello."), assistant([call("a")]), user("So?")] },
    { messages: [{}, {}, { content: [{ type: "tool_result", tool_use_id: "a", is_error: true }, { text: "So?" }] }] },
    ["result-synthesized /messages/1/parts/0"],
  ],
  [
    "B24: of two results for a call the first counts",
    { messages: [user("Hello."), assistant([call("a")]), tool("a", "a")] },
    { messages: [{}, {}, { content: [answer("a")] }] },
    ["result-duplicate /messages/2/parts/1"],
  ],
  [
    "B24: a result without a call is said as text",
    { messages: [user("Hello."), tool("a")] },
    { messages: [{ role: "user", content: [{ text: "Hello." }, { text: "[Result of f, call a] a" }] }] },
    ["result-orphan /messages/1/parts/0"],
  ],
  [
    "B25: results go out in the order of their calls, in one turn",
    { messages: [user("Hello."), assistant([call("a"), call("b")]), tool("b", "a")] },
    { messages: [{}, {}, { content: [answer("a"), answer("b")] }] },
    ["results-reordered /messages/2/parts/0"],
  ],
  [
    "B25: a result that comes late is brought to its call",
    { messages: [user("Hello."), assistant([call("a")]), user("Wait."), tool("a")] },
    { messages: [{}, {}, { content: [answer("a"), { text: "Wait." }] }] },
    ["result-moved /messages/3/parts/0"],
  ],
  [
    "B34: blank text is left out",
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
    "B35: white space at the end of a final answer is left out",
    { messages: [user("Hello."), assistant("Well \n")] },
    { messages: [{}, { content: "Well" }] },
    ["text-trimmed /messages/1/parts/0/text"],
  ],
  [
    "B41: the user speaks first",
    { messages: [system("s"), assistant("Hello."), user("So?")] },
    { messages: [{ role: "user" }, { role: "assistant" }, { role: "user" }] },
    ["user-first /messages/1"],
  ],
  [
    "B41: also where nothing of the user's is left",
    { messages: [user([]), assistant("Hello."), user("So?")] },
    { messages: [{ role: "user" }, { role: "assistant" }, { role: "user" }] },
    ["message-empty /messages/0", "user-first /messages/1"],
  ],
  [
    "B41: and where nobody has spoken at all",
    { messages: [system("s")] },
    { system: "s", messages: [{ role: "user" }] },
    ["user-first /messages"],
  ],
  [
    "B17: an id that was used before is told apart",
    { messages: [user("Hello."), assistant([call("a")]), tool("a"), assistant([call("a")]), tool("a")] },
    { messages: [{}, { content: [use("a")] }, {}, { content: [use("a_2")] }, { content: [answer("a_2", "a")] }] },
    ["call-id-repeated /messages/3/parts/0/toolCallId", "call-id-repeated /messages/4/parts/0/toolCallId"],
  ],
  [
    "B50: half a character is replaced",
    { messages: [user("a\ud83d")] },
    { messages: [{ content: "a\ufffd" }] },
    ["surrogates /messages/0/parts/0/text"],
  ],
  [
    "a message that says nothing is left out",
    { messages: [system([]), user("Hello."), assistant([]), user("So?")] },
    { messages: [{ content: [{ text: "Hello." }, { text: "So?" }] }] },
    ["message-empty /messages/0", "message-empty /messages/2", "turns-merged /messages/3/role"],
  ],
  [
    "B39: of more than four breakpoints the first four count",
    {
      tools: [{ ...f, cache: {} }],
      messages: [
        system([{ type: "text", text: "s", cache: { ttl: "1h" } }]),
        user([1, 2, 3].map((n) => ({ type: "text", text: `${n}`, cache: {} }))),
      ],
    },
    { messages: [{ content: [{ cache_control: {} }, { cache_control: {} }, { type: "text", text: "3" }] }] },
    ["cache-surplus /messages/1/parts/2/cache"],
  ],
];

const media: Row[] = [
  [
    "B47: the type of an image is told by its beginning",
    { messages: [image()] },
    { messages: [{ content: [{ source: { media_type: "image/png" } }] }] },
    ["media-type /messages/0/parts/0"],
  ],
  [
    "an image of a type that is not taken is left out",
    { messages: [image("image/tiff"), user("See?")] },
    { messages: [{ content: "See?" }] },
    ["media-unfit /messages/0/parts/0", "message-unsaid /messages/0/parts"],
  ],
  [
    "B46: a text in base64 goes out as the text that it is",
    { messages: [file("text/markdown")] },
    { messages: [{ content: [{ source: { type: "text", media_type: "text/plain", data: "Grüße" } }] }] },
    ["media-inlined /messages/0/parts/0/data", "media-type /messages/0/parts/0/mimeType"],
  ],
  [
    "a data URL goes out as its bytes",
    { messages: [user([{ type: "image", url: "data:image/gif;base64,R0lGODlh" }])] },
    { messages: [{ content: [{ source: { type: "base64", media_type: "image/gif", data: "R0lGODlh" } }] }] },
    ["media-inlined /messages/0/parts/0/url"],
  ],
];

const settings: Row[] = [
  [
    "B56: a default length is reported",
    { sampling: {} },
    { max_tokens: 4096 },
    ["max-tokens-default /sampling/maxOutputTokens"],
  ],
  [
    "B56: and leaves room for a budget",
    { sampling: {}, reasoning: { budget: 8000 } },
    { max_tokens: 12096, thinking: { type: "enabled", budget_tokens: 8000 } },
    ["max-tokens-default /sampling/maxOutputTokens"],
  ],
  [
    "a budget that is too small is raised",
    { reasoning: { budget: 100 } },
    { thinking: { budget_tokens: 1024 } },
    ["budget-adjusted /reasoning/budget"],
  ],
  [
    "a budget that is too large is lowered",
    { reasoning: { budget: 9999 } },
    { max_tokens: 4096, thinking: { budget_tokens: 2048 } },
    ["budget-adjusted /reasoning/budget"],
  ],
  [
    "no budget is no thinking",
    { reasoning: { budget: 0 } },
    { thinking: { type: "disabled" } },
    ["budget-adjusted /reasoning/budget"],
  ],
  [
    "a budget that leaves it to the model",
    { reasoning: { budget: -1 } },
    { thinking: { type: "adaptive" } },
    ["budget-adjusted /reasoning/budget"],
  ],
  [
    "B8: an answer that is too short for thinking",
    { reasoning: { budget: 2048 }, sampling: { maxOutputTokens: 500 } },
    { max_tokens: 500 },
    ["thinking-unfit /reasoning/budget"],
  ],
  [
    "B8: a turn in progress that began elsewhere goes on without thinking",
    {
      reasoning: { budget: 2048 },
      messages: [user("Hello."), assistant([{ type: "reasoning", text: "Hm." }, call("a")]), tool("a")],
    },
    { messages: [{}, { content: [use("a")] }, {}] },
    ["reasoning-unsaid /messages/1/parts/0", "thinking-unfit /reasoning/budget"],
  ],
  [
    "B55: a tool cannot be forced while the model thinks",
    { reasoning: { budget: 2048 }, tools: [f], toolChoice: "required", parallelToolCalls: false },
    { tool_choice: { type: "auto", disable_parallel_tool_use: true } },
    ["choice-unfit /toolChoice"],
  ],
  [
    "B55: but a call is worth more than minimal thinking",
    { reasoning: { effort: "minimal" }, tools: [f], toolChoice: "required" },
    { tool_choice: { type: "any" }, output_config: { effort: "low" } },
    ["setting-approximated /reasoning/effort", "thinking-unfit /reasoning/effort"],
  ],
  ...[
    "claude-3-7-sonnet-latest",
    "claude-sonnet-4-20250514",
    "anthropic.claude-opus-4-1-20250805-v1:0",
    "claude-haiku-4-5",
  ].map((model): Row => [
    `an effort is a budget for ${model}`,
    { model, reasoning: { effort: "high" }, sampling: { maxOutputTokens: 20_000 } },
    { thinking: { type: "enabled", budget_tokens: 16_384 } },
    ["effort-as-budget /reasoning/effort"],
  ]),
  [
    "a budget for an effort fits the length of the answer",
    { model: "claude-sonnet-4-5", reasoning: { effort: "medium" } },
    { max_tokens: 4096, thinking: { type: "enabled", budget_tokens: 2048 } },
    ["effort-as-budget /reasoning/effort", "budget-adjusted /reasoning/effort"],
  ],
  [
    "a budget beside an effort that this model does not take",
    { model: "claude-sonnet-4-5", reasoning: { effort: "medium", budget: 1024 } },
    { thinking: { type: "enabled", budget_tokens: 1024 } },
    ["field-unsaid /reasoning/effort"],
  ],
  [
    "an effort for a model that does not think",
    { model: "claude-3-5-haiku-latest", reasoning: { effort: "low" } },
    {},
    ["thinking-unfit /reasoning/effort"],
  ],
  ...["claude-opus-4-1", "claude-sonnet-4-5-20250929", "claude-opus-5"].map((model): Row => [
    `temperature is all that ${model} takes beside top_p`,
    { model, sampling: { maxOutputTokens: 9, temperature: 0.5, topP: 0.9 } },
    { temperature: 0.5 },
    ["sampling-unfit /sampling/topP"],
  ]),
  [
    "temperature and top_p for a model that takes both",
    { model: "claude-sonnet-4-20250514", sampling: { maxOutputTokens: 9, temperature: 0.5, topP: 0.9 } },
    { temperature: 0.5, top_p: 0.9 },
    [],
  ],
  [
    "sampling cannot be changed while the model thinks",
    { reasoning: { effort: "low" }, sampling: { maxOutputTokens: 9, temperature: 0.2, topP: 0.5, topK: 3 } },
    { max_tokens: 9, thinking: { type: "adaptive" } },
    ["sampling-unfit /sampling/temperature", "sampling-unfit /sampling/topP", "sampling-unfit /sampling/topK"],
  ],
  [
    "a temperature beyond the limit, and a blank stop word",
    { sampling: { maxOutputTokens: 9, temperature: 1.5, stop: ["\n", "END"] } },
    { temperature: 1, stop_sequences: ["END"] },
    ["sampling-unfit /sampling/temperature", "sampling-unfit /sampling/stop/0"],
  ],
  [
    "B52: a choice without tools is left out",
    { toolChoice: "auto", parallelToolCalls: true },
    {},
    ["tools-empty /toolChoice", "tools-empty /parallelToolCalls"],
  ],
  [
    "B52: a call that was demanded of tools that are gone is missed",
    { tools: [{ type: "provider", dialect: "gemini", name: "maps", value: {} }], toolChoice: "required" },
    {},
    ["tool-foreign /tools/0", "choice-lost /toolChoice"],
  ],
  [
    "B53: strict is claimed only for closed objects",
    { tools: [{ ...f, strict: true }] },
    { tools: [{ name: "f", input_schema: { type: "object" } }] },
    ["strict-unmet /tools/0/strict"],
  ],
  [
    "a schema of input says that it is an object",
    { tools: [{ type: "function", name: "f", inputSchema: { properties: {} } }] },
    { tools: [{ input_schema: { type: "object", properties: {} } }] },
    ["schema-changed /tools/0/inputSchema"],
  ],
  [
    "a schema of input that is no object is put into one",
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
    "the objects of an answer's schema are closed",
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
    "what was kept of thinking that is gone is left out",
    { extra: { anthropic: { thinking: { display: "omitted" } } } },
    {},
    ["residue-clash /extra/anthropic/thinking"],
  ],
];

export const repairRows: readonly Row[] = [...history, ...media, ...settings];
