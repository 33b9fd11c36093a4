// Repairs of encodeRequest for Gemini, and the position of system text.
import { describe, expect, test } from "vitest";
import { gemini } from "../../../src/dialects/gemini/index.ts";
import type { GeminiRequest } from "../../../src/dialects/gemini/index.ts";
import type { Message } from "../../../src/model/message.ts";
import { assistant, developer, system, toolResult, user } from "../../../src/model/message.ts";
import type { Part, ToolCallPart } from "../../../src/model/parts.ts";
import type { ModelRequest } from "../../../src/model/request.ts";

const dialect = gemini();
const contents = [{ role: "user", parts: [{ text: "Hi." }] }];
const hi = user("Hi.");

interface EncodeOutcome {
  wire: GeminiRequest;
  losses: string[];
}
/** Returns the wire request, and each loss as "code path". */
function encode(request: ModelRequest, options = {}): EncodeOutcome {
  const { wire, losses } = dialect.encodeRequest(request, options);
  return { wire: wire as GeminiRequest, losses: losses.map(({ code, path }) => `${code} ${path}`) };
}

const call = (id: string, otherFields: Partial<ToolCallPart> = {}): ToolCallPart => ({
  type: "tool-call",
  toolCallId: id,
  toolName: "f",
  input: {},
  ...otherFields,
});
const wireCall = (id: string, otherFields: object = {}): object => ({
  functionCall: { id, name: "f", args: {} },
  ...otherFields,
});
const wireResult = (id: string, response: object): object => ({ functionResponse: { id, name: "f", response } });

