// The tagged shape: conformance, decoding, tool messages, exact numbers and invalid data.
import { describe, expect, test } from "vitest";
import { tagged } from "../../../src/dialects/tagged/index.ts";
import type { TaggedMessage } from "../../../src/dialects/tagged/index.ts";
import { DialectError } from "../../../src/dialects/errors.ts";
import { image, text } from "../../../src/model/part-constructors.ts";
import { parseJson, stringifyJson } from "../../../src/model/json/index.ts";
import { Message } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";
import { messageConformance } from "../../../src/testkit/index.ts";
import { plainSamples, spelledSamples } from "./samples.rows.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

const dialect = tagged();
const decode = (wire: unknown): Message[] => dialect.decodeMessages(wire);
const encode = (messages: readonly Message[]): unknown => dialect.encodeMessages(messages).wire;
const decodePart = (part: unknown): Part | undefined => decode([{ role: "ASSISTANT", content: [part] }])[0]?.parts[0];

describe("conformance", () => {
  const samples = [...plainSamples, ...spelledSamples];
  for (const { title, run } of messageConformance(dialect, { samples, mutants: scaleRunCount(400) })) test(title, run);
});

describe("the convenience constructors", () => {
  const rows: [string, Message, TaggedMessage][] = [
    [
      "a text is one TEXT part",
      Message.user("What is 2 + 2?"),
      { role: "USER", content: [{ kind: "TEXT", text: "What is 2 + 2?" }] },
    ],
    [
      "text and image are two parts",
      Message.user([text("What do you see?"), image({ url: "https://example.com/photo.jpg" })]),
      {
        role: "USER",
        content: [
          { kind: "TEXT", text: "What do you see?" },
          { kind: "IMAGE", image: { url: "https://example.com/photo.jpg" } },
        ],
      },
    ],
    [
      "a tool result has its call id on the message too",
      Message.toolResult({ toolCallId: "call_1", toolName: "" }, "42"),
      {
        role: "TOOL",
        content: [{ kind: "TOOL_RESULT", tool_result: { tool_call_id: "call_1", content: "42", is_error: false } }],
        tool_call_id: "call_1",
      },
    ],
  ];
  test.each(rows)("%s", (_, message, wire) => {
    expect(dialect.encodeMessages([message])).toStrictEqual({ wire: [wire], losses: [] });
    expect(decode([wire])).toStrictEqual([message]);
  });
});

describe("roles and kinds", () => {
  test("any case is decoded, upper case is encoded", () => {
    const wire = [
      {
        role: "Assistant",
        content: [
          { kind: "Thinking", thinking: { text: "Hm." } },
          { kind: "text", text: "Hi." },
        ],
      },
    ];
    const messages = decode(wire);
    expect(messages).toStrictEqual([
      {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "Hm." },
          { type: "text", text: "Hi." },
        ],
      },
    ]);
    expect(encode(messages)).toStrictEqual([
      {
        role: "ASSISTANT",
        content: [
          { kind: "THINKING", thinking: { text: "Hm." } },
          { kind: "TEXT", text: "Hi." },
        ],
      },
    ]);
  });

  test("letters beyond ASCII have no case", () => {
    expect(decode([{ role: "aßistant", content: [] }])[0]?.role).toBe("user");
    expect(decodePart({ kind: "ımage", image: { url: "https://example.com" } })?.type).toBe("opaque");
  });

  test.each(["SYSTEM", "DEVELOPER", "USER", "ASSISTANT", "TOOL"])("B37: %s stays a separate role", (role) => {
    const wire = [{ role, content: [{ kind: "TEXT", text: "x" }] }];
    expect(decode(wire)[0]?.role).toBe(role.toLowerCase());
    expect(encode(decode(wire))).toStrictEqual(wire);
  });
});

