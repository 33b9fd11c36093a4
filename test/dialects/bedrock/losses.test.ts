// Losses and repairs of encoding into Bedrock Converse; every declared code has a row.
import { describe, expect, test } from "vitest";
import { bedrock } from "../../../src/dialects/bedrock/index.ts";
import type { Delta } from "../../../src/model/delta.ts";
import type { Message } from "../../../src/model/message.ts";
import { assistant, developer, system, toolResult, user } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";
import type { ModelRequest } from "../../../src/model/request.ts";
import type { ModelResponse } from "../../../src/model/response.ts";
import { mediaRows, partRows, repairRows } from "./losses.rows.ts";

const dialect = bedrock();
const producedCodes = new Set<string>();
const CLAUDE = "us.anthropic.claude-opus-4-6-v1:0";

/** Formats each loss as "code path". */
function formatLosses(losses: readonly { code: string; path: string }[]): string[] {
  for (const { code } of losses) producedCodes.add(code);
  return losses.map(({ code, path }) => `${code} ${path}`);
}

/** Replaces each pattern of a row by a matcher for strings. */
function toMatchers(value: unknown): unknown {
  if (value instanceof RegExp) return expect.stringMatching(value) as unknown;
  if (Array.isArray(value)) return value.map(toMatchers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toMatchers(each)]));
}

describe("parts", () => {
  test.each(partRows)("%s", (_, part, block, losses) => {
    const encoded = dialect.encodeMessages([assistant([part])]);
    expect(formatLosses(encoded.losses).filter((loss) => !loss.startsWith("message-unsupported"))).toStrictEqual(
      losses,
    );
    expect(encoded.wire).toStrictEqual(block === undefined ? [] : [{ role: "assistant", content: [block] }]);
  });

  test.each(repairRows)("%s", (_, part, block, losses) => {
    const id = "toolCallId" in part ? part.toolCallId : "";
    const messages = [user("x"), assistant([part]), toolResult({ toolCallId: id, toolName: "" }, "1")];
    const { wire, losses: actual } = dialect.encodeRequest({ messages, tools: [{ type: "function", name: "f" }] });
    expect(formatLosses(actual)).toEqual(expect.arrayContaining(losses));
    expect(wire).toMatchObject({ messages: [{}, { content: [toMatchers(block)] }, {}] });
  });

  test.each(mediaRows)("%s", (_, part, block, losses) => {
    const before = part.type === "tool-result" ? [assistant([call("a")])] : [];
    const messages: Message[] = [{ role: part.type === "tool-result" ? "tool" : "user", parts: [part] }, ...before];
    const { wire, losses: actual } = dialect.encodeRequest({
      messages: part.type === "tool-result" ? messages.toReversed() : [...messages, user("y")],
      tools: [{ type: "function", name: "f", inputSchema: { type: "object" } }],
    });
    expect(
      formatLosses(actual).filter((each) => !/message-unsupported|turns-merged|user-turn-synthesized/.test(each)),
    ).toStrictEqual(losses);
    const blocks = JSON.stringify(wire);
    if (block !== undefined) expect(blocks).toContain(JSON.stringify(block));
    else expect(blocks).toContain('"content":[{"text":"y"}]');
  });
});

