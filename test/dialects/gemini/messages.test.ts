// Gemini's parts and contents as canonical parts and messages, one row each, in both directions.
import { describe, expect, test } from "vitest";
import { gemini } from "../../../src/dialects/gemini/index.ts";
import { parseJson, stringifyJson } from "../../../src/model/json/index.ts";
import type { Message } from "../../../src/model/message.ts";
import type { Part, ToolResultPart } from "../../../src/model/parts.ts";

const dialect = gemini();
const decode = (wire: unknown): Message[] => dialect.decodeMessages(wire);
const encode = (messages: readonly Message[]): unknown => dialect.encodeMessages(messages).wire;
// The cast allows residue of any shape.
const extra = (residue: object): { extra: { gemini: never } } => ({ extra: { gemini: residue as never } });
const form = (fields: object): { extra: { gemini: never } } => extra({ $form: fields });
const signed = (value: string): Pick<Part, "seals"> => ({ seals: [{ dialect: "gemini", kind: "signature", value }] });

describe("a wire part decodes to a canonical part and back", () => {
  const rows: [sentence: string, wire: object, part: Part][] = [
    ["text", { text: "Hello." }, { type: "text", text: "Hello." }],
    ["B42: an empty text", { text: "" }, { type: "text", text: "" }],
    [
      "B9: a signature stays on its text",
      { text: "Hello.", thoughtSignature: "c2ln" },
      { type: "text", text: "Hello.", ...signed("c2ln") },
    ],
    [
      "B9: a signature stays on an empty text",
      { text: "", thoughtSignature: "c2ln" },
      { type: "text", text: "", ...signed("c2ln") },
    ],
    [
      "a thought",
      { text: "Hm.", thought: true, thoughtSignature: "c2ln" },
      { type: "reasoning", text: "Hm.", ...signed("c2ln") },
    ],
    [
      "a thought without a signature is marked as Gemini's own by its form",
      { text: "Hm.", thought: true },
      { type: "reasoning", text: "Hm.", ...form({ thought: true }) },
    ],
    [
      "B9: a signature on a call without arguments",
      { functionCall: { id: "fc", name: "now" }, thoughtSignature: "c2ln" },
      {
        type: "tool-call",
        toolCallId: "fc",
        toolName: "now",
        input: {},
        ...form({ args: null }),
        ...signed("c2ln"),
      },
    ],
    [
      "B17: a call without an id gets a unique one",
      { functionCall: { name: "look", args: { at: "sea" } } },
      { type: "tool-call", toolCallId: "call_1", toolName: "look", input: { at: "sea" }, ...form({ id: null }) },
    ],
    [
      "B43: unknown fields of a call stay residue",
      { functionCall: { id: "fc", name: "f", args: {}, willContinue: true } },
      {
        type: "tool-call",
        toolCallId: "fc",
        toolName: "f",
        input: {},
        ...extra({ functionCall: { willContinue: true } }),
      },
    ],
    [
      "B9, B47: an image, signed",
      { inlineData: { mimeType: "image/png", data: "aGk=", displayName: "hi.png" }, thoughtSignature: "c2ln" },
      { type: "image", data: "aGk=", mimeType: "image/png", name: "hi.png", ...signed("c2ln") },
    ],
    [
      "a video with its settings",
      { inlineData: { mimeType: "video/mp4", data: "aGk=" }, videoMetadata: { fps: 2 } },
      { type: "video", data: "aGk=", mimeType: "video/mp4", ...extra({ videoMetadata: { fps: 2 } }) },
    ],
    [
      "audio",
      { inlineData: { mimeType: "audio/wav", data: "aGk=" } },
      { type: "audio", data: "aGk=", mimeType: "audio/wav" },
    ],
    [
      "B46: a file by its URL",
      { fileData: { fileUri: "https://example.com/a.pdf", mimeType: "application/pdf" } },
      { type: "file", url: "https://example.com/a.pdf", mimeType: "application/pdf" },
    ],
    ["a film", { fileData: { fileUri: "https://youtu.be/abc" } }, { type: "video", url: "https://youtu.be/abc" }],
    [
      "B46: a file that only Google can open",
      { fileData: { fileUri: "gs://bucket/a.png", mimeType: "image/png" } },
      { type: "image", fileId: "gs://bucket/a.png", issuer: { dialect: "gemini" }, mimeType: "image/png" },
    ],
    [
      "B33: code that Google runs",
      { executableCode: { id: "ec", language: "PYTHON", code: "print(1)" } },
      {
        type: "tool-call",
        toolCallId: "ec",
        toolName: "codeExecution",
        input: { language: "PYTHON", code: "print(1)" },
        executor: "provider",
        tool: "executableCode",
      },
    ],
    [
      "B33: a search that Google runs",
      { toolCall: { id: "tc", toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["koine"] } } },
      {
        type: "tool-call",
        toolCallId: "tc",
        toolName: "GOOGLE_SEARCH_WEB",
        input: { queries: ["koine"] },
        executor: "provider",
        tool: "toolCall",
      },
    ],
    [
      "B43: a part of a new kind",
      { hologram: { depth: 3 } },
      { type: "opaque", dialect: "gemini", value: { hologram: { depth: 3 } } },
    ],
    [
      "B43: a call without a name",
      { functionCall: {} },
      { type: "opaque", dialect: "gemini", value: { functionCall: {} } },
    ],
    ["B43: a new field", { text: "Hi.", tone: "warm" }, { type: "text", text: "Hi.", ...extra({ tone: "warm" }) }],
    [
      "B42: false is not absent",
      { text: "Hi.", thought: false },
      { type: "text", text: "Hi.", ...extra({ thought: false }) },
    ],
    [
      "snake_case names are stored as form",
      { inline_data: { mime_type: "image/png", data: "aGk=" }, thought_signature: "c2ln" },
      {
        type: "image",
        data: "aGk=",
        mimeType: "image/png",
        ...form({ snake: { inline_data: { mime_type: true }, thought_signature: true } }),
        ...signed("c2ln"),
      },
    ],
  ];
  test.each(rows)("%s", (_, wire, part) => {
    const messages: Message[] = [{ role: "assistant", parts: [part] }];
    expect(decode([{ role: "model", parts: [wire] }])).toStrictEqual(messages);
    expect(encode(messages)).toStrictEqual([{ role: "model", parts: [wire] }]);
  });
});