describe("decoding", () => {
  test.each(plainSamples.map(({ name, wire }) => [name, wire] as const))("plain data has no residue: %s", (_, wire) => {
    expect(stringifyJson(decode(wire))).not.toContain('"extra"');
  });

  const anthropic = { dialect: "anthropic" } as const;
  const rows: [string, unknown, Part][] = [
    [
      "B4: a signature is Anthropic's seal on its own block",
      { kind: "THINKING", thinking: { text: "Hm.", signature: "c2ln" } },
      { type: "reasoning", text: "Hm.", seals: [{ ...anthropic, kind: "signature", value: "c2ln" }] },
    ],
    [
      "B3: a signed block with empty text is preserved",
      { kind: "THINKING", thinking: { text: "", signature: "c2ln" } },
      { type: "reasoning", text: "", seals: [{ ...anthropic, kind: "signature", value: "c2ln" }] },
    ],
    [
      "B3: a redacted block is a seal with an empty text",
      { kind: "REDACTED_THINKING", redacted_thinking: { data: "b3BhcXVl" } },
      { type: "reasoning", text: "", seals: [{ ...anthropic, kind: "redacted", value: "b3BhcXVl" }] },
    ],
    [
      "a redacted block without a payload is preserved verbatim",
      { kind: "REDACTED_THINKING", blob: 7 },
      { type: "opaque", dialect: "tagged", value: { kind: "REDACTED_THINKING", blob: 7 } },
    ],
    [
      "B43: an unknown kind is preserved verbatim",
      { kind: "HOLOGRAM", hologram: { depth: 3 } },
      { type: "opaque", dialect: "tagged", value: { kind: "HOLOGRAM", hologram: { depth: 3 } } },
    ],
    [
      "B43: media without a source are preserved verbatim",
      { kind: "image", image: { media_type: "image/png" } },
      { type: "opaque", dialect: "tagged", value: { kind: "image", image: { media_type: "image/png" } } },
    ],
    [
      "B46: a document has its file name",
      { kind: "DOCUMENT", document: { data: "JVBERg==", media_type: "application/pdf", file_name: "a.pdf" } },
      { type: "file", data: "JVBERg==", mimeType: "application/pdf", name: "a.pdf" },
    ],
    [
      "an image as a data URL is inline data",
      { kind: "IMAGE", image: { url: "data:image/png;base64,aGk=", media_type: "image/png" } },
      { type: "image", data: "aGk=", mimeType: "image/png", extra: { tagged: { $form: { url: "embedded" } } } },
    ],
    [
      "of a URL and data, data is the source and the URL is residue",
      { kind: "IMAGE", image: { url: "https://example.com/a", data: "aGk=" } },
      { type: "image", data: "aGk=", extra: { tagged: { image: { url: "https://example.com/a" } } } },
    ],
    [
      "explicit nulls are form, not content",
      { kind: "TEXT", text: "Hi.", image: null, thinking: null },
      { type: "text", text: "Hi.", extra: { tagged: { $form: { nulls: ["image", "thinking"] } } } },
    ],
    [
      "B20: absent arguments are {}",
      { kind: "TOOL_CALL", tool_call: { id: "a", name: "f" } },
      {
        type: "tool-call",
        toolCallId: "a",
        toolName: "f",
        input: {},
        extra: { tagged: { $form: { dataAbsent: ["arguments"] } } },
      },
    ],
    [
      "B22: arguments as invalid text are flagged",
      { kind: "TOOL_CALL", tool_call: { id: "a", name: "f", arguments: '{"x": ' } },
      {
        type: "tool-call",
        toolCallId: "a",
        toolName: "f",
        input: '{"x": ',
        inputText: '{"x": ',
        invalid: true,
        extra: { tagged: { $form: { arguments: "text" } } },
      },
    ],
    [
      'a wrapper is never read back, since { "$value": … } may be real arguments',
      { kind: "TOOL_CALL", tool_call: { id: "a", name: "f", arguments: { $value: 5 } } },
      { type: "tool-call", toolCallId: "a", toolName: "f", input: { $value: 5 } },
    ],
  ];
  test.each(rows)("%s", (_, wire, part) => {
    expect(decodePart(wire)).toStrictEqual(part);
    const kind = (wire as { kind: string }).kind;
    const upper = part.type === "opaque" ? kind : kind.toUpperCase();
    expect(encode([{ role: "assistant", parts: [part] }])).toStrictEqual([
      { role: "ASSISTANT", content: [{ ...(wire as object), kind: upper }] },
    ]);
  });

  test("B5: the provider is stamped on seals", () => {
    const wire = [{ role: "ASSISTANT", content: [{ kind: "THINKING", thinking: { text: "Hm.", signature: "c2ln" } }] }];
    const local = tagged({ provider: "bedrock" });
    const messages = local.decodeMessages(wire);
    expect(messages[0]?.parts[0]?.seals).toStrictEqual([
      { dialect: "anthropic", provider: "bedrock", kind: "signature", value: "c2ln" },
    ]);
    expect(local.encodeMessages(messages)).toStrictEqual({ wire, losses: [] });
  });

  test("a result gets the tool name of its call", () => {
    const call = { kind: "TOOL_CALL", tool_call: { id: "a", name: "f", arguments: {} } };
    const result = { kind: "TOOL_RESULT", tool_result: { tool_call_id: "a", content: "x", is_error: false } };
    const tool = { role: "TOOL", content: [result], tool_call_id: "a" };
    const namesOf = (wire: unknown): string[] =>
      decode(wire).flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === "tool-result" ? [part.toolName] : [])),
      );
    expect(namesOf([{ role: "ASSISTANT", content: [call] }, tool])).toStrictEqual(["f"]);
    expect(namesOf([tool, { role: "ASSISTANT", content: [call] }])).toStrictEqual([""]);
  });
});

