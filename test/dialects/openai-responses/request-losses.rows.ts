// Rows for losses.test.ts: requests and histories, their encoding, and the losses and repairs in Responses.
import { assistant, user } from "../../../src/model/message.ts";
import type { Message } from "../../../src/model/message.ts";
import type { Part, ToolCallPart } from "../../../src/model/parts.ts";
import type { ModelRequest } from "../../../src/model/request.ts";
import { call, DIALECT, result, sealed, wireCall, wireResult } from "./item-losses.rows.ts";

const schema = { type: "object", properties: { a: { type: "string" } } };

const plainTool = { type: "function", name: "f", strict: false } as const;
const asString = { ...user("x"), extra: { [DIALECT]: { $form: { input: "string" } } } };

/** Settings beside one user message, their encoding, and the losses. */
export const requestRows: [sentence: string, request: Partial<ModelRequest>, wire: object, losses: string[]][] = [
  [
    "settings without a field",
    { sampling: { topK: 1, seed: 2, stop: ["x"], n: 2, temperature: 0.5 } },
    { temperature: 0.5 },
    [
      "field-unsupported /sampling/topK",
      "field-unsupported /sampling/seed",
      "field-unsupported /sampling/stop",
      "field-unsupported /sampling/n",
    ],
  ],
  [
    "log probabilities are requested in include",
    { sampling: { logprobs: true, topLogprobs: 2 }, extra: { [DIALECT]: { include: ["x"] } } },
    { top_logprobs: 2, include: ["x", "message.output_text.logprobs"] },
    [],
  ],
  ["logprobs: false is omitted", { sampling: { logprobs: false } }, {}, ["default-omitted /sampling/logprobs"]],
  [
    "B57: reasoning with only a budget is not sent",
    { reasoning: { budget: 1024 } },
    {},
    ["field-unsupported /reasoning/budget"],
  ],
  [
    "a schema without a name gets one",
    { output: { type: "json-schema", schema: {} } },
    { text: { format: { type: "json_schema", name: "response", schema: {} } } },
    ["field-synthesized /output/name"],
  ],
  [
    "B53: strict is only sent for a schema that complies",
    {
      output: { type: "json-schema", name: "n", schema, strict: true },
      tools: [{ type: "function", name: "f", inputSchema: schema, strict: true }],
    },
    {
      text: { format: { type: "json_schema", name: "n", schema, strict: false } },
      tools: [{ type: "function", name: "f", parameters: schema, strict: false }],
    },
    ["strict-disabled /output/strict", "strict-disabled /tools/0/strict"],
  ],
  [
    "B52: a tool without strict is sent as not strict",
    { tools: [{ type: "function", name: "f", format: "json", cache: {} }] },
    { tools: [{ type: "function", name: "f", parameters: null, strict: false }] },
    ["metadata-dropped /tools/0/cache", "tool-default-omitted /tools/0/format", "field-synthesized /tools/0/strict"],
  ],
  [
    "B33: a tool of another provider is dropped",
    { tools: [{ type: "provider", dialect: "gemini", name: "x", value: {} }, plainTool] },
    { tools: [{ type: "function", name: "f", parameters: null, strict: false }] },
    ["provider-tool-unsupported /tools/0"],
  ],
  [
    "B52: settings about tools are dropped with the last tool",
    {
      tools: [{ type: "provider", dialect: "gemini", name: "x", value: {} }],
      toolChoice: "auto",
      parallelToolCalls: true,
    },
    {},
    [
      "provider-tool-unsupported /tools/0",
      "tool-settings-dropped /tools",
      "tool-settings-dropped /toolChoice",
      "tool-settings-dropped /parallelToolCalls",
    ],
  ],
  [
    "metadata that the API rejects is dropped",
    { metadata: { a: "x", b: 1, c: "x".repeat(513), ["d".repeat(65)]: "x" } },
    { metadata: { a: "x" } },
    ["metadata-invalid /metadata/b", "metadata-invalid /metadata/c", `metadata-invalid /metadata/${"d".repeat(65)}`],
  ],
  ["metadata without a valid entry is dropped", { metadata: { b: null } }, {}, ["metadata-invalid /metadata/b"]],
  [
    "metadata beyond the sixteenth entry is dropped",
    { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, "x"])) },
    { metadata: Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`k${at}`, "x"])) },
    ["metadata-invalid /metadata/k16"],
  ],
  [
    "B52: a forced choice without tools is dropped",
    { toolChoice: "required" },
    {},
    ["tool-settings-dropped /toolChoice"],
  ],
  [
    "B52: a choice that forces nothing is sent without tools",
    { toolChoice: "none", tools: [], parallelToolCalls: true },
    { tool_choice: "none", tools: [], parallel_tool_calls: true },
    [],
  ],
  [
    "B30: an invalid tool name is renamed everywhere",
    { tools: [{ type: "function", name: "a.b", strict: false }], toolChoice: { toolName: "a.b" } },
    {
      tools: [{ type: "function", name: "RENAMED", parameters: null, strict: false }],
      tool_choice: { type: "function", name: "RENAMED" },
    },
    ["tool-renamed /tools/0/name", "tool-renamed /toolChoice/toolName"],
  ],
  [
    "a reference to stored data of another provider is reported",
    { extra: { anthropic: { container: "c", x: 1 } } },
    {},
    ["context-not-portable /extra/anthropic/container", "residue-not-portable /extra/anthropic/x"],
  ],
  [
    "B36: a prefill is reported",
    { messages: [user("x"), assistant("y")] },
    {
      input: [
        { role: "user", content: "x" },
        { role: "assistant", content: "y" },
      ],
    },
    ["prefill-unsupported /messages/1/role"],
  ],
  [
    "an input string becomes a list if messages follow",
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

const reasoning = (...seals: Required<Part>["seals"]): Part => ({ type: "reasoning", text: "", seals });
const stored = reasoning(sealed("id", "rs_1"));
const portable = reasoning(sealed("id", "rs_1"), sealed("encrypted", "e"));
const assistantText = (id: string | undefined): Part => {
  return { type: "text", text: "y", ...(id !== undefined && { seals: [sealed("id", id)] }) };
};
const wireAssistantText = {
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

/** Messages between two user messages, their encoding, and the repairs. */
export const repairRows: [sentence: string, messages: Message[], items: object[], losses: string[], extra?: object][] =
  [
    [
      "B12: reasoning is sent with its follower",
      [assistant([stored, assistantText("msg_1")])],
      [wireStored, wireAssistantText],
      [],
    ],
    [
      "B12: reasoning without a follower is dropped",
      [assistant([assistantText("msg_1"), stored])],
      [wireAssistantText],
      ["reasoning-unpaired /messages/1/parts/1"],
    ],
    [
      "B12: reasoning whose follower was edited is dropped",
      [assistant([stored, assistantText(undefined)])],
      [plain],
      ["reasoning-unpaired /messages/1/parts/0"],
    ],
    [
      "B12: the follower of dropped reasoning is sent without its id",
      [assistant([stored, assistantText(undefined), { ...call, seals: [sealed("id", "fc_1")] }]), tool(result)],
      [plain, wireCall, wireResult],
      ["reasoning-unpaired /messages/1/parts/0", "id-not-portable /messages/1/parts/2/seals/0"],
    ],
    [
      "B12: adjacent reasoning items have one follower",
      [assistant([stored, stored, assistantText("msg_1")])],
      [wireStored, wireStored, wireAssistantText],
      [],
    ],
    [
      "B12: encrypted reasoning does not need its follower's id",
      [assistant([portable, assistantText(undefined)])],
      [{ ...wireStored, encrypted_content: "e" }, plain],
      [],
    ],
    [
      "B12: encrypted reasoning whose follower was removed is dropped",
      [assistant([portable])],
      [],
      ["reasoning-unpaired /messages/1/parts/0", "message-unsupported /messages/1"],
    ],
    [
      "B12: a dropped part is not a follower",
      [assistant([portable, { type: "image", url: "u" }])],
      [],
      [
        "reasoning-unpaired /messages/1/parts/0",
        "part-unsupported /messages/1/parts/1",
        "message-unsupported /messages/1",
      ],
    ],
    [
      "B12: the follower can be in a later message of the same run",
      [assistant([portable]), assistant([portable]), assistant("y")],
      [{ ...wireStored, encrypted_content: "e" }, { ...wireStored, encrypted_content: "e" }, plain],
      ["turns-merged /messages/2/role", "turns-merged /messages/3/role"],
    ],
    ["B7: an empty message is dropped", [user([])], [], ["message-empty /messages/1"]],
    [
      "B7, B27: an empty result is an empty text",
      [assistant([call]), tool({ ...none, content: [] })],
      [wireCall, { ...wireResult, output: "" }],
      ["result-empty /messages/2/parts/0/output"],
    ],
    [
      "B24: a computer call without an image as its result becomes a function call",
      [assistant([{ ...computer, seals: [sealed("id", "cu_1")] }])],
      [wireComputer, { ...wireResult, output: "No result was recorded for this call." }],
      [
        "result-synthesized /messages/1/parts/0",
        "field-unsupported /messages/1/parts/0/tool",
        "id-not-portable /messages/1/parts/0/seals/0",
      ],
    ],
    [
      "B12: reasoning by id is dropped if its follower becomes another item",
      [assistant([stored, { ...computer, seals: [sealed("id", "cu_1")] }]), tool({ ...result, toolName: "computer" })],
      [wireComputer, wireResult],
      [
        "reasoning-unpaired /messages/1/parts/0",
        "field-unsupported /messages/1/parts/1/tool",
        "id-not-portable /messages/1/parts/1/seals/0",
      ],
    ],
    [
      "B24: a computer call with a text result becomes a function call",
      [assistant([computer]), tool({ ...result, toolName: "computer" })],
      [wireComputer, wireResult],
      ["field-unsupported /messages/1/parts/0/tool"],
    ],
    [
      "B24: a computer call with an image result stays one",
      [assistant([computer]), tool({ ...none, toolName: "computer", content: [{ type: "image", url: "u" }] })],
      [
        { type: "computer_call", call_id: "a", action: { type: "wait" } },
        { type: "computer_call_output", call_id: "a", output: { type: "computer_screenshot", image_url: "u" } },
      ],
      [],
    ],
    [
      "B13: reasoning by id is dropped if nothing is stored",
      [assistant([stored, assistantText("msg_1")])],
      [plain],
      ["reasoning-unpaired /messages/1/parts/0", "id-not-portable /messages/1/parts/1/seals/0"],
      { store: false },
    ],
    [
      "B13: an empty id is not sent",
      [assistant([reasoning(sealed("id", "")), assistantText("")])],
      [plain],
      ["reasoning-unpaired /messages/1/parts/0", "id-not-portable /messages/1/parts/1/seals/0"],
    ],
    [
      "B13: an id that Koine made for a client is not sent",
      [assistant([reasoning(sealed("id", "rs_koine_x_0")), assistantText("msg_1")])],
      [plain],
      ["reasoning-unpaired /messages/1/parts/0", "id-not-portable /messages/1/parts/1/seals/0"],
    ],
    [
      "B7, B15: reasoning without a seal is dropped without an empty message",
      [assistant([{ type: "reasoning", text: "Hm." }])],
      [],
      ["reasoning-unsupported /messages/1/parts/0", "message-unsupported /messages/1"],
    ],
    [
      "B16: an id that is too long is renamed in call and result",
      [assistant([{ ...call, toolCallId: LONG }]), tool({ ...result, toolCallId: LONG })],
      [
        { ...wireCall, call_id: "RENAMED" },
        { ...wireResult, call_id: "RENAMED" },
      ],
      ["call-id-renamed /messages/1/parts/0/toolCallId", "call-id-renamed /messages/2/parts/0/toolCallId"],
    ],
    [
      "B24: a call without a result gets a synthesized one",
      [assistant([call])],
      [wireCall, { ...wireResult, output: "No result was recorded for this call." }],
      ["result-synthesized /messages/1/parts/0"],
    ],
    [
      "B17: a repeated id is renamed",
      [assistant([call]), tool(result), assistant([call]), tool(result)],
      [wireCall, wireResult, { ...wireCall, call_id: "a_2" }, { ...wireResult, call_id: "a_2" }],
      ["call-id-repeated /messages/3/parts/0/toolCallId", "call-id-repeated /messages/4/parts/0/toolCallId"],
    ],
    [
      "B24: a second result is dropped",
      [assistant([call]), tool(result, { ...result, output: "y" })],
      [wireCall, wireResult],
      ["result-duplicate /messages/2/parts/1"],
    ],
    [
      "B24: a result without a call becomes a text",
      [tool(result)],
      [{ role: "user", content: "[Result of f, call a] x" }],
      ["result-orphan /messages/1/parts/0"],
    ],
    [
      "B24: a result of a stored call is sent",
      [tool(result)],
      [wireResult],
      ["result-tool-name-dropped /messages/1/parts/0/toolName"],
      { previous_response_id: "resp_1" },
    ],
    [
      "B25: results can follow their calls in any order",
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
      "B50: a lone surrogate is replaced",
      [user("half \ud83d")],
      [{ role: "user", content: "half \ufffd" }],
      ["lone-surrogate-replaced /messages/1/parts/0/text"],
    ],
  ];
