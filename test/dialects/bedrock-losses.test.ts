// What encoding into Bedrock's words loses and mends, row by row; every declared code has a row.
import { describe, expect, test } from "vitest";
import { bedrock } from "../../src/dialects/bedrock/index.ts";
import type { Delta } from "../../src/model/delta.ts";
import type { Message } from "../../src/model/message.ts";
import { assistant, developer, system, toolResult, user } from "../../src/model/message.ts";
import type { Part } from "../../src/model/parts.ts";
import type { ModelRequest } from "../../src/model/request.ts";
import type { ModelResponse } from "../../src/model/response.ts";
import { mediaRows, partRows, repairRows } from "./bedrock-loss-rows.ts";

const dialect = bedrock();
const produced = new Set<string>();
const CLAUDE = "us.anthropic.claude-opus-4-6-v1:0";

/** Each loss as "code path". */
function told(losses: readonly { code: string; path: string }[]): string[] {
  for (const { code } of losses) produced.add(code);
  return losses.map(({ code, path }) => `${code} ${path}`);
}

/** A pattern in a row stands for a string that it fits. */
function fitting(value: unknown): unknown {
  if (value instanceof RegExp) return expect.stringMatching(value) as unknown;
  if (Array.isArray(value)) return value.map(fitting);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fitting(each)]));
}

describe("parts", () => {
  test.each(partRows)("%s", (_, part, block, losses) => {
    const encoded = dialect.encodeMessages([assistant([part])]);
    expect(told(encoded.losses).filter((loss) => !loss.startsWith("message-unsaid"))).toStrictEqual(losses);
    expect(encoded.wire).toStrictEqual(block === undefined ? [] : [{ role: "assistant", content: [block] }]);
  });

  test.each(repairRows)("%s", (_, part, block, losses) => {
    const id = "toolCallId" in part ? part.toolCallId : "";
    const messages = [user("x"), assistant([part]), toolResult({ toolCallId: id, toolName: "" }, "1")];
    const { wire, losses: found } = dialect.encodeRequest({ messages, tools: [{ type: "function", name: "f" }] });
    expect(told(found)).toEqual(expect.arrayContaining(losses));
    expect(wire).toMatchObject({ messages: [{}, { content: [fitting(block)] }, {}] });
  });

  test.each(mediaRows)("%s", (_, part, block, losses) => {
    const before = part.type === "tool-result" ? [assistant([call("a")])] : [];
    const messages: Message[] = [{ role: part.type === "tool-result" ? "tool" : "user", parts: [part] }, ...before];
    const { wire, losses: found } = dialect.encodeRequest({
      messages: part.type === "tool-result" ? messages.toReversed() : [...messages, user("y")],
      tools: [{ type: "function", name: "f", inputSchema: { type: "object" } }],
    });
    expect(told(found).filter((each) => !/message-unsaid|turns-merged|user-first/.test(each))).toStrictEqual(losses);
    const blocks = JSON.stringify(wire);
    if (block !== undefined) expect(blocks).toContain(JSON.stringify(block));
    else expect(blocks).toContain('"content":[{"text":"y"}]');
  });
});

function call(toolCallId: string, toolName = "f"): Part {
  return { type: "tool-call", toolCallId, toolName, input: {} };
}
function answer(toolCallId: string, output = "1"): Message {
  return toolResult({ toolCallId, toolName: "f" }, output);
}
const tools: ModelRequest["tools"] = [{ type: "function", name: "f", inputSchema: { type: "object" } }];

