// What encodeRequest mends for Gemini, and where system text goes.
import { describe, expect, test } from "vitest";
import { gemini } from "../../src/dialects/gemini/index.ts";
import type { GeminiRequest } from "../../src/dialects/gemini/index.ts";
import type { Message } from "../../src/model/message.ts";
import { assistant, developer, system, toolResult, user } from "../../src/model/message.ts";
import type { Part, ToolCallPart } from "../../src/model/parts.ts";
import type { ModelRequest } from "../../src/model/request.ts";

const dialect = gemini();
const contents = [{ role: "user", parts: [{ text: "Hi." }] }];
const hi = user("Hi.");

interface Outcome {
  wire: GeminiRequest;
  losses: string[];
}
/** The wire, and each loss as "code path". */
function encode(request: ModelRequest, options = {}): Outcome {
  const { wire, losses } = dialect.encodeRequest(request, options);
  return { wire: wire as GeminiRequest, losses: losses.map(({ code, path }) => `${code} ${path}`) };
}

const call = (id: string, beside: Partial<ToolCallPart> = {}): ToolCallPart => ({
  type: "tool-call",
  toolCallId: id,
  toolName: "f",
  input: {},
  ...beside,
});
const wireCall = (id: string, beside: object = {}): object => ({
  functionCall: { id, name: "f", args: {} },
  ...beside,
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
      "B24: what the model said between its call and the result is part of the calling turn",
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
      ["signature-sentinel /messages/2/parts/0", "turns-merged /messages/3/role", "turns-merged /messages/5/role"],
      "gemini-3-pro",
    ],
    [
      "B22: arguments that are no object are put into one",
      [hi, assistant([call("a", { input: "ls", format: "text" })]), toolResult(call("a"), "")],
      [
        ...contents,
        { role: "model", parts: [{ functionCall: { id: "a", name: "f", args: { value: "ls" } } }] },
        { role: "user", parts: [wireResult("a", { output: "" })] },
      ],
      ["field-unsaid /messages/1/parts/0/format", "arguments-wrapped /messages/1/parts/0/input"],
    ],
    [
      "B41: nobody calls before the user has spoken",
      [assistant([call("a")]), toolResult(call("a"), 1)],
      [
        { role: "user", parts: [{ text: "(The conversation up to here is left out.)" }] },
        { role: "model", parts: [wireCall("a")] },
        { role: "user", parts: [wireResult("a", { output: 1 })] },
      ],
      ["user-first /messages/0"],
    ],
    [
      "B41: the user speaks first, also where nothing of the user's is left",
      [user([]), assistant("Hello."), user("So?")],
      [
        { role: "user", parts: [{ text: "(The conversation up to here is left out.)" }] },
        { role: "model", parts: [{ text: "Hello." }] },
        { role: "user", parts: [{ text: "So?" }] },
      ],
      ["message-empty /messages/0", "user-first /messages/1"],
    ],
    [
      "B41: and where nobody has spoken at all",
      [system("Be brief.")],
      [{ role: "user", parts: [{ text: "(The conversation up to here is left out.)" }] }],
      ["user-first /messages"],
    ],
    [
      "B7, B15: reasoning of others is left out, and no empty turn stays behind",
      [hi, assistant([{ type: "reasoning", text: "Hm." }]), user("So?")],
      [...contents, { role: "user", parts: [{ text: "So?" }] }],
      ["reasoning-unsaid /messages/1/parts/0", "message-empty /messages/1"],
    ],
    [
      "B50: half a character is replaced",
      [user("Half: \ud83c")],
      [{ role: "user", parts: [{ text: "Half: \ufffd" }] }],
      ["surrogates /messages/0/parts/0/text"],
    ],
    [
      "B36: a final answer is not continued",
      [hi, assistant("It is")],
      [...contents, { role: "model", parts: [{ text: "It is" }] }],
      ["prefill /messages/1/role"],
    ],
    [
      "B10: the first foreign call of each step gets the sentinel",
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
      ["signature-sentinel /messages/1/parts/0"],
      "gemini-3-pro",
    ],
    [
      "B10: but not one that Gemini signed",
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
      "B10, B44: also before the user's last words, so that the bytes stay the same when the user speaks again",
      [hi, assistant([call("a")]), toolResult(call("a"), 1), user("So?")],
      [
        ...contents,
        { role: "model", parts: [wireCall("a", sentinel)] },
        { role: "user", parts: [wireResult("a", { output: 1 })] },
        { role: "user", parts: [{ text: "So?" }] },
      ],
      ["signature-sentinel /messages/1/parts/0"],
      "gemini-3-pro",
    ],
    [
      "B45: media of a result go out after it, where the model takes none in results",
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
      ["mime-guessed /messages/0/parts/0/mimeType"],
    ],
  ];
  test.each(rows)("%s", (_, messages, wanted, losses, model) => {
    const { wire, losses: found } = encode({ messages, ...(model !== undefined && { model }) });
    expect(wire.contents).toStrictEqual(wanted);
    expect(found).toStrictEqual(losses);
  });

  test("without repairs nothing is mended", () => {
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

  test("B16, B30: names that Gemini refuses are replaced, alike everywhere, and restored in the reply", () => {
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

  test("a choice without functions is left out, as Gemini refuses it", () => {
    expect(encode({ messages: [hi], toolChoice: "required" })).toStrictEqual({
      wire: { contents },
      losses: ["choice-lost /toolChoice"],
    });
  });

  const efforts: [string, string, object, string[]][] = [
    ["gemini-2.5-pro", "low", { thinkingBudget: 1024 }, ["effort-as-budget /reasoning/effort"]],
    ["gemini-3-pro", "low", { thinkingLevel: "LOW" }, []],
    ["gemini-3-pro", "xhigh", { thinkingLevel: "HIGH" }, ["setting-nearest /reasoning/effort"]],
  ];
  test.each(efforts)("%s is asked for the effort %s in its own words", (model, effort, thinkingConfig, losses) => {
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
      "several are one text",
      [system("A"), developer("B"), hi],
      { parts: [{ text: "A\n\nB" }] },
      ["system-joined /messages/0/parts", "developer-as-system /messages/1/role", "system-joined /messages/1/parts"],
    ],
    [
      "texts that are more than text stay parts",
      [system([{ type: "text", text: "A" }, { type: "text", text: "B" } satisfies Part]), system("C"), hi],
      { parts: [{ text: "A" }, { text: "B" }, { text: "C" }] },
      ["turns-merged /messages/1/role"],
    ],
    [
      "a later one goes to the beginning",
      [system("A"), hi, system("B")],
      { parts: [{ text: "A" }, { text: "B" }] },
      ["system-moved /messages/2/parts"],
    ],
  ];
  test.each(rows)("%s", (_, messages, systemInstruction, losses) => {
    expect(encode({ messages })).toStrictEqual({ wire: { systemInstruction, contents }, losses });
  });
});

test("B10: calls that Gemini's own wire had without a signature, before the user's last words, stay as they are", () => {
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

test("turns that Gemini's own wire had apart are merged only where a call waits for its result", () => {
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

test("an empty list of tools, and a file without its type, stay as Gemini had them", () => {
  const file = { fileData: { fileUri: "https://example.com/a.pdf" } };
  const wire = { contents: [{ role: "user", parts: [file] }], tools: [] };
  expect(dialect.encodeRequest(dialect.decodeRequest(wire))).toMatchObject({ wire, losses: [] });
});
