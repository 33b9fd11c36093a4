// What requests and answers of OpenAI's Responses cannot say, and what is mended for them, one row each.
import { assistant, user } from "../../src/model/message.ts";
import type { Message } from "../../src/model/message.ts";
import type { Part, ToolCallPart } from "../../src/model/parts.ts";
import type { ModelRequest } from "../../src/model/request.ts";
import { call, DIALECT, result, sealed, wireCall, wireResult } from "./openai-responses-loss-rows.ts";

const schema = { type: "object", properties: { a: { type: "string" } } };

const plainTool = { type: "function", name: "f", strict: false } as const;
const asString = { ...user("x"), extra: { [DIALECT]: { $form: { input: "string" } } } };

/** Settings beside one question, what goes out beside it, and the losses told. */
export const requestRows: [sentence: string, request: Partial<ModelRequest>, wire: object, losses: string[]][] = [
  [
    "settings without a field",
    { sampling: { topK: 1, seed: 2, stop: ["x"], n: 2, temperature: 0.5 } },
    { temperature: 0.5 },
    [
      "field-unsaid /sampling/topK",
      "field-unsaid /sampling/seed",
      "field-unsaid /sampling/stop",
      "field-unsaid /sampling/n",
    ],
  ],
  [
    "log probabilities are included",
    { sampling: { logprobs: true, topLogprobs: 2 }, extra: { [DIALECT]: { include: ["x"] } } },
    { top_logprobs: 2, include: ["x", "message.output_text.logprobs"] },
    [],
  ],
  ["log probabilities that nobody wants", { sampling: { logprobs: false } }, {}, ["default-unsaid /sampling/logprobs"]],
  [
    "B57: a budget alone says nothing about reasoning",
    { reasoning: { budget: 1024 } },
    {},
    ["field-unsaid /reasoning/budget"],
  ],
  [
    "a schema needs a name",
    { output: { type: "json-schema", schema: {} } },
    { text: { format: { type: "json_schema", name: "response", schema: {} } } },
    ["field-filled /output/name"],
  ],
  [
    "B53: strict is claimed only of schemas that comply",
    {
      output: { type: "json-schema", name: "n", schema, strict: true },
      tools: [{ type: "function", name: "f", inputSchema: schema, strict: true }],
    },
    {
      text: { format: { type: "json_schema", name: "n", schema, strict: false } },
      tools: [{ type: "function", name: "f", parameters: schema, strict: false }],
    },
    ["strict-unmet /output/strict", "strict-unmet /tools/0/strict"],
  ],
  [
    "B52: a tool that does not say whether it is strict is not",
    { tools: [{ type: "function", name: "f", format: "json", cache: {} }] },
    { tools: [{ type: "function", name: "f", parameters: null, strict: false }] },
    ["bookkeeping /tools/0/cache", "tool-default /tools/0/format", "field-filled /tools/0/strict"],
  ],
  [
    "B33: a tool of another provider is left out",
    { tools: [{ type: "provider", dialect: "gemini", name: "x", value: {} }, plainTool] },
    { tools: [{ type: "function", name: "f", parameters: null, strict: false }] },
    ["provider-tool /tools/0"],
  ],
  [
    "B52: where no tool is left, nothing is said about tools",
    {
      tools: [{ type: "provider", dialect: "gemini", name: "x", value: {} }],
      toolChoice: "auto",
      parallelToolCalls: true,
    },
    {},
    ["provider-tool /tools/0", "tools-empty /tools", "tools-empty /toolChoice", "tools-empty /parallelToolCalls"],
  ],
  [
    "metadata that the API does not take",
    { metadata: { a: "x", b: 1, c: "x".repeat(513), ["d".repeat(65)]: "x" } },
    { metadata: { a: "x" } },
    ["metadata-unfit /metadata/b", "metadata-unfit /metadata/c", `metadata-unfit /metadata/${"d".repeat(65)}`],
  ],
  ["no metadata that the API takes", { metadata: { b: null } }, {}, ["metadata-unfit /metadata/b"]],
  [
    "metadata beyond the sixteenth",
    { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, "x"])) },
    { metadata: Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`k${at}`, "x"])) },
    ["metadata-unfit /metadata/k16"],
  ],
  ["B52: nothing can be forced without tools", { toolChoice: "required" }, {}, ["tools-empty /toolChoice"]],
  [
    "B52: what forces nothing stays",
    { toolChoice: "none", tools: [], parallelToolCalls: true },
    { tool_choice: "none", tools: [], parallel_tool_calls: true },
    [],
  ],
  [
    "B30: a name that the API refuses is changed alike everywhere",
    { tools: [{ type: "function", name: "a.b", strict: false }], toolChoice: { toolName: "a.b" } },
    {
      tools: [{ type: "function", name: "RENAMED", parameters: null, strict: false }],
      tool_choice: { type: "function", name: "RENAMED" },
    },
    ["tool-renamed /tools/0/name", "tool-renamed /toolChoice/toolName"],
  ],
  [
    "what another provider has stored breaks the request",
    { extra: { anthropic: { container: "c", x: 1 } } },
    {},
    ["context-foreign /extra/anthropic/container", "residue-foreign /extra/anthropic/x"],
  ],
  [
    "B36: a prefill is not continued",
    { messages: [user("x"), assistant("y")] },
    {
      input: [
        { role: "user", content: "x" },
        { role: "assistant", content: "y" },
      ],
    },
    ["prefill /messages/1/role"],
  ],
  [
    "a question that was a string is one of a list now",
    { messages: [asString, user("y")] },
    {
      input: [
        { role: "user", content: "x" },
        { role: "user", content: "y" },
      ],
    },
    ["form-stale /messages/0/extra/openai-responses"],
  ],
];