describe("tool messages", () => {
  const result = { type: "tool-result", toolCallId: "a", toolName: "", isError: false } as const;
  const rows: [string, object, Part[]][] = [
    ["string content is the output", { content: "42", tool_call_id: "a" }, [{ ...result, output: "42" }]],
    [
      "one text is the output",
      { content: [{ kind: "TEXT", text: "42" }], tool_call_id: "a" },
      [{ ...result, output: "42" }],
    ],
    [
      "several parts are the result's content",
      {
        content: [
          { kind: "TEXT", text: "See:" },
          { kind: "IMAGE", image: { data: "aGk=" } },
        ],
        tool_call_id: "a",
      },
      [
        {
          ...result,
          content: [
            { type: "text", text: "See:" },
            { type: "image", data: "aGk=" },
          ],
        },
      ],
    ],
    ["B42: null content is a result without output", { content: null, tool_call_id: "a" }, [result]],
    ["B42: absent content is a result without output", { tool_call_id: "a" }, [result]],
    ["B42: an empty list is a result without parts", { content: [], tool_call_id: "a" }, [{ ...result, content: [] }]],
    ["B27: an empty string is an empty output", { content: "", tool_call_id: "a" }, [{ ...result, output: "" }]],
    ["a text without an id stays a text", { content: [{ kind: "TEXT", text: "42" }] }, [{ type: "text", text: "42" }]],
  ];
  test.each(rows)("%s", (_, fields, parts) => {
    const wire = [{ role: "TOOL", ...fields }];
    const messages = decode(wire);
    expect(messages[0]?.parts).toStrictEqual(parts);
    expect(dialect.encodeMessages(messages)).toStrictEqual({ wire, losses: [] });
  });

  test("a result without an id has the id of the message, also after an edit", () => {
    const wire = [
      {
        role: "TOOL",
        content: [{ kind: "TOOL_RESULT", tool_result: { content: "x", is_error: true } }],
        tool_call_id: "a",
      },
    ];
    const messages = decode(wire);
    expect(messages[0]?.parts[0]).toMatchObject({ toolCallId: "a", output: "x", isError: true });
    expect(encode(messages)).toStrictEqual(wire);
    Object.assign(messages[0]?.parts[0] ?? {}, { toolCallId: "b" });
    expect(encode(messages)).toStrictEqual([{ ...wire[0], tool_call_id: "b" }]);
  });
});

