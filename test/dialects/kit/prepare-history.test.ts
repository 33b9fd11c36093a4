// Repairs of a history, tested with a dialect whose wire is the history itself.
import { describe, expect, test } from "vitest";
import { defineDialect } from "../../../src/dialects/define.ts";
import type { HistoryRules } from "../../../src/dialects/kit/history/prepare-history.ts";
import { prepareHistory } from "../../../src/dialects/kit/history/prepare-history.ts";
import { storeResultOrder } from "../../../src/dialects/kit/history/pair-tool-results.ts";
import { PROVIDER_LOSSES } from "../../../src/dialects/kit/losses/provider-catalog.ts";
import { type JsonObject, parseJson, stringifyJson } from "../../../src/model/json/index.ts";
import type { Message } from "../../../src/model/message.ts";
import { assistant, user } from "../../../src/model/message.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../../src/model/parts.ts";
import { deepFreeze } from "../../../src/testkit/json/json-nodes.ts";

function encodeHistory(
  messages: Message[],
  rules: HistoryRules = {},
  repair = true,
): { history: Message[]; losses: string[] } {
  const probe = defineDialect({
    id: "probe",
    title: "Probe",
    losses: PROVIDER_LOSSES,
    messages: { decode: () => [], encode: () => [] },
    requests: {
      decode: () => ({ messages: [] }),
      encode: (request, context) => {
        context.pathTracker.enter("messages");
        const turns = prepareHistory(request.messages, rules, context);
        context.pathTracker.leave();
        return { wire: turns.map(({ message }) => message) };
      },
    },
  });
  const { wire, losses } = probe().encodeRequest({ messages: deepFreeze(messages) }, { repair });
  return { history: wire as Message[], losses: losses.map(({ code, path }) => `${code} ${path}`) };
}

const call = (toolCallId: string, extra: Partial<ToolCallPart> = {}): ToolCallPart => ({
  type: "tool-call",
  toolCallId,
  toolName: "f",
  input: {},
  ...extra,
});
const result = (toolCallId: string, output = toolCallId, extra: Partial<ToolResultPart> = {}): ToolResultPart => ({
  type: "tool-result",
  toolCallId,
  toolName: "f",
  isError: false,
  output,
  ...extra,
});
const tool = (...parts: Part[]): Message => ({ role: "tool", parts });
const synthesized = (toolCallId: string): ToolResultPart =>
  result(toolCallId, "No result was recorded for this call.", { isError: true });

