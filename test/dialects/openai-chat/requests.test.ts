// Tests decoding of Chat requests, and the repairs for targets that would reject them.
import { describe, expect, test } from "vitest";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import { parseJson, stringifyJson } from "../../../src/model/json/index.ts";
import type { Message } from "../../../src/model/message.ts";
import { assistant, system, user } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";
import type { ModelRequest } from "../../../src/model/request.ts";
import { plainRequests } from "./request-samples.ts";

const dialect = openaiChat();
const hello = [{ role: "user", content: "Hello." }];
const question: Message[] = [user("Hello.")];
const strict = { type: "object", properties: {}, required: [], additionalProperties: false };

interface EncodedRequest {
  wire: { messages: Record<string, unknown>[] } & Record<string, unknown>;
  losses: string[];
}

/** Returns the wire request, and each loss as "code path". */
function encode(request: ModelRequest, repair = true): EncodedRequest {
  const { wire, losses } = dialect.encodeRequest(request, { repair });
  return { wire: wire as EncodedRequest["wire"], losses: losses.map(({ code, path }) => `${code} ${path}`) };
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
      "the number of choices",
      { n: 2, logprobs: true, top_logprobs: 5 },
      { sampling: { n: 2, logprobs: true, topLogprobs: 5 } },
    ],
    ["stop sequences", { stop: ["a", "b"] }, { sampling: { stop: ["a", "b"] } }],
    ["the reasoning effort", { reasoning_effort: "xhigh" }, { reasoning: { effort: "xhigh" } }],
    ["JSON output", { response_format: { type: "json_object" } }, { output: { type: "json" } }],
    [
      "output of a JSON schema",
      { response_format: { type: "json_schema", json_schema: { name: "n", schema: strict, strict: true } } },
      { output: { type: "json-schema", name: "n", schema: strict, strict: true } },
    ],
    ["metadata and streaming", { metadata: { a: "b" }, stream: false }, { metadata: { a: "b" }, stream: false }],
    ["B54: the tool choice none", { tools: [weather], tool_choice: "none" }, { tools, toolChoice: "none" }],
    [
      "B54: one forced tool",
      { tools: [weather], tool_choice: { type: "function", function: { name: "weather" } } },
      { tools, toolChoice: { toolName: "weather" } },
    ],
    [
      "B54: allowed tools",
      { tools: [weather], tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [weather] } } },
      { tools, toolChoice: { toolNames: ["weather"], mode: "auto" } },
    ],
    [
      "B32: a custom tool with a grammar",
      {
        tools: [{ type: "custom", custom: { name: "sum", format: { type: "grammar", grammar: { syntax: "lark" } } } }],
      },
      { tools: [{ type: "function", name: "sum", format: "text", grammar: { syntax: "lark" } }] },
    ],
    [
      "a vendor's own tool",
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
    expect(dialect.decodeRequest(whole)).toStrictEqual({ messages: question, ...request });
    expect(encode({ messages: question, ...request })).toStrictEqual({ wire: whole, losses: [] });
  });

  test("B57: absent settings are not filled in", () => {
    expect(encode({ messages: question })).toStrictEqual({ wire: { messages: hello }, losses: [] });
  });

  test("the envelope's model and stream flag apply if the body lacks them, and return to the envelope", () => {
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

  test("B23: settings keep the digits of their numbers", () => {
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
  test("B24: a call without a result gets a synthesized one", () => {
    const request: ModelRequest = { messages: [user("Go."), assistant([call("a")]), user("Well?")] };
    const { wire, losses } = encode(request);
    expect(wire.messages.map(({ role }) => role)).toStrictEqual(["user", "assistant", "tool", "user"]);
    expect(losses).toStrictEqual(["result-synthesized /messages/1/parts/0"]);
    expect(encode(request, false)).toMatchObject({ wire: { messages: { length: 3 } }, losses: [] });
  });

  test("B24: a function_call without a result gets a message of the role function", () => {
    const messages = [{ role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } }, ...hello];
    const { wire } = encode(dialect.decodeRequest({ messages }));
    expect(wire.messages[1]).toMatchObject({ role: "function", name: "f" });
    expect(wire.messages[1]).not.toHaveProperty("tool_call_id");
  });

  test("B24: only the first of two results is sent, and a result without a call becomes text", () => {
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

  test("B25: results are sent in the order of the calls, after their message", () => {
    const { wire } = encode({
      messages: [assistant([call("a")]), assistant([call("b")]), result("b"), result("a"), user("Next.")],
    });
    const order = wire.messages.map(({ role, tool_call_id: id }) => id ?? role);
    expect(order).toStrictEqual(["assistant", "a", "assistant", "b", "user"]);
  });

  test("B25: results that were decoded in another order keep it", () => {
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

  test("B50: a lone surrogate is not sent", () => {
    const { wire, losses } = encode({ messages: [user("cut \ud83d")] });
    expect(wire.messages[0]).toHaveProperty("content", "cut \ufffd");
    expect(losses).toStrictEqual(["lone-surrogate-replaced /messages/0/parts/0/text"]);
  });

  test("B36: a trailing assistant message of another dialect is reported, one of Chat is not", () => {
    expect(encode({ messages: [user("Go."), assistant("So:")] }).losses).toStrictEqual([
      "prefill-unsupported /messages/1/role",
    ]);
    const messages = [...hello, { role: "assistant", content: "So:" }];
    expect(encode(dialect.decodeRequest({ messages }))).toStrictEqual({ wire: { messages }, losses: [] });
  });

  test("B37: system and developer messages keep their positions", () => {
    const messages = [
      { role: "system", content: "a" },
      ...hello,
      { role: "developer", content: "b" },
      { role: "system", content: "c" },
    ];
    expect(encode(dialect.decodeRequest({ messages })).wire.messages).toStrictEqual(messages);
  });

  test("B40: adjacent messages of one role are not merged", () => {
    const { wire } = encode({ messages: [system("a"), system("b"), user("c"), user("d")] });
    expect(wire.messages).toHaveLength(4);
  });
});

describe("repairs of ids and names", () => {
  const long = `toolu_${"x".repeat(50)}`;

  test("B16: an id of more than 40 characters is renamed in call and result", () => {
    const { wire, names } = dialect.encodeRequest({ messages: [assistant([call(long)]), result(long), user("Next.")] });
    const [sent, answered] = (wire as EncodedRequest["wire"]).messages;
    const id = String(answered?.["tool_call_id"]);
    expect(id.length).toBeLessThanOrEqual(40);
    expect(sent).toHaveProperty("tool_calls.0.id", id);
    expect(names).toStrictEqual({ toolCallIds: { [id]: long } });
  });

  test("B30: an invalid tool name is renamed everywhere", () => {
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

  test("valid names and ids are not changed", () => {
    const { names } = dialect.encodeRequest({
      messages: [assistant([call("any id: ✓")]), result("any id: ✓"), user("x")],
    });
    expect(names).toBeUndefined();
  });
});

describe("repairs of settings", () => {
  test("B52: empty tools and their settings are dropped", () => {
    const request: ModelRequest = { messages: question, tools: [], toolChoice: "auto", parallelToolCalls: true };
    expect(encode(request)).toStrictEqual({
      wire: { messages: hello },
      losses: [
        "tool-settings-dropped /tools",
        "tool-settings-dropped /toolChoice",
        "tool-settings-dropped /parallelToolCalls",
      ],
    });
    expect(encode(request, false).wire).toStrictEqual({
      messages: hello,
      tools: [],
      tool_choice: "auto",
      parallel_tool_calls: true,
    });
  });

  test("B52: a tool without parameters is preserved", () => {
    expect(encode({ messages: question, tools: [{ type: "function", name: "noon" }] }).wire["tools"]).toStrictEqual([
      { type: "function", function: { name: "noon" } },
    ]);
  });

  test("B53: strict is only sent for a schema that complies", () => {
    const loose = { type: "object", properties: { a: { type: "string" } } };
    const request = (schema: object): ModelRequest => ({
      messages: question,
      tools: [{ type: "function", name: "f", inputSchema: { ...schema }, strict: true }],
      output: { type: "json-schema", name: "n", schema: { ...schema }, strict: true },
    });
    expect(encode(request(strict)).losses).toStrictEqual([]);
    expect(encode(request(strict)).wire).toMatchObject({ tools: [{ function: { strict: true } }] });
    const { wire, losses } = encode(request(loose));
    expect(losses).toStrictEqual(["strict-disabled /tools/0/strict", "strict-disabled /output/strict"]);
    expect(stringifyJson(wire)).not.toContain('"strict"');
    expect(encode(request(loose), false).wire).toMatchObject({ tools: [{ function: { strict: true } }] });
  });
});

test("B44: an unchanged prefix encodes to the same bytes", () => {
  const messages = [system("s"), user("a"), assistant([call("a")]), result("a"), assistant("b")];
  const at = (count: number): string =>
    stringifyJson(encode({ messages: [...messages.slice(0, count), user("z")] }).wire.messages.slice(0, count));
  expect(at(5).startsWith(at(4).slice(0, -1))).toBe(true);
  expect(at(4).startsWith(at(2).slice(0, -1))).toBe(true);
});

describe("detection of payloads", () => {
  const blocks = [{ role: "user", content: [{ type: "text", text: "x" }] }];
  test.each([
    ["a request", { model: "m", messages: hello }, "request"],
    ["a request with its model in the URL", { messages: blocks, stream_options: {} }, "request"],
    ["messages alone, which several APIs have", { messages: hello }, undefined],
    ["text blocks, which Anthropic has as well", { model: "m", messages: blocks }, undefined],
    ["an Anthropic request with its model in the URL", { anthropic_version: "v", messages: hello, n: 1 }, undefined],
    ["a model that is not a string", { model: 7, messages: hello, n: 1 }, undefined],
  ])("%s", (_, wire, kind) => {
    expect(dialect.detectKind(wire)).toBe(kind);
  });
});