describe("repairs", () => {
  const sentinel = { thoughtSignature: "skip_thought_signature_validator" };
  const seals = [{ dialect: "gemini", kind: "signature", value: "c2ln" }];
  const rows: [sentence: string, messages: Message[], contents: object[], losses: string[], model?: string][] = [
    [
      "B24: a call without a result gets one",
      [hi, assistant([call("a")]), user("So?")],
      [
        ...contents,
        { role: "model", parts: [wireCall("a")] },
        { role: "user", parts: [wireResult("a", { error: "No result was recorded for this call." })] },
        { role: "user", parts: [{ text: "So?" }] },
      ],
      ["result-synthesized /messages/1/parts/0"],
    ],
    [
      "B25: results go out in call order, in one turn",
      [hi, assistant([call("a"), call("b")]), toolResult(call("b"), 2), toolResult(call("a"), 1)],
      [
        ...contents,
        { role: "model", parts: [wireCall("a"), wireCall("b")] },
        { role: "user", parts: [wireResult("a", { output: 1 }), wireResult("b", { output: 2 })] },
      ],
      ["results-reordered /messages/2/parts/0", "turns-merged /messages/2/role"],
    ],
    [
      "B24: text between a call and its result joins the content of the call",
      [hi, assistant([call("a")]), assistant("I was interrupted."), toolResult(call("a"), 1), user("So?")],
      [
        ...contents,
        { role: "model", parts: [wireCall("a"), { text: "I was interrupted." }] },
        { role: "user", parts: [wireResult("a", { output: 1 })] },
        { role: "user", parts: [{ text: "So?" }] },
      ],
      ["turns-merged /messages/2/role"],
    ],
    [
      "B25: calls in a row are one turn, as their results are",
      [
        hi,
        assistant("Let me see."),
        assistant([call("a")]),
        assistant([call("b")]),
        toolResult(call("a"), 1),
        toolResult(call("b"), 2),
      ],
      [
        ...contents,
        { role: "model", parts: [{ text: "Let me see." }] },
        { role: "model", parts: [wireCall("a", sentinel), wireCall("b")] },
        { role: "user", parts: [wireResult("a", { output: 1 }), wireResult("b", { output: 2 })] },
      ],
      ["signature-placeholder /messages/2/parts/0", "turns-merged /messages/3/role", "turns-merged /messages/5/role"],
      "gemini-3-pro",
    ],
    [
      "B22: arguments that are not an object are wrapped",
      [hi, assistant([call("a", { input: "ls", format: "text" })]), toolResult(call("a"), "")],
      [
        ...contents,
        { role: "model", parts: [{ functionCall: { id: "a", name: "f", args: { value: "ls" } } }] },
        { role: "user", parts: [wireResult("a", { output: "" })] },
      ],
      ["field-unsupported /messages/1/parts/0/format", "arguments-wrapped /messages/1/parts/0/input"],
    ],
    [
      "B41: a history that begins with a call gets a user turn",
      [assistant([call("a")]), toolResult(call("a"), 1)],
      [
        { role: "user", parts: [{ text: "(The conversation up to here is left out.)" }] },
        { role: "model", parts: [wireCall("a")] },
        { role: "user", parts: [wireResult("a", { output: 1 })] },
      ],
      ["user-turn-synthesized /messages/0"],
    ],
    [
      "B41: a history whose user message is dropped gets a user turn",
      [user([]), assistant("Hello."), user("So?")],
      [
        { role: "user", parts: [{ text: "(The conversation up to here is left out.)" }] },
        { role: "model", parts: [{ text: "Hello." }] },
        { role: "user", parts: [{ text: "So?" }] },
      ],
      ["message-empty /messages/0", "user-turn-synthesized /messages/1"],
    ],
    [
      "B41: an empty history gets a user turn",
      [system("Be brief.")],
      [{ role: "user", parts: [{ text: "(The conversation up to here is left out.)" }] }],
      ["user-turn-synthesized /messages"],
    ],
    [
      "B7, B15: reasoning of another model is dropped, and so is the message that it leaves empty",
      [hi, assistant([{ type: "reasoning", text: "Hm." }]), user("So?")],
      [...contents, { role: "user", parts: [{ text: "So?" }] }],
      ["reasoning-unsupported /messages/1/parts/0", "message-empty /messages/1"],
    ],
    [
      "B50: a lone surrogate is replaced",
      [user("Half: \ud83c")],
      [{ role: "user", parts: [{ text: "Half: \ufffd" }] }],
      ["lone-surrogate-replaced /messages/0/parts/0/text"],
    ],
    [
      "B36: a final answer is not continued",
      [hi, assistant("It is")],
      [...contents, { role: "model", parts: [{ text: "It is" }] }],
      ["prefill-unsupported /messages/1/role"],
    ],
    [
      "B10: the first call of another model in each step gets the placeholder signature",
      [
        hi,
        assistant([call("a"), call("b")]),
        { role: "tool", parts: ["a", "b"].flatMap((id) => toolResult(call(id), 1).parts) },
      ],
      [
        ...contents,
        { role: "model", parts: [wireCall("a", sentinel), wireCall("b")] },
        { role: "user", parts: [wireResult("a", { output: 1 }), wireResult("b", { output: 1 })] },
      ],
      ["signature-placeholder /messages/1/parts/0"],
      "gemini-3-pro",
    ],
    [
      "B10: a call that Gemini signed keeps its signature",
      [hi, assistant([call("a", { seals })]), toolResult(call("a"), 1)],
      [
        ...contents,
        { role: "model", parts: [wireCall("a", { thoughtSignature: "c2ln" })] },
        { role: "user", parts: [wireResult("a", { output: 1 })] },
      ],
      [],
      "gemini-3-pro",
    ],
    [
      "B10, B44: calls before the last user message get it too, so that the encoded prefix stays the same",
      [hi, assistant([call("a")]), toolResult(call("a"), 1), user("So?")],
      [
        ...contents,
        { role: "model", parts: [wireCall("a", sentinel)] },
        { role: "user", parts: [wireResult("a", { output: 1 })] },
        { role: "user", parts: [{ text: "So?" }] },
      ],
      ["signature-placeholder /messages/1/parts/0"],
      "gemini-3-pro",
    ],
    [
      "B45: media of a result follow in a separate content for models that accept none in results",
      [
        hi,
        assistant([call("a")]),
        toolResult(call("a"), "See.", { content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] }),
        assistant("Seen."),
        user("And?"),
      ],
      [
        ...contents,
        { role: "model", parts: [wireCall("a")] },
        { role: "user", parts: [wireResult("a", { output: "See." })] },
        { role: "user", parts: [{ inlineData: { data: "aGk=", mimeType: "image/png" } }] },
        { role: "model", parts: [{ text: "Seen." }] },
        { role: "user", parts: [{ text: "And?" }] },
      ],
      ["media-moved /messages/2/parts/0/content/0"],
      "gemini-2.5-flash",
    ],
    [
      "a mime type that is missing is guessed",
      [user([{ type: "image", data: "iVBORw0KGgo=" }])],
      [{ role: "user", parts: [{ inlineData: { data: "iVBORw0KGgo=", mimeType: "image/png" } }] }],
      ["mime-type-guessed /messages/0/parts/0/mimeType"],
    ],
  ];
  test.each(rows)("%s", (_, messages, expected, losses, model) => {
    const { wire, losses: outcome } = encode({ messages, ...(model !== undefined && { model }) });
    expect(wire.contents).toStrictEqual(expected);
    expect(outcome).toStrictEqual(losses);
  });

  test("without repair the history is encoded unchanged", () => {
    const messages = [assistant([call("a")]), user("Half: \ud83c"), assistant([])];
    expect(encode({ messages, model: "gemini-3-pro" }, { repair: false })).toStrictEqual({
      wire: {
        contents: [
          { role: "model", parts: [wireCall("a")] },
          { role: "user", parts: [{ text: "Half: \ud83c" }] },
          { role: "model", parts: [] },
        ],
      },
      losses: [],
    });
  });

  test("B16, B30: tool names that Gemini rejects are replaced consistently and restored in the response", () => {
    const toolName = "read file/äöü";
    const { wire, names } = dialect.encodeRequest({
      messages: [
        hi,
        assistant([call("an id / of any kind", { toolName })]),
        toolResult(call("an id / of any kind", { toolName }), 1),
      ],
      tools: [{ type: "function", name: toolName }],
      toolChoice: { toolName },
    });
    const [written = ""] = Object.keys(names?.toolNames ?? {});
    expect(written).toMatch(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/);
    expect(JSON.stringify(wire).split(written).length - 1).toBe(4);
    const reply = {
      candidates: [{ content: { role: "model", parts: [{ functionCall: { id: "x", name: written, args: {} } }] } }],
    };
    const part = dialect.decodeResponse(reply, { names }).message.parts[0];
    expect(part).toMatchObject({ toolName });
  });

  test("a tool choice without functions is dropped, because Gemini rejects it", () => {
    expect(encode({ messages: [hi], toolChoice: "required" })).toStrictEqual({
      wire: { contents },
      losses: ["tool-choice-dropped /toolChoice"],
    });
  });

  const efforts: [string, string, object, string[]][] = [
    ["gemini-2.5-pro", "low", { thinkingBudget: 1024 }, ["effort-as-budget /reasoning/effort"]],
    ["gemini-3-pro", "low", { thinkingLevel: "LOW" }, []],
    ["gemini-3-pro", "xhigh", { thinkingLevel: "HIGH" }, ["setting-approximated /reasoning/effort"]],
  ];
  test.each(efforts)("%s gets the effort %s as level or budget", (model, effort, thinkingConfig, losses) => {
    expect(encode({ model, messages: [hi], reasoning: { effort } })).toStrictEqual({
      wire: { contents, generationConfig: { thinkingConfig } },
      losses,
    });
  });
});

