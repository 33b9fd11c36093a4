// What stored messages need and what their first version cannot say: filled in, left out, and always reported.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonical } from "../../src/dialects/canonical/index.ts";
import type { MessageV1 } from "../../src/dialects/canonical/index.ts";
import type { EncodeMessagesOptions } from "../../src/dialects/dialect.ts";
import { DialectError } from "../../src/dialects/errors.ts";
import { stringifyJson } from "../../src/model/json.ts";
import type { Message, StoredMessage } from "../../src/model/message.ts";
import { assistant, developer, user } from "../../src/model/message.ts";
import type { Part } from "../../src/model/parts.ts";
import { gallery, silentLosses } from "../../src/testkit/index.ts";
import { json, response } from "../support/arbitrary.ts";
import { expectSame } from "../support/same.ts";
import { HOLOGRAM, IDS, stored, TIME, VERSION_1 } from "./canonical-samples.ts";

const dialect = canonical();
/** The oracle tells by 2n + 1 whether a number arrives; where that is the same or no number, it cannot tell. */
const probeable = response.filter((whole) => !/(?<![\d.])-1(?![\d.])|e\+30\d/.test(JSON.stringify(whole)));

const produced = new Set<string>();
function encodeLosses(
  messages: readonly Message[],
  options?: EncodeMessagesOptions,
): { wire: unknown; losses: string[] } {
  const { wire, losses } = dialect.encodeMessages(messages, options);
  for (const { code } of losses) produced.add(code);
  return { wire, losses: losses.map(({ code, path }) => `${code} ${path}`) };
}

describe("filling in", () => {
  const ALL = [
    "id-synthesized /0/id",
    "parent-synthesized /0/parentMessageId",
    "created-at-synthesized /0/createdAt",
    "version-synthesized /0/metadata/schemaVersion",
  ];
  const rows: [
    sentence: string,
    messages: Message[],
    losses: string[],
    wire: object[],
    options?: EncodeMessagesOptions,
  ][] = [
    [
      "a message that was never stored gets everything",
      [user("Hi")],
      ALL,
      [
        {
          ...user("Hi"),
          id: "00000000000000000000000001",
          parentMessageId: null,
          createdAt: "1970-01-01T00:00:00.000Z",
          metadata: { schemaVersion: 2 },
        },
      ],
    ],
    [
      "ids and times come from the caller",
      [user("Hi")],
      ALL,
      [{ id: IDS[2], createdAt: "1970-01-01T00:00:07.000Z" }],
      { newId: () => IDS[2], clock: () => 7000 },
    ],
    ["a ULID is kept", [{ ...user("Hi"), id: IDS[1] }], ALL.slice(1), [{ id: IDS[1] }]],
    [
      "another id is replaced, which is said",
      [{ ...user("Hi"), id: "msg_1" }],
      ["id-replaced /0/id", ...ALL.slice(1)],
      [{ id: "00000000000000000000000001" }],
    ],
    [
      "a timestamp in the metadata is the time",
      [{ ...user("Hi"), metadata: { timestamp: TIME, runId: "r" } }],
      ALL,
      [{ createdAt: TIME, metadata: { timestamp: TIME, runId: "r", schemaVersion: 2 } }],
      { clock: () => 7000 },
    ],
    [
      "a timestamp that is no time is not",
      [{ ...user("Hi"), metadata: { timestamp: "noon" } }],
      ALL,
      [{ createdAt: "1970-01-01T00:00:00.000Z" }],
    ],
    [
      "a version on what was never stored is the current one",
      [{ ...user("Hi"), metadata: { schemaVersion: 1 } }],
      ALL,
      [{ metadata: { schemaVersion: 2 } }],
    ],
    [
      "the parent is the message before, and no id is taken twice",
      [stored(user("Hi"), "00000000000000000000000001", "00000000000000000000000002"), assistant("Hello")],
      ALL.map((loss) => loss.replace("/0/", "/1/")),
      [{}, { id: "00000000000000000000000003", parentMessageId: "00000000000000000000000001" }],
    ],
  ];
  test.each(rows)("%s", (_, messages, losses, wire, options) => {
    const encoded = encodeLosses(messages, options);
    expect(encoded.losses).toStrictEqual(losses);
    expect(encoded.wire).toMatchObject(wire);
    expect(dialect.decodeMessages(encoded.wire)).toStrictEqual(encoded.wire);
  });

  test("any message is stored and read as it is", () => {
    fc.assert(
      fc.property(response, json, ({ message }, value) => {
        const whole = { ...message, metadata: { ...message.metadata, value } };
        const [read] = dialect.decodeMessages(dialect.encodeMessages([whole]).wire);
        const { id: _, parentMessageId: __, createdAt: ___, ...asRead } = read as StoredMessage;
        const { id: ____, ...asWritten } = whole;
        expectSame(asRead, { ...asWritten, metadata: { ...whole.metadata, schemaVersion: 2 } });
      }),
    );
  });
});