function call(toolCallId: string, toolName = "f"): Part {
  return { type: "tool-call", toolCallId, toolName, input: {} };
}
function toolMessage(toolCallId: string, output = "1"): Message {
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
      "B24: a second result of a call is dropped",
      { messages: [user("x"), assistant([call("a")]), toolMessage("a"), toolMessage("a", "2")], tools },
      ["result-duplicate /messages/3/parts/0"],
    ],
    [
      "B24: a result without a call is written as text",
      { messages: [user("x"), toolMessage("z")] },
      ["result-orphan /messages/1/parts/0"],
    ],
    [
      "B17: a repeated call id is replaced",
      {
        messages: [user("x"), assistant([call("a")]), toolMessage("a"), assistant([call("a")]), toolMessage("a")],
        tools,
      },
      ["call-id-repeated /messages/3/parts/0/toolCallId", "call-id-repeated /messages/4/parts/0/toolCallId"],
    ],
    [
      "B25: results are sorted in the order of their calls",
      { messages: [user("x"), assistant([call("a"), call("b")]), toolMessage("b"), toolMessage("a")], tools },
      ["results-reordered /messages/2/parts/0", "turns-merged /messages/2/role"],
    ],
    [
      "B25: a late result is moved after its call",
      { messages: [user("x"), assistant([call("a")]), user("y"), toolMessage("a")], tools },
      ["result-moved /messages/3/parts/0"],
    ],
    [
      "B50: a lone surrogate is replaced",
      { messages: [user("x\ud800")] },
      ["lone-surrogate-replaced /messages/0/parts/0/text"],
    ],
    [
      "B36: a prefill is reported for models that do not support it",
      { model: CLAUDE, messages: [user("x"), assistant("y")] },
      ["prefill-unsupported /messages/1/role"],
    ],
    [
      "B34: blank text is dropped",
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
      "B34: a blank output is dropped",
      { messages: [user("x"), assistant([call("a")]), toolMessage("a", "")], tools },
      ["text-blank /messages/2/parts/0/output"],
    ],
    [
      "B35: trailing white space is trimmed for models that reject it",
      { model: "anthropic.claude-3-haiku-20240307-v1:0", messages: [user("x"), assistant("y ")] },
      ["text-trimmed /messages/1/parts/0/text"],
    ],
    [
      "B41: a user message is inserted before a leading assistant message",
      { messages: [assistant("x"), user("y")] },
      ["user-turn-synthesized /messages/0"],
    ],
    ["an empty message is dropped", { messages: [user([]), user("x")] }, ["message-empty /messages/0"]],
    [
      "B7: a message without a supported part is dropped",
      { messages: [user("x"), assistant([{ type: "reasoning", text: "Hm." }]), user("y")] },
      [
        "reasoning-unsupported /messages/1/parts/0",
        "message-unsupported /messages/1/parts",
        "turns-merged /messages/2/role",
      ],
    ],
    [
      "B37: leading system and developer messages become blocks of `system`",
      { messages: [system("a"), developer("b"), user("c")] },
      ["developer-as-system /messages/1/role", "turns-merged /messages/1/role"],
    ],
    [
      "an unknown role becomes the user's",
      // Messages from callers may have any role.
      { messages: [{ role: "critic", parts: [{ type: "text", text: "x" }] } as unknown as Message] },
      ["role-approximated /messages/0/role"],
    ],
    [
      "B52: an empty list of tools is dropped",
      { messages: [user("x")], tools: [], parallelToolCalls: true },
      ["tool-settings-dropped /tools", "tool-settings-dropped /parallelToolCalls"],
    ],
    [
      "B54: a required call without tools is reported as a loss",
      { messages: [user("x")], toolChoice: "required" },
      ["tool-choice-dropped /toolChoice"],
    ],
    [
      "B54: tool choice none is not supported",
      { messages: [user("x")], tools, toolChoice: "none" },
      ["tool-choice-approximated /toolChoice"],
    ],
    [
      "B54: a choice among several tools becomes `auto`",
      { messages: [user("x")], tools, toolChoice: { toolNames: ["f", "g"], mode: "required" } },
      ["tool-choice-approximated /toolChoice"],
    ],
    [
      "B55: a forced tool choice becomes `auto` while the model thinks",
      { messages: [user("x")], tools, toolChoice: "required", reasoning: { budget: 1024 } },
      ["tool-choice-incompatible /toolChoice"],
    ],
    [
      "tools are synthesized for a history with calls",
      { messages: [user("x"), assistant([call("a")]), toolMessage("a")] },
      ["tools-synthesized /tools"],
    ],
    [
      "a tool of another provider is dropped",
      { messages: [user("x")], tools: [{ type: "provider", dialect: "anthropic", name: "bash", value: {} }] },
      ["tool-not-portable /tools/0"],
    ],
    [
      "B52: a tool without a schema gets one",
      { messages: [user("x")], tools: [{ type: "function", name: "f" }] },
      ["schema-synthesized /tools/0/inputSchema"],
    ],
    [
      "B51: an input schema gets the type object",
      { messages: [user("x")], tools: [{ type: "function", name: "f", inputSchema: { anyOf: [{ type: "object" }] } }] },
      ["schema-changed /tools/0/inputSchema"],
    ],
    [
      "an unsupported effort becomes the nearest one",
      { messages: [user("x")], reasoning: { effort: "minimal" } },
      ["setting-approximated /reasoning/effort"],
    ],
    [
      "Anthropic's settings are not sent to other models",
      {
        model: "us.amazon.nova-pro-v1:0",
        messages: [user("x")],
        sampling: { topK: 4 },
        reasoning: { budget: 9, effort: "none" },
      },
      [
        "field-unsupported /sampling/topK",
        "field-unsupported /reasoning/budget",
        "field-unsupported /reasoning/effort",
      ],
    ],
    [
      "B39: only the first four breakpoints are sent",
      { messages: [user(Array.from({ length: 5 }, (): Part => ({ type: "text", text: "x", cache: {} })))] },
      ["cache-breakpoint-limit /messages/0/parts/4/cache"],
    ],
    [
      "JSON in a result must be an object",
      { messages: [user("x"), assistant([call("a")]), toolResult({ toolCallId: "a", toolName: "f" }, [1])], tools },
      ["output-as-text /messages/2/parts/0/output"],
    ],
    [
      "a reference to another provider's stored content breaks the request",
      { messages: [user("x")], extra: { "openai-responses": { previous_response_id: "r" } } },
      ["context-not-portable /extra/openai-responses/previous_response_id"],
    ],
  ];
  test.each(rows)("%s", (_, request, losses) => {
    expect(formatLosses(dialect.encodeRequest({ messages: [], ...request }).losses)).toStrictEqual(losses);
  });
});