describe("pairing", () => {
  const go = user("Go.");
  const rows: [sentence: string, messages: Message[], history: Message[], losses: string[], rules?: HistoryRules][] = [
    [
      "a paired history is unchanged",
      [go, assistant([call("a")]), tool(result("a"))],
      [go, assistant([call("a")]), tool(result("a"))],
      [],
    ],
    [
      "B24: a call without a result gets an error result",
      [go, assistant([call("a")]), user("Well?")],
      [go, assistant([call("a")]), tool(synthesized("a")), user("Well?")],
      ["result-synthesized /messages/1/parts/0"],
    ],
    [
      "B24: a call without a result at the end, and beside an answered one",
      [go, assistant([call("a"), call("b")]), tool(result("b"))],
      [go, assistant([call("a"), call("b")]), tool(synthesized("a")), tool(result("b"))],
      ["result-synthesized /messages/1/parts/0"],
    ],
    [
      "B24: a synthesized result has its call's tool name and format",
      [go, assistant([call("a", { tool: "custom", format: "text" })])],
      [
        go,
        assistant([call("a", { tool: "custom", format: "text" })]),
        tool({ ...synthesized("a"), format: "text", tool: "custom" }),
      ],
      ["result-synthesized /messages/1/parts/0"],
    ],
    [
      "B24: a second result of one call is dropped",
      [go, assistant([call("a")]), tool(result("a", "first")), tool(result("a", "second"))],
      [go, assistant([call("a")]), tool(result("a", "first"))],
      ["result-duplicate /messages/3/parts/0"],
    ],
    [
      "B24: a result without a call becomes text, with its media",
      [go, tool(result("x", "42", { content: [{ type: "image", url: "https://example.com/i" }] }))],
      [
        go,
        user([
          { type: "text", text: "[Result of f, call x] 42" },
          { type: "image", url: "https://example.com/i" },
        ]),
      ],
      ["result-orphan /messages/1/parts/0"],
    ],
    [
      "B24: a result before its call is not its result",
      [go, tool(result("a")), assistant([call("a")])],
      [go, user("[Result of f, call a] a"), assistant([call("a")]), tool(synthesized("a"))],
      ["result-orphan /messages/1/parts/0", "result-synthesized /messages/2/parts/0"],
    ],
    [
      "a late result is moved to its call",
      [go, assistant([call("a")]), user("Hm."), tool(result("a"))],
      [go, assistant([call("a")]), tool(result("a")), user("Hm.")],
      ["result-moved /messages/3/parts/0"],
    ],
    [
      "B25: results are in call order",
      [go, assistant([call("a"), call("b")]), tool(result("b"), result("a"))],
      [go, assistant([call("a"), call("b")]), tool(result("a"), result("b"))],
      ["results-reordered /messages/2/parts/0"],
    ],
    [
      "B25: results are in call order across messages",
      [go, assistant([call("a"), call("b")]), tool(result("b")), tool(result("a"))],
      [go, assistant([call("a"), call("b")]), tool(result("a")), tool(result("b"))],
      ["results-reordered /messages/2/parts/0"],
    ],
    [
      "B17: a repeated id is replaced, and the n-th result belongs to the n-th call",
      [
        go,
        assistant([call("a")]),
        tool(result("a", "first")),
        assistant([call("a"), call("b")]),
        tool(result("a", "second")),
      ],
      [
        go,
        assistant([call("a")]),
        tool(result("a", "first")),
        assistant([call("a_2"), call("b")]),
        tool(result("a_2", "second")),
        tool(synthesized("b")),
      ],
      [
        "call-id-repeated /messages/3/parts/0/toolCallId",
        "call-id-repeated /messages/4/parts/0/toolCallId",
        "result-synthesized /messages/3/parts/1",
      ],
    ],
    [
      "B17: a repeated id is replaced if results may be anywhere",
      [go, assistant([call("a")]), assistant([call("a")]), tool(result("a", "first"))],
      [go, assistant([call("a")]), assistant([call("a_2")]), tool(synthesized("a_2")), tool(result("a", "first"))],
      ["call-id-repeated /messages/2/parts/0/toolCallId", "result-synthesized /messages/2/parts/0"],
      { allowsAnyPosition: true },
    ],
    [
      "B33: calls of a provider's tool are not paired",
      [go, assistant([call("a", { executor: "provider" })])],
      [go, assistant([call("a", { executor: "provider" })])],
      [],
    ],
    [
      "results may be anywhere if the target allows it",
      [go, assistant([call("a"), call("b")]), user("Hm."), tool(result("b"), result("a"))],
      [go, assistant([call("a"), call("b")]), user("Hm."), tool(result("b"), result("a"))],
      [],
      { allowsAnyPosition: true },
    ],
    [
      "each call still gets one result",
      [go, assistant([call("a"), call("b")]), user("Hm."), tool(result("b"))],
      [go, assistant([call("a"), call("b")]), tool(synthesized("a")), user("Hm."), tool(result("b"))],
      ["result-synthesized /messages/1/parts/0"],
      { allowsAnyPosition: true },
    ],
    [
      "a stored call may be answered",
      [tool(result("a")), go],
      [tool(result("a")), go],
      [],
      { allowsAnyPosition: true, allowsStoredCalls: true },
    ],
    [
      "consecutive assistant messages are one turn",
      [go, assistant([call("a")]), assistant("Wait."), tool(result("a"))],
      [go, assistant([call("a")]), assistant("Wait."), tool(result("a"))],
      [],
    ],
    [
      "results follow their own message if the target requires it",
      [go, assistant([call("a")]), assistant("Wait."), tool(result("a"))],
      [go, assistant([call("a")]), tool(result("a")), assistant("Wait.")],
      ["result-moved /messages/3/parts/0"],
      { requiresSameMessage: true },
    ],
  ];
  test.each(rows)("%s", (_, messages, history, losses, rules) => {
    expect(encodeHistory(messages, rules)).toEqual({ history, losses });
  });

  test.each(rows)("without repairs the history is unchanged: %s", (_, messages, _history, _losses, rules) => {
    expect(encodeHistory(messages, rules, false)).toEqual({ history: messages, losses: [] });
  });

  test("B25: the order of results in the dialect's own wire is preserved", () => {
    const messages = [go, assistant([call("a"), call("b")]), tool(result("b"), result("a"))];
    storeResultOrder(messages, "probe");
    expect(encodeHistory(messages)).toEqual({ history: messages, losses: [] });
    expect(encodeHistory(structuredClone(messages).slice(1)).losses).toEqual([]);
  });

  test("many parallel calls are paired in linear time", () => {
    const ids = Array.from({ length: 50_000 }, (_, at) => `c${at}`);
    const messages = [go, assistant(ids.map((id) => call(id))), tool(...ids.map((id) => result(id)))];
    expect(encodeHistory(messages).losses).toEqual([]);
    expect(encodeHistory(messages.slice(0, 2)).losses).toHaveLength(50_000);
    const reversed = [go, messages[1] as Message, tool(...ids.toReversed().map((id) => result(id)))];
    expect(encodeHistory(reversed).losses).toHaveLength(49_999);
    expect(encodeHistory(reversed, { allowsAnyPosition: true }).losses).toEqual([]);
  });
});

