// How requests read, and what is mended in them for a target that would refuse them.
import { describe, expect, test } from "vitest";
import { openaiChat } from "../../src/dialects/openai-chat/index.ts";
import { parseJson, stringifyJson } from "../../src/model/json.ts";
import type { Message } from "../../src/model/message.ts";
import { assistant, system, user } from "../../src/model/message.ts";
import type { Part } from "../../src/model/parts.ts";
import type { ModelRequest } from "../../src/model/request.ts";
import { plainRequests } from "./openai-chat-request-samples.ts";

const dialect = openaiChat();
const hello = [{ role: "user", content: "Hello." }];
const asked: Message[] = [user("Hello.")];
const strict = { type: "object", properties: {}, required: [], additionalProperties: false };

interface Outcome {
  wire: { messages: Record<string, unknown>[] } & Record<string, unknown>;
  losses: string[];
}

/** The wire, and each loss as "code path". */
function encode(request: ModelRequest, repair = true): Outcome {
  const { wire, losses } = dialect.encodeRequest(request, { repair });
  return { wire: wire as Outcome["wire"], losses: losses.map(({ code, path }) => `${code} ${path}`) };
}

test.each(plainRequests.map(({ name, wire }) => [name, wire] as const))("plain data has no residue: %s", (_, wire) => {
  expect(stringifyJson(dialect.decodeRequest(wire))).not.toContain('"extra"');
});

describe("settings, both ways", () => {
  const weather = { type: "function", function: { name: "weather" } };
  const tools = [{ type: "function", name: "weather" }];
  const rows: [sentence: string, wire: object, request: object][] = [
    ["sampling", { temperature: 0, top_p: 1 }, { sampling: { temperature: 0, topP: 1 } }],
    [
      "penalties, seed and limits",
      { presence_penalty: 1, frequency_penalty: 2, seed: 3, max_completion_tokens: 4 },
      { sampling: { presencePenalty: 1, frequencyPenalty: 2, seed: 3, maxOutputTokens: 4 } },
    ],
    [
      "how many answers",
      { n: 2, logprobs: true, top_logprobs: 5 },
      { sampling: { n: 2, logprobs: true, topLogprobs: 5 } },
    ],
    ["where to stop", { stop: ["a", "b"] }, { sampling: { stop: ["a", "b"] } }],
    ["how hard to think", { reasoning_effort: "xhigh" }, { reasoning: { effort: "xhigh" } }],
    ["any JSON", { response_format: { type: "json_object" } }, { output: { type: "json" } }],
    [
      "JSON of a schema",
      { response_format: { type: "json_schema", json_schema: { name: "n", schema: strict, strict: true } } },
      { output: { type: "json-schema", name: "n", schema: strict, strict: true } },
    ],
    ["metadata and streaming", { metadata: { a: "b" }, stream: false }, { metadata: { a: "b" }, stream: false }],
    ["B54: none stays none", { tools: [weather], tool_choice: "none" }, { tools, toolChoice: "none" }],
    [
      "B54: one tool",
      { tools: [weather], tool_choice: { type: "function", function: { name: "weather" } } },
      { tools, toolChoice: { toolName: "weather" } },
    ],
    [
      "B54: some of the tools",
      { tools: [weather], tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [weather] } } },
      { tools, toolChoice: { toolNames: ["weather"], mode: "auto" } },
    ],
    [
      "B32: a free-form tool with its grammar",
      {
        tools: [{ type: "custom", custom: { name: "sum", format: { type: "grammar", grammar: { syntax: "lark" } } } }],
      },
      { tools: [{ type: "function", name: "sum", format: "text", grammar: { syntax: "lark" } }] },
    ],
    [
      "a tool that only a vendor has",
      { tools: [{ type: "browser_search", depth: 2 }] },
      {
        tools: [
          {
            type: "provider",
            dialect: "openai-chat",
            name: "browser_search",
            value: { type: "browser_search", depth: 2 },
          },
        ],
      },
    ],
  ];
  test.each(rows)("%s", (_, wire, request) => {
    const whole = { messages: hello, ...wire };
    expect(dialect.decodeRequest(whole)).toStrictEqual({ messages: asked, ...request });
    expect(encode({ messages: asked, ...request })).toStrictEqual({ wire: whole, losses: [] });
  });

  test("B57: what is absent is not injected", () => {
    expect(encode({ messages: asked })).toStrictEqual({ wire: { messages: hello }, losses: [] });
  });

  test("a model in the URL fills in what the body lacks, and goes back there", () => {
    const request = dialect.decodeRequest({ messages: hello }, { address: { model: "m", stream: true } });
    expect(request).toMatchObject({ model: "m", stream: true });
    expect(dialect.encodeRequest(request)).toStrictEqual({
      wire: { messages: hello },
      losses: [],
      address: { model: "m", stream: true },
    });
    const both = dialect.decodeRequest({ model: "body", messages: hello }, { address: { model: "m" } });
    expect(both.model).toBe("body");
  });

  test("B23: digits of settings are kept", () => {
    const text = '{"messages":[],"seed":12345678901234567890,"logit_bias":{"1":0.12345678901234567890}}';
    const { wire } = dialect.encodeRequest(dialect.decodeRequest(parseJson(text)));
    expect(stringifyJson(wire)).toContain('"seed":12345678901234567890');
    expect(stringifyJson(wire)).toContain("0.12345678901234567890");
  });
});