describe("a function response decodes to a result and back", () => {
  const rows: [sentence: string, response: object, result: Partial<ToolResultPart>][] = [
    ["a text", { response: { output: "Sunny." } }, { output: "Sunny." }],
    ["B27: an empty text", { response: { output: "" } }, { output: "" }],
    ["null", { response: { output: null } }, { output: null }],
    ["a list", { response: { output: [1, 2] } }, { output: [1, 2] }],
    ["an object is the response itself", { response: { sky: "blue" } }, { output: { sky: "blue" } }],
    ["an empty object is the response itself", { response: {} }, { output: {} }],
    ["B27: an error", { response: { error: "Broken." } }, { output: "Broken.", isError: true }],
    ["an error with details", { response: { error: { code: 7 } } }, { output: { code: 7 }, isError: true }],
    [
      "an object in an envelope stays one",
      { response: { output: { sky: "blue" } } },
      { output: { output: { sky: "blue" } } },
    ],
    [
      "an object output that looks like an error is wrapped",
      { response: { output: { error: "no" } } },
      { output: { error: "no" } },
    ],
    ["B42: no response", {}, form({ response: null })],
    [
      "B45: media beside the output",
      { response: { output: "Here." }, parts: [{ inlineData: { mimeType: "image/png", data: "aGk=" } }] },
      { output: "Here.", content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] },
    ],
    [
      "B43: unknown fields of a response stay residue",
      { response: { output: 1 }, scheduling: "SILENT" },
      { output: 1, ...extra({ functionResponse: { scheduling: "SILENT" } }) },
    ],
  ];
  test.each(rows)("%s", (_, fields, result) => {
    const wire = [
      { role: "model", parts: [{ functionCall: { id: "fc", name: "f", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { id: "fc", name: "f", ...fields } }] },
    ];
    const part: Part = { type: "tool-result", toolCallId: "fc", toolName: "f", isError: false, ...result };
    const [, message] = decode(wire);
    expect(message).toStrictEqual({ role: "tool", parts: [part] });
    expect(encode(decode(wire))).toStrictEqual(wire);
  });

  test("B33: output and outcome of code that Google ran", () => {
    const wire = [
      {
        role: "model",
        parts: [
          { executableCode: { code: "1/0" } },
          { codeExecutionResult: { outcome: "OUTCOME_FAILED", output: "ZeroDivisionError" } },
        ],
      },
    ];
    expect(decode(wire)[0]?.parts).toMatchObject([
      { type: "tool-call", toolCallId: "call_1", executor: "provider", input: { code: "1/0" } },
      {
        type: "tool-result",
        toolCallId: "call_1",
        toolName: "codeExecution",
        isError: true,
        output: "ZeroDivisionError",
      },
    ]);
    expect(encode(decode(wire))).toStrictEqual(wire);
  });

  test("B17: parallel calls of one name without ids are answered in their order", () => {
    const call = { functionCall: { name: "f", args: {} } };
    const answer = (output: number): object => ({ functionResponse: { name: "f", response: { output } } });
    const [calls, results] = decode([
      { role: "model", parts: [call, call] },
      { role: "user", parts: [answer(1), answer(2)] },
    ]);
    const ids = calls?.parts.map((part) => (part.type === "tool-call" ? part.toolCallId : ""));
    expect(ids).toStrictEqual(["call_1", "call_2"]);
    expect(results?.parts.map((part) => (part.type === "tool-result" ? part.toolCallId : ""))).toStrictEqual(ids);
  });
});