const think = (...seals: Required<Part>["seals"]): Part => ({ type: "reasoning", text: "", seals });
const stored = think(sealed("id", "rs_1"));
const portable = think(sealed("id", "rs_1"), sealed("encrypted", "e"));
const said = (id: string | undefined): Part => {
  return { type: "text", text: "y", ...(id !== undefined && { seals: [sealed("id", id)] }) };
};
const wireSaid = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "y", annotations: [], logprobs: [] }],
};
const wireStored = { type: "reasoning", id: "rs_1", summary: [] };
const plain = { role: "assistant", content: "y" };
const tool = (...parts: Part[]): Message => ({ role: "tool", parts });
const { output: _, ...none } = result;
const computer: ToolCallPart = { ...call, tool: "computer_call", toolName: "computer", input: { type: "wait" } };
const wireComputer = { ...wireCall, name: "computer", arguments: '{"type":"wait"}' };
const LONG = "x".repeat(65);

/** A history between two questions, what goes out between them, and the repairs told. */
export const repairRows: [sentence: string, messages: Message[], items: object[], losses: string[], extra?: object][] =
  [
    ["B12: reasoning goes out with what followed it", [assistant([stored, said("msg_1")])], [wireStored, wireSaid], []],
    [
      "B12: reasoning that nothing follows is left out",
      [assistant([said("msg_1"), stored])],
      [wireSaid],
      ["reasoning-unpaired /messages/1/parts/1"],
    ],
    [
      "B12: reasoning whose follower was edited is left out",
      [assistant([stored, said(undefined)])],
      [plain],
      ["reasoning-unpaired /messages/1/parts/0"],
    ],
    [
      "B12: what comes after reasoning that was left out goes without its id",
      [assistant([stored, said(undefined), { ...call, seals: [sealed("id", "fc_1")] }]), tool(result)],
      [plain, wireCall, wireResult],
      ["reasoning-unpaired /messages/1/parts/0", "id-foreign /messages/1/parts/2/seals/0"],
    ],
    [
      "B12: thoughts in a row belong to what follows them",
      [assistant([stored, stored, said("msg_1")])],
      [wireStored, wireStored, wireSaid],
      [],
    ],
    [
      "B12: encrypted reasoning does not need its follower's id",
      [assistant([portable, said(undefined)])],
      [{ ...wireStored, encrypted_content: "e" }, plain],
      [],
    ],
    [
      "B12: encrypted reasoning whose follower was removed is left out",
      [assistant([portable])],
      [],
      ["reasoning-unpaired /messages/1/parts/0", "message-unsaid /messages/1"],
    ],
    [
      "B12: what cannot be said follows nothing",
      [assistant([portable, { type: "image", url: "u" }])],
      [],
      ["reasoning-unpaired /messages/1/parts/0", "part-unsayable /messages/1/parts/1", "message-unsaid /messages/1"],
    ],
    [
      "B12: the follower may stand in a later message of the same run",
      [assistant([portable]), assistant([portable]), assistant("y")],
      [{ ...wireStored, encrypted_content: "e" }, { ...wireStored, encrypted_content: "e" }, plain],
      ["turns-merged /messages/2/role", "turns-merged /messages/3/role"],
    ],
    ["B7: a message that says nothing is left out", [user([])], [], ["message-empty /messages/1"]],
    [
      "B7, B27: a result that says nothing is an empty text",
      [assistant([call]), tool({ ...none, content: [] })],
      [wireCall, { ...wireResult, output: "" }],
      ["result-empty /messages/2/parts/0/output"],
    ],
    [
      "B24: what a computer was asked is a function's where no picture answers it",
      [assistant([{ ...computer, seals: [sealed("id", "cu_1")] }])],
      [wireComputer, { ...wireResult, output: "No result was recorded for this call." }],
      [
        "result-synthesized /messages/1/parts/0",
        "field-unsaid /messages/1/parts/0/tool",
        "id-foreign /messages/1/parts/0/seals/0",
      ],
    ],
    [
      "B12: reasoning by its id does not go out where its follower is another item",
      [assistant([stored, { ...computer, seals: [sealed("id", "cu_1")] }]), tool({ ...result, toolName: "computer" })],
      [wireComputer, wireResult],
      [
        "reasoning-unpaired /messages/1/parts/0",
        "field-unsaid /messages/1/parts/1/tool",
        "id-foreign /messages/1/parts/1/seals/0",
      ],
    ],
    [
      "B24: a text that answers a computer's call is a function's",
      [assistant([computer]), tool({ ...result, toolName: "computer" })],
      [wireComputer, wireResult],
      ["field-unsaid /messages/1/parts/0/tool"],
    ],
    [
      "B24: a picture that answers a computer's call stays one",
      [assistant([computer]), tool({ ...none, toolName: "computer", content: [{ type: "image", url: "u" }] })],
      [
        { type: "computer_call", call_id: "a", action: { type: "wait" } },
        { type: "computer_call_output", call_id: "a", output: { type: "computer_screenshot", image_url: "u" } },
      ],
      [],
    ],
    [
      "B13: where nothing is stored, an id alone finds nothing",
      [assistant([stored, said("msg_1")])],
      [plain],
      ["reasoning-unpaired /messages/1/parts/0", "id-foreign /messages/1/parts/1/seals/0"],
      { store: false },
    ],
    [
      "B13: no empty id is sent",
      [assistant([think(sealed("id", "")), said("")])],
      [plain],
      ["reasoning-unpaired /messages/1/parts/0", "id-foreign /messages/1/parts/1/seals/0"],
    ],
    [
      "B13: an id that was made for a client is no provider's",
      [assistant([think(sealed("id", "rs_koine_x_0")), said("msg_1")])],
      [plain],
      ["reasoning-unpaired /messages/1/parts/0", "id-foreign /messages/1/parts/1/seals/0"],
    ],
    [
      "B7, B15: reasoning without a seal leaves no trace",
      [assistant([{ type: "reasoning", text: "Hm." }])],
      [],
      ["reasoning-unsaid /messages/1/parts/0", "message-unsaid /messages/1"],
    ],
    [
      "B16: an id that is too long is changed alike on call and result",
      [assistant([{ ...call, toolCallId: LONG }]), tool({ ...result, toolCallId: LONG })],
      [
        { ...wireCall, call_id: "RENAMED" },
        { ...wireResult, call_id: "RENAMED" },
      ],
      ["call-id-renamed /messages/1/parts/0/toolCallId", "call-id-renamed /messages/2/parts/0/toolCallId"],
    ],
    [
      "B24: a call without a result gets one",
      [assistant([call])],
      [wireCall, { ...wireResult, output: "No result was recorded for this call." }],
      ["result-synthesized /messages/1/parts/0"],
    ],
    [
      "B17: an id that is used again gets a name of its own",
      [assistant([call]), tool(result), assistant([call]), tool(result)],
      [wireCall, wireResult, { ...wireCall, call_id: "a_2" }, { ...wireResult, call_id: "a_2" }],
      ["call-id-repeated /messages/3/parts/0/toolCallId", "call-id-repeated /messages/4/parts/0/toolCallId"],
    ],
    [
      "B24: a second result is left out",
      [assistant([call]), tool(result, { ...result, output: "y" })],
      [wireCall, wireResult],
      ["result-duplicate /messages/2/parts/1"],
    ],
    [
      "B24: a result without a call is a text",
      [tool(result)],
      [{ role: "user", content: "[Result of f, call a] x" }],
      ["result-orphan /messages/1/parts/0"],
    ],
    [
      "B24: a result of a stored call stays one",
      [tool(result)],
      [wireResult],
      ["tool-name /messages/1/parts/0/toolName"],
      { previous_response_id: "resp_1" },
    ],
    [
      "B25: results may stand anywhere after their calls, in any order",
      [assistant([call, { ...call, toolCallId: "b" }]), user("y"), tool({ ...result, toolCallId: "b" }, result)],
      [
        wireCall,
        { ...wireCall, call_id: "b" },
        { role: "user", content: "y" },
        { ...wireResult, call_id: "b" },
        wireResult,
      ],
      [],
    ],
    [
      "B50: half a character is replaced",
      [user("half \ud83d")],
      [{ role: "user", content: "half \ufffd" }],
      ["surrogates /messages/1/parts/0/text"],
    ],
  ];