const call = (toolCallId: string): Part => ({ type: "tool-call", toolCallId, toolName: "f", input: {} });
const result = (toolCallId: string, output = "ok"): Message => ({
  role: "tool",
  parts: [{ type: "tool-result", toolCallId, toolName: "f", isError: false, output }],
});

describe("repairs of the history", () => {
  test("B24: a call without a result gets one that says so", () => {
    const request: ModelRequest = { messages: [user("Go."), assistant([call("a")]), user("Well?")] };
    const { wire, losses } = encode(request);
    expect(wire.messages.map(({ role }) => role)).toStrictEqual(["user", "assistant", "tool", "user"]);
    expect(losses).toStrictEqual(["result-synthesized /messages/1/parts/0"]);
    expect(encode(request, false)).toMatchObject({ wire: { messages: { length: 3 } }, losses: [] });
  });

  test("B24: a call in the manner of old is answered in that manner", () => {
    const messages = [{ role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } }, ...hello];
    const { wire } = encode(dialect.decodeRequest({ messages }));
    expect(wire.messages[1]).toMatchObject({ role: "function", name: "f" });
    expect(wire.messages[1]).not.toHaveProperty("tool_call_id");
  });

  test("B24: of two results the first counts, and one without a call is text", () => {
    const { wire, losses } = encode({
      messages: [user("Go."), assistant([call("a")]), result("a"), result("a", "again"), result("b", "lost")],
    });
    expect(wire.messages.slice(2)).toStrictEqual([
      { role: "tool", tool_call_id: "a", content: "ok" },
      { role: "user", content: "[Result of f, call b] lost" },
    ]);
    expect(losses).toContain("result-duplicate /messages/3/parts/0");
    expect(losses).toContain("result-orphan /messages/4/parts/0");
  });

  test("B25: results go out in call order, each after the message that called", () => {
    const { wire } = encode({
      messages: [assistant([call("a")]), assistant([call("b")]), result("b"), result("a"), user("Next.")],
    });
    const order = wire.messages.map(({ role, tool_call_id: id }) => id ?? role);
    expect(order).toStrictEqual(["assistant", "a", "assistant", "b", "user"]);
  });

  test("B25: results that came in another order stay in it", () => {
    const messages = [
      {
        role: "assistant",
        content: null,
        tool_calls: ["a", "b"].map((id) => ({ id, type: "function", function: { name: "f", arguments: "{}" } })),
      },
      { role: "tool", tool_call_id: "b", content: "2" },
      { role: "tool", tool_call_id: "a", content: "1" },
    ];
    expect(encode(dialect.decodeRequest({ messages }))).toStrictEqual({ wire: { messages }, losses: [] });
  });

  test("B50: half a character does not go out", () => {
    const { wire, losses } = encode({ messages: [user("cut \ud83d")] });
    expect(wire.messages[0]).toHaveProperty("content", "cut \ufffd");
    expect(losses).toStrictEqual(["surrogates /messages/0/parts/0/text"]);
  });

  test("B36: a final assistant message of another dialect is reported, Chat's own is not", () => {
    expect(encode({ messages: [user("Go."), assistant("So:")] }).losses).toStrictEqual(["prefill /messages/1/role"]);
    const messages = [...hello, { role: "assistant", content: "So:" }];
    expect(encode(dialect.decodeRequest({ messages }))).toStrictEqual({ wire: { messages }, losses: [] });
  });

  test("B37: system and developer messages keep their places", () => {
    const messages = [
      { role: "system", content: "a" },
      ...hello,
      { role: "developer", content: "b" },
      { role: "system", content: "c" },
    ];
    expect(encode(dialect.decodeRequest({ messages })).wire.messages).toStrictEqual(messages);
  });

  test("B40: messages of one role stay messages", () => {
    const { wire } = encode({ messages: [system("a"), system("b"), user("c"), user("d")] });
    expect(wire.messages).toHaveLength(4);
  });
});