const response: ModelResponse = { id: "", model: "", message: assistant("x"), finishReason: { unified: "stop" } };
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

describe("responses", () => {
  const rows: [sentence: string, response: Partial<ModelResponse>, losses: string[]][] = [
    [
      "id and model of a response are dropped",
      { id: "r", model: "m", usage },
      ["metadata-dropped /id", "metadata-dropped /model"],
    ],
    [
      "B61: a stop reason of another dialect is dropped",
      { usage, finishReason: { unified: "stop", raw: "STOP" } },
      ["raw-finish-reason-dropped /finishReason/raw"],
    ],
    [
      "B62: a pause is approximated",
      { usage, finishReason: { unified: "pause" } },
      ["finish-reason-approximated /finishReason/unified"],
    ],
    ["B67: missing usage is synthesized", {}, ["usage-synthesized /usage"]],
    [
      "B66: inconsistent token counts are never negative",
      { usage: { ...usage, cacheReadTokens: 9 } },
      ["usage-inconsistent /usage/inputTokens"],
    ],
    [
      "a response cannot report an error",
      { usage, error: { kind: "server", message: "It broke." }, finishReason: { unified: "error" } },
      ["failure-unsupported /error"],
    ],
    [
      "response metadata of another dialect are dropped",
      { usage, extra: { gemini: { modelStatus: 1 } } },
      ["response-metadata-not-portable /extra/gemini/modelStatus"],
    ],
    [
      "a reasoning summary of another provider is written as text",
      { usage, message: assistant([{ type: "reasoning", text: "", summary: ["Hm."] }]) },
      ["summary-as-text /message/parts/0/summary"],
    ],
    [
      "a breakpoint in a response is dropped",
      { usage, message: assistant([{ type: "text", text: "x", cache: {} }]) },
      ["metadata-dropped /message/parts/0/cache"],
    ],
    [
      "B59: alternatives are dropped",
      { usage, alternatives: [{ message: assistant("y"), finishReason: { unified: "stop" } }] },
      ["field-unsupported /alternatives"],
    ],
  ];
  test.each(rows)("%s", (_, fields, losses) => {
    expect(formatLosses(dialect.encodeResponse({ ...response, ...fields }).losses)).toStrictEqual(losses);
  });
});

describe("streams", () => {
  const start: Delta = { kind: "start", payload: { modelId: "", requestId: "" } };
  const text = (part: number, textDelta: string): Delta => ({ kind: "text", payload: { textDelta, partKey: part } });
  const done: Delta[] = [
    { kind: "usage", payload: usage },
    { kind: "done", payload: { finishReason: "stop" } },
  ];
  const seal = { dialect: "bedrock", kind: "signature", value: "c2ln" };
  const rows: [sentence: string, deltas: Delta[], losses: string[]][] = [
    [
      "text for a closed part is written in an additional block",
      [start, text(0, "a"), text(1, "b"), text(0, "c"), ...done],
      ["part-split /message/parts/0"],
    ],
    [
      "a seal for a closed part is dropped",
      [
        start,
        { kind: "thinking", payload: { textDelta: "a", partKey: 0 } },
        text(1, "b"),
        { kind: "seal", payload: { seal, partKey: 0 } },
        ...done,
      ],
      ["late-dropped /message/parts/0/seals"],
    ],
    [
      "a client's result between two answers is dropped",
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
      ["stream-result-dropped "],
    ],
  ];
  test.each(rows)("%s", (_, deltas, losses) => {
    const encoder = dialect.streamEncoder();
    for (const delta of deltas) encoder.push(delta);
    expect(formatLosses(encoder.losses)).toStrictEqual(losses);
  });
});

test("every declared loss has a row", () => {
  expect(Object.keys(dialect.losses).filter((code) => !producedCodes.has(code))).toStrictEqual([]);
});