describe("B37: system text", () => {
  const rows: [sentence: string, messages: Message[], wire: object, losses: string[]][] = [
    ["one message", [system("A"), hi], { parts: [{ text: "A" }] }, []],
    [
      "several system messages become one text",
      [system("A"), developer("B"), hi],
      { parts: [{ text: "A\n\nB" }] },
      ["system-joined /messages/0/parts", "developer-as-system /messages/1/role", "system-joined /messages/1/parts"],
    ],
    [
      "system texts with other fields stay parts",
      [system([{ type: "text", text: "A" }, { type: "text", text: "B" } satisfies Part]), system("C"), hi],
      { parts: [{ text: "A" }, { text: "B" }, { text: "C" }] },
      ["turns-merged /messages/1/role"],
    ],
    [
      "a later system message moves to the beginning",
      [system("A"), hi, system("B")],
      { parts: [{ text: "A" }, { text: "B" }] },
      ["system-moved /messages/2/parts"],
    ],
  ];
  test.each(rows)("%s", (_, messages, systemInstruction, losses) => {
    expect(encode({ messages })).toStrictEqual({ wire: { systemInstruction, contents }, losses });
  });
});

test("B10: unsigned calls from Gemini's own wire before the last user message stay unsigned", () => {
  const wire = {
    contents: [
      { role: "user", parts: [{ text: "Hi." }] },
      { role: "model", parts: [{ functionCall: { id: "a", name: "f", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { id: "a", name: "f", response: { output: "1" } } }] },
      { role: "user", parts: [{ text: "So?" }] },
    ],
  };
  const request = dialect.decodeRequest(wire, { address: { model: "gemini-3-pro" } });
  expect(dialect.encodeRequest(request)).toMatchObject({ wire, losses: [] });
});

test("separate contents from Gemini's own wire are merged only between a call and its result", () => {
  const model = (...parts: object[]): object => ({ role: "model", parts });
  const apart = { contents: [...contents, model({ text: "A" }), model(wireCall("a")), model({ text: "B" })] };
  const request = dialect.decodeRequest(apart);
  expect(dialect.encodeRequest(request, { repair: false }).wire).toStrictEqual(apart);
  expect(encode(request).wire.contents).toStrictEqual([
    ...contents,
    model({ text: "A" }),
    model(wireCall("a"), { text: "B" }),
    { role: "user", parts: [wireResult("a", { error: "No result was recorded for this call." })] },
  ]);
});

test("an empty list of tools and a file without a MIME type from Gemini's own wire stay unchanged", () => {
  const file = { fileData: { fileUri: "https://example.com/a.pdf" } };
  const wire = { contents: [{ role: "user", parts: [file] }], tools: [] };
  expect(dialect.encodeRequest(dialect.decodeRequest(wire))).toMatchObject({ wire, losses: [] });
});