describe("repairs of ids and names", () => {
  const long = `toolu_${"x".repeat(50)}`;

  test("B16: an id of more than 40 characters is mapped, alike on call and result", () => {
    const { wire, names } = dialect.encodeRequest({ messages: [assistant([call(long)]), result(long), user("Next.")] });
    const [sent, answered] = (wire as Outcome["wire"]).messages;
    const id = String(answered?.["tool_call_id"]);
    expect(id.length).toBeLessThanOrEqual(40);
    expect(sent).toHaveProperty("tool_calls.0.id", id);
    expect(names).toStrictEqual({ toolCallIds: { [id]: long } });
  });

  test("B30: a name that the target does not take is mapped wherever it stands", () => {
    const name = "get.weather";
    const { wire, names } = dialect.encodeRequest({
      messages: [
        assistant([{ type: "tool-call", toolCallId: "a", toolName: name, input: {} }]),
        result("a"),
        user("x"),
      ],
      tools: [{ type: "function", name }],
      toolChoice: { toolName: name },
    });
    const [written = ""] = Object.keys(names?.toolNames ?? {});
    expect(written).toMatch(/^get_weather_\w+$/);
    expect(wire).toMatchObject({
      messages: [{ tool_calls: [{ function: { name: written } }] }, {}, {}],
      tools: [{ function: { name: written } }],
      tool_choice: { function: { name: written } },
    });
  });

  test("what the target takes is not touched", () => {
    const { names } = dialect.encodeRequest({
      messages: [assistant([call("any id: ✓")]), result("any id: ✓"), user("x")],
    });
    expect(names).toBeUndefined();
  });
});

describe("repairs of settings", () => {
  test("B52: tools that are none, and what is about them, are left out", () => {
    const request: ModelRequest = { messages: asked, tools: [], toolChoice: "auto", parallelToolCalls: true };
    expect(encode(request)).toStrictEqual({
      wire: { messages: hello },
      losses: ["tools-empty /tools", "tools-empty /toolChoice", "tools-empty /parallelToolCalls"],
    });
    expect(encode(request, false).wire).toStrictEqual({
      messages: hello,
      tools: [],
      tool_choice: "auto",
      parallel_tool_calls: true,
    });
  });

  test("B52: a tool without parameters is kept", () => {
    expect(encode({ messages: asked, tools: [{ type: "function", name: "noon" }] }).wire["tools"]).toStrictEqual([
      { type: "function", function: { name: "noon" } },
    ]);
  });

  test("B53: strict is claimed only where the schema complies", () => {
    const loose = { type: "object", properties: { a: { type: "string" } } };
    const request = (schema: object): ModelRequest => ({
      messages: asked,
      tools: [{ type: "function", name: "f", inputSchema: { ...schema }, strict: true }],
      output: { type: "json-schema", name: "n", schema: { ...schema }, strict: true },
    });
    expect(encode(request(strict)).losses).toStrictEqual([]);
    expect(encode(request(strict)).wire).toMatchObject({ tools: [{ function: { strict: true } }] });
    const { wire, losses } = encode(request(loose));
    expect(losses).toStrictEqual(["strict-unmet /tools/0/strict", "strict-unmet /output/strict"]);
    expect(stringifyJson(wire)).not.toContain('"strict"');
    expect(encode(request(loose), false).wire).toMatchObject({ tools: [{ function: { strict: true } }] });
  });
});

test("B44: an unchanged prefix encodes to the same bytes, tools included", () => {
  const messages = [system("s"), user("a"), assistant([call("a")]), result("a"), assistant("b")];
  const at = (count: number): string =>
    stringifyJson(encode({ messages: [...messages.slice(0, count), user("z")] }).wire.messages.slice(0, count));
  expect(at(5).startsWith(at(4).slice(0, -1))).toBe(true);
  expect(at(4).startsWith(at(2).slice(0, -1))).toBe(true);
});

describe("what a payload is", () => {
  const blocks = [{ role: "user", content: [{ type: "text", text: "x" }] }];
  test.each([
    ["a request", { model: "m", messages: hello }, "request"],
    ["a request whose model stands in the URL", { messages: blocks, stream_options: {} }, "request"],
    ["messages alone, which may be anybody's", { messages: hello }, undefined],
    ["blocks of text, which may be Anthropic's", { model: "m", messages: blocks }, undefined],
    [
      "Anthropic's request where the model stands in the URL",
      { anthropic_version: "v", messages: hello, n: 1 },
      undefined,
    ],
    ["a model that is none", { model: 7, messages: hello, n: 1 }, undefined],
  ])("%s", (_, wire, kind) => {
    expect(dialect.detectKind(wire)).toBe(kind);
  });
});