describe("requests", () => {
  const rows: [sentence: string, request: Partial<ModelRequest>, losses: string[]][] = [
    [
      "B24: a call without a result gets one",
      { messages: [user("x"), assistant([call("a")])], tools },
      ["result-synthesized /messages/1/parts/0"],
    ],
    [
      "B24: a second result of a call is left out",
      { messages: [user("x"), assistant([call("a")]), answer("a"), answer("a", "2")], tools },
      ["result-duplicate /messages/3/parts/0"],
    ],
    [
      "B24: a result without a call is said as text",
      { messages: [user("x"), answer("z")] },
      ["result-orphan /messages/1/parts/0"],
    ],
    [
      "B17: an id that was used before is another call's",
      { messages: [user("x"), assistant([call("a")]), answer("a"), assistant([call("a")]), answer("a")], tools },
      ["call-id-repeated /messages/3/parts/0/toolCallId", "call-id-repeated /messages/4/parts/0/toolCallId"],
    ],
    [
      "B25: results go out in the order of their calls",
      { messages: [user("x"), assistant([call("a"), call("b")]), answer("b"), answer("a")], tools },
      ["results-reordered /messages/2/parts/0", "turns-merged /messages/2/role"],
    ],
    [
      "B25: a result goes out directly after its call",
      { messages: [user("x"), assistant([call("a")]), user("y"), answer("a")], tools },
      ["result-moved /messages/3/parts/0"],
    ],
    ["B50: half a character does not go out", { messages: [user("x\ud800")] }, ["surrogates /messages/0/parts/0/text"]],
    [
      "B36: a model that continues nothing",
      { model: CLAUDE, messages: [user("x"), assistant("y")] },
      ["prefill /messages/1/role"],
    ],
    [
      "B34: blank text is left out",
      {
        messages: [
          user([
            { type: "text", text: " " },
            { type: "text", text: "x" },
          ]),
        ],
      },
      ["text-blank /messages/0/parts/0"],
    ],
    [
      "B34: a blank output is left out",
      { messages: [user("x"), assistant([call("a")]), answer("a", "")], tools },
      ["text-blank /messages/2/parts/0/output"],
    ],
    [
      "B35: white space at the end is cut off for models that refuse it",
      { model: "anthropic.claude-3-haiku-20240307-v1:0", messages: [user("x"), assistant("y ")] },
      ["text-trimmed /messages/1/parts/0/text"],
    ],
    ["B41: the user speaks first", { messages: [assistant("x"), user("y")] }, ["user-first /messages/0"]],
    ["a message that says nothing is left out", { messages: [user([]), user("x")] }, ["message-empty /messages/0"]],
    [
      "B7: a message of which nothing can be said is left out",
      { messages: [user("x"), assistant([{ type: "reasoning", text: "Hm." }]), user("y")] },
      ["reasoning-unsaid /messages/1/parts/0", "message-unsaid /messages/1/parts", "turns-merged /messages/2/role"],
    ],
    [
      "B37: leading system and developer text are blocks of one place",
      { messages: [system("a"), developer("b"), user("c")] },
      ["developer-as-system /messages/1/role", "turns-merged /messages/1/role"],
    ],
    [
      "a role that nobody knows is the user's",
      // Messages from outside may say anything.
      { messages: [{ role: "critic", parts: [{ type: "text", text: "x" }] } as unknown as Message] },
      ["role-approximated /messages/0/role"],
    ],
    [
      "B52: no tools are not said",
      { messages: [user("x")], tools: [], parallelToolCalls: true },
      ["tools-empty /tools", "tools-empty /parallelToolCalls"],
    ],
    [
      "B54: a call of nothing cannot be demanded",
      { messages: [user("x")], toolChoice: "required" },
      ["choice-lost /toolChoice"],
    ],
    [
      "B54: that no tool is to be called cannot be said",
      { messages: [user("x")], tools, toolChoice: "none" },
      ["choice-approximated /toolChoice"],
    ],
    [
      "B54: a choice among several cannot be said",
      { messages: [user("x")], tools, toolChoice: { toolNames: ["f", "g"], mode: "required" } },
      ["choice-approximated /toolChoice"],
    ],
    [
      "B55: a tool cannot be forced while the model thinks",
      { messages: [user("x")], tools, toolChoice: "required", reasoning: { budget: 1024 } },
      ["choice-unfit /toolChoice"],
    ],
    [
      "a history with calls needs tools",
      { messages: [user("x"), assistant([call("a")]), answer("a")] },
      ["tools-made /tools"],
    ],
    [
      "tools of another provider stay there",
      { messages: [user("x")], tools: [{ type: "provider", dialect: "anthropic", name: "bash", value: {} }] },
      ["tool-foreign /tools/0"],
    ],
    [
      "B52: a tool without a schema gets one",
      { messages: [user("x")], tools: [{ type: "function", name: "f" }] },
      ["schema-made /tools/0/inputSchema"],
    ],
    [
      "B51: a schema must say that it is of an object",
      { messages: [user("x")], tools: [{ type: "function", name: "f", inputSchema: { anyOf: [{ type: "object" }] } }] },
      ["schema-changed /tools/0/inputSchema"],
    ],
    [
      "an effort without a word of its own",
      { messages: [user("x")], reasoning: { effort: "minimal" } },
      ["setting-approximated /reasoning/effort"],
    ],
    [
      "what only Anthropic's models take is not sent to others",
      {
        model: "us.amazon.nova-pro-v1:0",
        messages: [user("x")],
        sampling: { topK: 4 },
        reasoning: { budget: 9, effort: "none" },
      },
      ["field-unsaid /sampling/topK", "field-unsaid /reasoning/budget", "field-unsaid /reasoning/effort"],
    ],
    [
      "B39: four breakpoints are sent",
      { messages: [user(Array.from({ length: 5 }, (): Part => ({ type: "text", text: "x", cache: {} })))] },
      ["cache-surplus /messages/0/parts/4/cache"],
    ],
    [
      "JSON in a result must be an object",
      { messages: [user("x"), assistant([call("a")]), toolResult({ toolCallId: "a", toolName: "f" }, [1])], tools },
      ["output-as-text /messages/2/parts/0/output"],
    ],
    [
      "what another has stored is not there",
      { messages: [user("x")], extra: { "openai-responses": { previous_response_id: "r" } } },
      ["context-foreign /extra/openai-responses/previous_response_id"],
    ],
  ];
  test.each(rows)("%s", (_, request, losses) => {
    expect(told(dialect.encodeRequest({ messages: [], ...request }).losses)).toStrictEqual(losses);
  });
});