describe("a content decodes to a message and back", () => {
  const text = (value: string): Part => ({ type: "text", text: value });
  const answer = { functionResponse: { id: "x", name: "f", response: { output: 1 } } };
  const result: Part = { type: "tool-result", toolCallId: "x", toolName: "f", isError: false, output: 1 };
  const rows: [sentence: string, wire: object[], messages: Message[]][] = [
    [
      "B40: adjacent contents of one role stay separate",
      [
        { role: "user", parts: [{ text: "A" }] },
        { role: "user", parts: [{ text: "B" }] },
      ],
      [
        { role: "user", parts: [text("A")] },
        { role: "user", parts: [text("B")] },
      ],
    ],
    [
      "B28: results beside text split, and are joined again",
      [{ role: "user", parts: [{ text: "A" }, answer, { text: "B" }] }],
      [
        { role: "user", parts: [text("A")] },
        { role: "tool", parts: [result], ...form({ turn: "joined" }) },
        { role: "user", parts: [text("B")], ...form({ turn: "joined" }) },
      ],
    ],
    [
      "results in two contents stay separate",
      [
        { role: "user", parts: [answer] },
        { role: "user", parts: [answer] },
      ],
      [
        { role: "tool", parts: [result] },
        { role: "tool", parts: [result], ...form({ turn: "own" }) },
      ],
    ],
    ["no role", [{ parts: [{ text: "A" }] }], [{ role: "user", parts: [text("A")], ...form({ role: null }) }]],
    [
      "an old role",
      [{ role: "function", parts: [answer] }],
      [{ role: "tool", parts: [result], ...form({ role: "function" }) }],
    ],
    ["no parts", [{ role: "model" }], [{ role: "assistant", parts: [], ...form({ parts: null }) }]],
    ["B43: a new field", [{ role: "user", parts: [], mood: 1 }], [{ role: "user", parts: [], ...extra({ mood: 1 }) }]],
  ];
  test.each(rows)("%s", (_, wire, messages) => {
    expect(decode(wire)).toStrictEqual(messages);
    expect(encode(messages)).toStrictEqual(wire);
  });

  test("B38: a system instruction is a leading message, a part each", () => {
    const wire = { systemInstruction: { parts: [{ text: "A" }, { text: "B" }] }, contents: [] };
    expect(decode(wire)).toStrictEqual([{ role: "system", parts: [text("A"), text("B")] }]);
    expect(encode(decode(wire))).toStrictEqual(wire);
  });

  test("results of two messages are encoded as one content", () => {
    expect(
      encode([
        { role: "tool", parts: [result] },
        { role: "tool", parts: [{ ...result, toolCallId: "y" }] },
      ]),
    ).toStrictEqual([
      { role: "user", parts: [answer, { functionResponse: { id: "y", name: "f", response: { output: 1 } } }] },
    ]);
  });

  test("B29: a result without a name has that of its call", () => {
    const [, content] = encode([
      { role: "assistant", parts: [{ type: "tool-call", toolCallId: "x", toolName: "f", input: {} }] },
      { role: "tool", parts: [{ ...result, toolName: "" }] },
    ]) as object[];
    expect(content).toStrictEqual({ role: "user", parts: [answer] });
  });

  test("the result of a call without an id has no id", () => {
    const [call] = decode([{ role: "model", parts: [{ functionCall: { name: "f", args: {} } }] }]);
    const [, content] = encode([
      ...(call ? [call] : []),
      { role: "tool", parts: [{ ...result, toolCallId: "call_1" }] },
    ]) as object[];
    expect(content).toStrictEqual({
      role: "user",
      parts: [{ functionResponse: { name: "f", response: { output: 1 } } }],
    });
  });
});

test("B23: integers beyond 2^53 keep their digits, in arguments and in results", () => {
  const text =
    '[{"role":"model","parts":[{"functionCall":{"name":"f","args":{"n":12345678901234567890}}}]},' +
    '{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":12345678901234567890}}}]}]';
  const messages = decode(parseJson(text));
  expect(stringifyJson(encode(messages))).toBe(text);
  expect(messages[0]?.parts[0]).toMatchObject({ inputText: '{"n":12345678901234567890}' });
});

test("B5: signatures have their provider", () => {
  const [message] = gemini({ provider: "vertex" }).decodeMessages([
    { role: "model", parts: [{ text: "", thoughtSignature: "c2ln" }] },
  ]);
  expect(message?.parts[0]?.seals).toStrictEqual([
    { dialect: "gemini", provider: "vertex", kind: "signature", value: "c2ln" },
  ]);
});