describe("version 1", () => {
  test("in, through the current version, and out again is equal JSON", () => {
    expect(dialect.encodeMessages(dialect.decodeMessages(VERSION_1), { version: 1 })).toStrictEqual({
      wire: VERSION_1,
      losses: [],
    });
  });

  test("metadata keeps what others put there", () => {
    fc.assert(
      fc.property(json, json, json, (extra, input, output) => {
        const wire = structuredClone(VERSION_1).slice(1, 3);
        Object.assign(wire[0]?.metadata ?? {}, { extra });
        Object.assign(wire[0]?.parts[1] ?? {}, { input });
        Object.assign(wire[1]?.parts[0] ?? {}, { output });
        expectSame(dialect.encodeMessages(dialect.decodeMessages(wire), { version: 1 }).wire, wire);
      }),
    );
  });

  const CALL = { type: "tool-call", toolCallId: "c", toolName: "look", input: {} } as const;
  const RESULT = { type: "tool-result", toolCallId: "c", toolName: "look", isError: false } as const;
  const of = (...parts: Part[]): Message[] => [stored({ role: "assistant", parts })];
  const rows: [sentence: string, messages: Message[], losses: string[], parts?: unknown[]][] = [
    ["a developer speaks as the system", [stored(developer("Be brief."))], ["role-approximated /0/role"]],
    ["an odd role is the user's", [stored({ role: "narrator" as "user", parts: [] })], ["role-approximated /0/role"]],
    [
      "B49: a refusal is text, which is said",
      of({ type: "refusal", text: "No." }),
      ["refusal-as-text /0/parts/0/type"],
      [{ type: "text", text: "No." }],
    ],
    [
      "an image is a file",
      of({ type: "image", url: "u", mimeType: "image/png" }),
      ["media-as-file /0/parts/0/type"],
      [{ type: "file", mimeType: "image/png", url: "u" }],
    ],
    [
      "sound of an unknown type",
      of({ type: "audio", data: "AA==" }),
      ["media-as-file /0/parts/0/type", "mime-type-synthesized /0/parts/0/mimeType"],
      [{ type: "file", mimeType: "audio/*", url: "data:audio/*;base64,AA==" }],
    ],
    [
      "a file of an unknown type",
      of({ type: "file", url: "u", size: 3 }),
      ["mime-type-synthesized /0/parts/0/mimeType", "field-unsaid /0/parts/0/size"],
      [{ type: "file", mimeType: "application/octet-stream", url: "u" }],
    ],
    ["a file at a path is left out", of({ type: "file", path: "a" }), ["media-elsewhere /0/parts/0"], []],
    [
      "opaque and unknown parts are left out",
      of({ type: "opaque", dialect: "gemini", value: 1 }, HOLOGRAM),
      ["part-unsayable /0/parts/0", "part-unsayable /0/parts/1"],
      [],
    ],
    [
      "B33: a provider's tool never becomes the client's",
      of({ ...CALL, executor: "provider" }),
      ["provider-tool /0/parts/0"],
      [],
    ],
    [
      "what every reader assumes",
      of({ ...CALL, executor: "client", format: "json", inputText: "{ }" }),
      ["tool-default /0/parts/0/executor", "tool-default /0/parts/0/format", "bookkeeping /0/parts/0/inputText"],
      [CALL],
    ],
    ["free-form input", of({ ...CALL, input: "ls", format: "text" }), ["field-unsaid /0/parts/0/format"]],
    ["B31: a call that must not run", of({ ...CALL, invalid: true }), ["field-unsaid /0/parts/0/invalid"]],
    [
      "parts of a result become its output",
      of({ ...RESULT, content: [{ type: "text", text: "a" }] }),
      ["content-as-output /0/parts/0/content"],
      [{ ...RESULT, output: [{ type: "text", text: "a" }] }],
    ],
    [
      "parts beside an output are left out",
      of({ ...RESULT, output: "x", content: [] }),
      ["field-unsaid /0/parts/0/content"],
      [{ ...RESULT, output: "x" }],
    ],
    [
      "B5: seals, breakpoints, annotations",
      of({ type: "text", text: "a", seals: [], cache: {}, annotations: [] }),
      ["seal-foreign /0/parts/0/seals", "bookkeeping /0/parts/0/cache", "field-unsaid /0/parts/0/annotations"],
      [{ type: "text", text: "a" }],
    ],
    [
      "residue and names",
      [{ ...stored(user([])), name: "Ada", extra: { gemini: { x: 1, $form: {} }, canonical: { y: 1 } } }],
      [
        "field-unsaid /0/name",
        "residue-foreign /0/extra/gemini/x",
        "form-foreign /0/extra/gemini/$form",
        "residue-foreign /0/extra/canonical",
      ],
    ],
  ];
  test.each(rows)("%s", (_, messages, losses, parts) => {
    const encoded = encodeLosses(messages, { version: 1 });
    expect(encoded.losses).toStrictEqual(losses);
    if (parts !== undefined) expect((encoded.wire as MessageV1[])[0]?.parts).toStrictEqual(parts);
    expect(() => dialect.decodeMessages(encoded.wire)).not.toThrow();
  });

  test("B23: digits that only the text knows go out with the value", () => {
    const call: Part = { ...CALL, input: { n: 12345678901234567000 }, inputText: '{"n":12345678901234567890}' };
    expect(stringifyJson(dialect.encodeMessages(of(call), { version: 1 }).wire)).toContain(
      '"input":{"n":12345678901234567890}',
    );
  });

  test("B58: nothing of the gallery is lost silently", () => {
    const lost = silentLosses(gallery(), (messages) => dialect.encodeMessages(messages, { version: 1 }));
    expect(lost.map(({ path }) => path)).toStrictEqual([]);
  });

  test("B58: nothing of any message is lost silently", () => {
    fc.assert(
      fc.property(probeable, ({ message }) => {
        const lost = silentLosses([message], (messages) => dialect.encodeMessages(messages, { version: 1 }));
        expect(lost.map(({ path }) => path)).toStrictEqual([]);
      }),
    );
  });

  test.each([0, 3, 1.5])("version %s cannot be written; the error names those that can", (version) => {
    const encode = (): unknown => dialect.encodeMessages([], { version });
    expect(encode).toThrow(DialectError);
    expect(encode).toThrow(/versions 1 and 2 can/);
  });
});

test("every declared loss is produced", () => {
  expect([...produced].toSorted()).toStrictEqual(Object.keys(dialect.losses).toSorted());
});