describe("texts", () => {
  const signed: Part = { type: "reasoning", text: "", seals: [{ dialect: "probe", kind: "signature", value: "s" }] };
  const blank: Part = { type: "text", text: " \n" };
  const rows: [sentence: string, messages: Message[], rules: HistoryRules, history: Message[], losses: string[]][] = [
    [
      "B34: blank text is dropped",
      [user([blank, { type: "text", text: "Hi." }])],
      { noBlankText: true },
      [user("Hi.")],
      ["text-blank /messages/0/parts/0"],
    ],
    [
      "B34: blank text beside signed reasoning is preserved",
      [user("Hi."), assistant([signed, blank, { type: "text", text: "A" }, blank])],
      { noBlankText: true },
      [user("Hi."), assistant([signed, blank, { type: "text", text: "A" }])],
      ["text-blank /messages/1/parts/3"],
    ],
    [
      "B35: white space at the end of a final assistant text is trimmed",
      [user("Hi."), assistant("Once upon a ")],
      { noTrailingSpace: true },
      [user("Hi."), assistant("Once upon a")],
      ["text-trimmed /messages/1/parts/0/text"],
    ],
    [
      "B35: white space in other messages stays",
      [assistant("So "), user("Hi. ")],
      { noTrailingSpace: true },
      [assistant("So "), user("Hi. ")],
      [],
    ],
    [
      "B36: a prefill is reported",
      [user("Hi."), assistant("So")],
      { noPrefill: true },
      [user("Hi."), assistant("So")],
      ["prefill-unsupported /messages/1/role"],
    ],
    [
      "B50: a lone surrogate is replaced, also in nested arguments and results",
      [
        user("a\ud800"),
        assistant([call("a", { input: { "k\udc00": ["\ud83d", "\ud83d\ude00"] } })]),
        tool(result("a", "\udc00")),
      ],
      {},
      [
        user("a\ufffd"),
        assistant([call("a", { input: { "k\ufffd": ["\ufffd", "\ud83d\ude00"] } })]),
        tool(result("a", "\ufffd")),
      ],
      [
        "lone-surrogate-replaced /messages/0/parts/0/text",
        "lone-surrogate-replaced /messages/1/parts/0/input",
        "lone-surrogate-replaced /messages/2/parts/0/output",
      ],
    ],
  ];
  test.each(rows)("%s", (_, messages, rules, history, losses) => {
    expect(encodeHistory(messages, rules)).toEqual({ history, losses });
  });

  test("B23: replacing a lone surrogate preserves the digits of numbers in the same value", () => {
    const digits = '{"id":12345678901234567890,"list":[0.10000000000000000001,"x"],"k":"\\ud800"}';
    const input = parseJson(digits) as JsonObject;
    const { history } = encodeHistory([assistant([call("a", { input })])], {});
    expect(stringifyJson(history[0]?.parts[0])).toContain(
      '{"id":12345678901234567890,"list":[0.10000000000000000001,"x"],"k":"\ufffd"}',
    );
  });
});