describe("exact numbers (B23)", () => {
  const rows: [string, string][] = [
    ["in arguments", '{"kind":"TOOL_CALL","tool_call":{"id":"a","name":"f","arguments":{"n":12345678901234567890}}}'],
    [
      "in the output of a result",
      '{"kind":"TOOL_RESULT","tool_result":{"tool_call_id":"a","content":[12345678901234567890],"is_error":false}}',
    ],
    [
      "as the output of a result",
      '{"kind":"TOOL_RESULT","tool_result":{"tool_call_id":"a","content":12345678901234567890,"is_error":false}}',
    ],
    ["in a verbatim block", '{"kind":"HOLOGRAM","depth":12345678901234567890}'],
    ["in an unknown field of the data", '{"kind":"IMAGE","image":{"url":"u","seed":12345678901234567890}}'],
    ["in an unknown field", '{"kind":"TEXT","text":"x","seed":12345678901234567890}'],
  ];
  test.each(rows)("exact numbers survive %s", (_, part) => {
    const wire = `[{"role":"ASSISTANT","content":[${part}]}]`;
    const messages = decode(parseJson(wire));
    expect(stringifyJson(encode(messages))).toBe(wire);
    expect(stringifyJson(encode(parseJson(stringifyJson(messages)) as unknown as Message[]))).toBe(wire);
  });

  const call = { type: "tool-call", toolCallId: "a", toolName: "f" } as const;
  const written: [string, Part, string][] = [
    [
      "of a copied call",
      { ...call, input: { n: 12345678901234567000 }, inputText: '{ "n": 12345678901234567890 }' },
      '{"n":12345678901234567890}',
    ],
    [
      "of a bare number",
      { ...call, input: 12345678901234567000, inputText: "12345678901234567890" },
      '{"$value":12345678901234567890}',
    ],
    [
      "of an edited input, which wins",
      { ...call, input: { n: 1 }, inputText: '{"n": 12345678901234567890}' },
      '{"n":1}',
    ],
  ];
  test.each(written)("exact numbers are encoded from the exact text %s", (_, part, expected) => {
    expect(stringifyJson(encode([{ role: "assistant", parts: [part] }]))).toContain(`"arguments":${expected}`);
  });
});

describe("invalid data is rejected with its path", () => {
  const rows: [string, unknown, string, string][] = [
    ["a message that is a string", ["hello"], "wrong-type", "/0"],
    ["no role", [{ content: [] }], "missing-field", "/0/role"],
    ["a role that is a number", [{ role: 7, content: [] }], "wrong-type", "/0/role"],
    ["content that is an object", [{ role: "USER", content: {} }], "wrong-type", "/0/content"],
    [
      "a part that is a string",
      { messages: [{ role: "USER", content: ["x"] }] },
      "wrong-type",
      "/messages/0/content/0",
    ],
    ["a kind that is a number", [{ role: "USER", content: [{ kind: 1 }] }], "wrong-type", "/0/content/0/kind"],
    [
      "a text that is a number",
      [{ role: "USER", content: [{ kind: "TEXT", text: 1 }] }],
      "wrong-type",
      "/0/content/0/text",
    ],
    [
      "an image that is a string",
      [{ role: "USER", content: [{ kind: "IMAGE", image: "x" }] }],
      "wrong-type",
      "/0/content/0/image",
    ],
    [
      "a URL that is a list",
      [{ role: "USER", content: [{ kind: "IMAGE", image: { url: [] } }] }],
      "wrong-type",
      "/0/content/0/image/url",
    ],
    [
      "arguments that are a list",
      [{ role: "ASSISTANT", content: [{ kind: "TOOL_CALL", tool_call: { id: "a", name: "f", arguments: [] } }] }],
      "wrong-type",
      "/0/content/0/tool_call/arguments",
    ],
    [
      "an is_error that is a string",
      [{ role: "TOOL", content: [{ kind: "TOOL_RESULT", tool_result: { is_error: "no" } }] }],
      "wrong-type",
      "/0/content/0/tool_result/is_error",
    ],
    [
      "a tool_call_id that is a number",
      [{ role: "TOOL", content: [], tool_call_id: 1 }],
      "wrong-type",
      "/0/tool_call_id",
    ],
  ];
  test.each(rows)("%s", (_, wire, code, path) => {
    const thrown = (() => {
      try {
        return decode(wire);
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toBeInstanceOf(DialectError);
    expect(thrown).toMatchObject({ dialect: "tagged", code, path });
  });
});