const response: ModelResponse = { id: "", model: "", message: assistant("x"), finishReason: { unified: "stop" } };
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

describe("responses", () => {
  const rows: [sentence: string, response: Partial<ModelResponse>, losses: string[]][] = [
    [
      "an answer has no id and names no model",
      { id: "r", model: "m", usage },
      ["bookkeeping /id", "bookkeeping /model"],
    ],
    [
      "B61: another provider's word for the end",
      { usage, finishReason: { unified: "stop", raw: "STOP" } },
      ["finish-raw /finishReason/raw"],
    ],
    [
      "B62: there is no word for a pause",
      { usage, finishReason: { unified: "pause" } },
      ["finish-approximated /finishReason/unified"],
    ],
    ["B67: clients count on counts", {}, ["usage-made /usage"]],
    ["B66: no count is below zero", { usage: { ...usage, cacheReadTokens: 9 } }, ["usage-odd /usage/inputTokens"]],
    [
      "an answer cannot say that it failed",
      { usage, error: { kind: "server", message: "It broke." }, finishReason: { unified: "error" } },
      ["failure-unsaid /error"],
    ],
    [
      "what others say of an answer",
      { usage, extra: { gemini: { modelStatus: 1 } } },
      ["echo-foreign /extra/gemini/modelStatus"],
    ],
    [
      "summaries of another's reasoning are shown as its text",
      { usage, message: assistant([{ type: "reasoning", text: "", summary: ["Hm."] }]) },
      ["summary-as-text /message/parts/0/summary"],
    ],
    [
      "a breakpoint in an answer",
      { usage, message: assistant([{ type: "text", text: "x", cache: {} }]) },
      ["bookkeeping /message/parts/0/cache"],
    ],
    [
      "B59: there is one choice",
      { usage, alternatives: [{ message: assistant("y"), finishReason: { unified: "stop" } }] },
      ["field-unsaid /alternatives"],
    ],
  ];
  test.each(rows)("%s", (_, fields, losses) => {
    expect(told(dialect.encodeResponse({ ...response, ...fields }).losses)).toStrictEqual(losses);
  });
});

describe("streams", () => {
  const start: Delta = { kind: "start", payload: { modelId: "", requestId: "" } };
  const text = (part: number, textDelta: string): Delta => ({ kind: "text", payload: { textDelta, part } });
  const done: Delta[] = [
    { kind: "usage", payload: usage },
    { kind: "done", payload: { finishReason: "stop" } },
  ];
  const seal = { dialect: "bedrock", kind: "signature", value: "c2ln" };
  const rows: [sentence: string, deltas: Delta[], losses: string[]][] = [
    [
      "a text that goes on later is two blocks",
      [start, text(0, "a"), text(1, "b"), text(0, "c"), ...done],
      ["part-split /message/parts/0"],
    ],
    [
      "a seal that comes too late is lost",
      [
        start,
        { kind: "thinking", payload: { textDelta: "a", part: 0 } },
        text(1, "b"),
        { kind: "seal", payload: { seal, part: 0 } },
        ...done,
      ],
      ["late-unsaid /message/parts/0/seals"],
    ],
    [
      "a client's result between two answers has no place",
      [
        start,
        { kind: "tool_call_start", payload: { toolCallId: "a", toolName: "f" } },
        { kind: "tool_call_end", payload: { toolCallId: "a" } },
        ...done,
        {
          kind: "part",
          payload: { role: "tool", value: { type: "tool-result", toolCallId: "a", toolName: "f", isError: false } },
        },
      ],
      ["result-between "],
    ],
  ];
  test.each(rows)("%s", (_, deltas, losses) => {
    const encoder = dialect.streamEncoder();
    for (const delta of deltas) encoder.push(delta);
    expect(told(encoder.losses)).toStrictEqual(losses);
  });
});

test("every declared loss has a row", () => {
  expect(Object.keys(dialect.losses).filter((code) => !produced.has(code))).toStrictEqual([]);
});
