// The losses of stored messages: fields that are filled in, and data that version 1 does not support.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonical } from "../../../src/dialects/canonical/index.ts";
import type { MessageV1 } from "../../../src/dialects/canonical/index.ts";
import type { EncodeMessagesOptions, Encoded } from "../../../src/dialects/dialect.ts";
import { DialectError } from "../../../src/dialects/errors.ts";
import { stringifyJson } from "../../../src/model/json/index.ts";
import type { Message, StoredMessage } from "../../../src/model/message.ts";
import { assistant, developer, user } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";
import { canonicalMessages, silentLosses } from "../../../src/testkit/index.ts";
import { json, response } from "../../support/arbitrary.ts";
import { expectSameJson } from "../../support/expect-same-json.ts";
import { HOLOGRAM, IDS, stored, TIME, VERSION_1 } from "./samples.rows.ts";

const dialect = canonical();
/** The oracle replaces a number n by 2n + 1 to see whether it is encoded; that does not work for -1 and huge numbers. */
const probeable = response.filter((whole) => !/(?<![\d.])-1(?![\d.])|e\+30\d/.test(JSON.stringify(whole)));
/** A number beyond the precision of a double. */
const DIGITS = "12345678901234567890";
const produced = new Set<string>();
type CodedLosses = Pick<Encoded, "wire"> & { losses: string[] };
function encodeLosses(messages: readonly Message[], options?: EncodeMessagesOptions): CodedLosses {
  const { wire, losses } = dialect.encodeMessages(messages, options);
  for (const { code } of losses) produced.add(code);
  return { wire, losses: losses.map(({ code, path }) => `${code} ${path}`) };
}

describe("fields of stored messages", () => {
  const FILLED = ["stored-fields-synthesized /0/createdAt"];
  const ONE = "00000000000000000000000001";
  const TWO = "00000000000000000000000002";
  /** A message with some of what a stored one has. */
  const partly = (fields: object): Message => ({ ...user([]), ...fields });
  const INLINE_1 = { type: "file", mimeType: "image/png", url: "data:image/png;base64,aGk=" } as const;
  const INLINE_2 = { type: "file", mimeType: "image/png", data: "aGk=" } as const;
  type Row = [sentence: string, messages: Message[], losses: string[], wire: object[], options?: EncodeMessagesOptions];
  const rows: Row[] = [
    [
      "a message that was never stored gets all fields",
      [user("Hi")],
      FILLED,
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
      "ids and times are given by the caller",
      [user("Hi")],
      FILLED,
      [{ id: IDS[2], createdAt: "1970-01-01T00:00:07.000Z" }],
      { newId: () => IDS[2], clock: () => 7000 },
    ],
    ["a ULID is preserved", [{ ...user("Hi"), id: IDS[1] }], FILLED, [{ id: IDS[1] }]],
    [
      "another id is replaced, with a loss",
      [{ ...user("Hi"), id: "msg_1" }],
      ["id-replaced /0/id", ...FILLED],
      [{ id: "00000000000000000000000001" }],
    ],
    [
      "a timestamp in the metadata becomes the time",
      [{ ...user("Hi"), metadata: { timestamp: TIME, runId: "r" } }],
      FILLED,
      [{ createdAt: TIME, metadata: { timestamp: TIME, runId: "r", schemaVersion: 2 } }],
      { clock: () => 7000 },
    ],
    [
      "an invalid timestamp is not used",
      [{ ...user("Hi"), metadata: { timestamp: "noon" } }],
      FILLED,
      [{ createdAt: "1970-01-01T00:00:00.000Z" }],
    ],
    [
      "the version of a message that was never stored becomes the current one",
      [{ ...user([INLINE_1]), metadata: { schemaVersion: 1 } }],
      FILLED,
      [{ parts: [INLINE_2], metadata: { schemaVersion: 2 } }],
    ],
    [
      "B98: a message of an older version is upgraded",
      [{ ...stored(user([INLINE_1])), metadata: { schemaVersion: 1, preserved: true } }],
      [],
      [{ ...stored(user([INLINE_2])), metadata: { schemaVersion: 2, preserved: true } }],
    ],
    ...[99, 0, 1.5, -1, Number.NaN, "2" as unknown as number].map((schemaVersion): Row => [
      `B98: the unknown version ${JSON.stringify(schemaVersion)} becomes the current one, with a loss`,
      [{ ...stored(user([INLINE_1]), "m1", "m0"), metadata: { schemaVersion, preserved: true } }],
      ["version-synthesized /0/metadata/schemaVersion"],
      [{ ...stored(user([INLINE_1]), "m1", "m0"), metadata: { schemaVersion: 2, preserved: true } }],
    ]),
    [
      "only the version was missing",
      [{ ...stored(user("Hi")), metadata: { preserved: true } }],
      ["stored-fields-synthesized /0/metadata/schemaVersion"],
      [{ ...stored(user("Hi")), metadata: { schemaVersion: 2, preserved: true } }],
    ],
    [
      "only the parent was missing",
      [partly({ id: IDS[0], createdAt: TIME, metadata: { schemaVersion: 2 } })],
      ["stored-fields-synthesized /0/parentMessageId"],
      [stored(user([]))],
    ],
    [
      "only the id was missing",
      [partly({ parentMessageId: null, createdAt: TIME, metadata: { schemaVersion: 2 } })],
      ["stored-fields-synthesized /0/id"],
      [stored(user([]), ONE)],
    ],
    [
      "a time, a parent and an id of another type count as missing",
      [{ ...stored(user([])), id: 7, createdAt: 7, parentMessageId: 7 } as unknown as Message],
      ["id-replaced /0/id", "parent-replaced /0/parentMessageId", "stored-fields-synthesized /0/createdAt"],
      [{ ...stored(user([]), ONE), createdAt: "1970-01-01T00:00:00.000Z" }],
    ],
    [
      "a replaced id is also replaced as a parent, before and after",
      [
        partly({ id: "uuid-3", parentMessageId: "uuid-2" }),
        partly({ id: "uuid-1", parentMessageId: null }),
        partly({ id: "uuid-2", parentMessageId: "uuid-1" }),
        stored(user([]), IDS[0], "uuid-1"),
        stored(user([]), IDS[1], "uuid-0"),
      ],
      [
        "id-replaced /0/id",
        "parent-replaced /0/parentMessageId",
        ...FILLED,
        "id-replaced /1/id",
        "stored-fields-synthesized /1/createdAt",
        "id-replaced /2/id",
        "parent-replaced /2/parentMessageId",
        "stored-fields-synthesized /2/createdAt",
        "parent-replaced /3/parentMessageId",
      ],
      [
        { id: ONE, parentMessageId: "00000000000000000000000003" },
        { id: TWO, parentMessageId: null },
        { id: "00000000000000000000000003", parentMessageId: TWO },
        stored(user([]), IDS[0], TWO),
        stored(user([]), IDS[1], "uuid-0"),
      ],
    ],
    [
      "the second use of an id is replaced, and its children stay with the first",
      [
        stored(user([])),
        { ...assistant([]), id: IDS[0] },
        stored(user([]), IDS[0], IDS[0]),
        stored(user([]), IDS[1], IDS[0]),
      ],
      ["id-replaced /1/id", "stored-fields-synthesized /1/createdAt", "id-replaced /2/id"],
      [
        stored(user([])),
        { id: ONE, parentMessageId: IDS[0] },
        stored(user([]), TWO, IDS[0]),
        stored(user([]), IDS[1], IDS[0]),
      ],
    ],
    [
      "two equal foreign ids become two ids, and the children belong to the first",
      [partly({ id: "m" }), partly({ id: "m" }), stored(user([]), IDS[0], "m")],
      [
        "id-replaced /0/id",
        ...FILLED,
        "id-replaced /1/id",
        "stored-fields-synthesized /1/createdAt",
        "parent-replaced /2/parentMessageId",
      ],
      [{ id: ONE }, { id: TWO, parentMessageId: ONE }, { parentMessageId: ONE }],
    ],
    [
      "an id of a stored message is preserved, even if an earlier message had it",
      [partly({ id: "m" }), stored(user([]), "m"), stored(user([]), IDS[0], "m")],
      ["id-replaced /0/id", ...FILLED],
      [{ id: ONE }, { id: "m" }, { parentMessageId: "m" }],
    ],
    [
      "an id of the caller that is already used is skipped",
      [partly({}), partly({}), stored(user([]), IDS[1])],
      [...FILLED, "stored-fields-synthesized /1/createdAt"],
      [{ id: ONE }, { id: TWO, parentMessageId: ONE }, { id: IDS[1] }],
      { newId: () => IDS[1] },
    ],
    [
      "the parent is the previous message, and no id is used twice",
      [stored(user("Hi"), "00000000000000000000000001", "00000000000000000000000002"), assistant("Hello")],
      ["stored-fields-synthesized /1/createdAt"],
      [{}, { id: "00000000000000000000000003", parentMessageId: "00000000000000000000000001" }],
    ],
  ];
  test.each(rows)("%s", (_, messages, losses, wire, options) => {
    const encoded = encodeLosses(messages, options);
    expect(encoded.losses).toStrictEqual(losses);
    expect(encoded.wire).toMatchObject(wire);
    expect(dialect.decodeMessages(encoded.wire)).toStrictEqual(encoded.wire);
  });

  test("a valid stored message stays the same object", () => {
    const messages = [stored(user("Hi")), stored(assistant("Hello"), IDS[1], IDS[0]), partly({})];
    const [first, second] = dialect.encodeMessages(messages).wire as StoredMessage[];
    expect(first).toBe(messages[0]);
    expect(second).toBe(messages[1]);
  });

  test("one note lists the options for filled-in fields and covers no other value", () => {
    const messages = [partly({ metadata: { runId: "run-1234", n: 5 } }), partly({ id: "foreign-id" })];
    const { losses } = dialect.encodeMessages(messages);
    expect(losses.filter(({ code }) => code === "stored-fields-synthesized")).toHaveLength(2);
    expect(losses[0]?.message).toMatch(/id, parent, time or version.*`newId` and `clock`/);
    const forgetful = (list: readonly Message[]): Encoded => {
      const { wire, losses: reported } = dialect.encodeMessages(list);
      return { wire: (wire as StoredMessage[]).map(({ role }) => ({ role })), losses: reported };
    };
    expect(silentLosses(messages, (list) => dialect.encodeMessages(list))).toStrictEqual([]);
    expect(silentLosses(messages, forgetful).map(({ path }) => path)).toStrictEqual([
      "/0/metadata/runId",
      "/0/metadata/n",
    ]);
  });

  test("any message can be stored and decoded unchanged", () => {
    fc.assert(
      fc.property(response, json, ({ message }, value) => {
        const whole = { ...message, metadata: { ...message.metadata, value } };
        const [read] = dialect.decodeMessages(dialect.encodeMessages([whole]).wire);
        const { id: _, parentMessageId: __, createdAt: ___, ...asRead } = read as StoredMessage;
        const { id: ____, ...asWritten } = whole;
        expectSameJson(asRead, { ...asWritten, metadata: { ...whole.metadata, schemaVersion: 2 } });
      }),
    );
  });
});

describe("version 1", () => {
  test("version 1 decodes to the current version and encodes back to equal JSON", () => {
    expect(dialect.encodeMessages(dialect.decodeMessages(VERSION_1), { version: 1 })).toStrictEqual({
      wire: VERSION_1,
      losses: [],
    });
  });

  test("unknown keys of metadata are preserved", () => {
    fc.assert(
      fc.property(json, json, json, (extra, input, output) => {
        const wire = structuredClone(VERSION_1).slice(1, 3);
        Object.assign(wire[0]?.metadata ?? {}, { extra });
        Object.assign(wire[0]?.parts[1] ?? {}, { input });
        Object.assign(wire[1]?.parts[0] ?? {}, { output });
        expectSameJson(dialect.encodeMessages(dialect.decodeMessages(wire), { version: 1 }).wire, wire);
      }),
    );
  });

  const CALL = { type: "tool-call", toolCallId: "c", toolName: "look", input: {} } as const;
  const RESULT = { type: "tool-result", toolCallId: "c", toolName: "look", isError: false } as const;
  const of = (...parts: Part[]): Message[] => [stored({ role: "assistant", parts })];
  const rows: [sentence: string, messages: Message[], losses: string[], parts?: unknown[]][] = [
    ["a developer message becomes a system message", [stored(developer("Be brief."))], ["role-approximated /0/role"]],
    ["an odd role becomes `user`", [stored({ role: "narrator" as "user", parts: [] })], ["role-approximated /0/role"]],
    [
      "B49: a refusal becomes text, with a loss",
      of({ type: "refusal", text: "No." }),
      ["refusal-as-text /0/parts/0/type"],
      [{ type: "text", text: "No." }],
    ],
    [
      "an image becomes a file",
      of({ type: "image", url: "u", mimeType: "image/png" }),
      ["media-as-file /0/parts/0/type"],
      [{ type: "file", mimeType: "image/png", url: "u" }],
    ],
    [
      "audio of an unknown type",
      of({ type: "audio", data: "AA==" }),
      ["media-as-file /0/parts/0/type", "mime-type-synthesized /0/parts/0/mimeType"],
      [{ type: "file", mimeType: "audio/*", url: "data:audio/*;base64,AA==" }],
    ],
    [
      "a file of an unknown type",
      of({ type: "file", url: "u", size: 3 }),
      ["mime-type-synthesized /0/parts/0/mimeType", "field-unsupported /0/parts/0/size"],
      [{ type: "file", mimeType: "application/octet-stream", url: "u" }],
    ],
    ["a file with a path is dropped", of({ type: "file", path: "a" }), ["media-source-unsupported /0/parts/0"], []],
    [
      "opaque and unknown parts are dropped",
      of({ type: "opaque", dialect: "gemini", value: 1 }, HOLOGRAM),
      ["part-unsupported /0/parts/0", "part-unsupported /0/parts/1"],
      [],
    ],
    [
      "B33: a provider's tool call never becomes a client's",
      of({ ...CALL, executor: "provider" }),
      ["provider-tool-unsupported /0/parts/0"],
      [],
    ],
    [
      "default values",
      of({ ...CALL, executor: "client", format: "json", inputText: "{ }" }),
      [
        "tool-default-omitted /0/parts/0/executor",
        "tool-default-omitted /0/parts/0/format",
        "metadata-dropped /0/parts/0/inputText",
      ],
      [CALL],
    ],
    ["free-form input", of({ ...CALL, input: "ls", format: "text" }), ["field-unsupported /0/parts/0/format"]],
    ["B31: a call that must not run", of({ ...CALL, invalid: true }), ["field-unsupported /0/parts/0/invalid"]],
    [
      "the parts of a result become its output",
      of({ ...RESULT, content: [{ type: "text", text: "a" }] }),
      ["content-as-output /0/parts/0/content"],
      [{ ...RESULT, output: [{ type: "text", text: "a" }] }],
    ],
    [
      "parts beside an output are dropped",
      of({ ...RESULT, output: "x", content: [] }),
      ["field-unsupported /0/parts/0/content"],
      [{ ...RESULT, output: "x" }],
    ],
    [
      "B5: seals, breakpoints, annotations",
      of({ type: "text", text: "a", seals: [], cache: {}, annotations: [] }),
      [
        "seal-not-portable /0/parts/0/seals",
        "metadata-dropped /0/parts/0/cache",
        "field-unsupported /0/parts/0/annotations",
      ],
      [{ type: "text", text: "a" }],
    ],
    [
      "residue and names",
      [
        {
          ...stored(user([])),
          name: "Ada",
          extra: { gemini: { x: 1, $form: { content: "list" } }, canonical: { y: 1 } },
        },
      ],
      [
        "field-unsupported /0/name",
        "residue-not-portable /0/extra/gemini/x",
        "form-not-portable /0/extra/gemini/$form/content",
        "residue-not-portable /0/extra/canonical",
      ],
    ],
  ];
  test.each(rows)("%s", (_, messages, losses, parts) => {
    const encoded = encodeLosses(messages, { version: 1 });
    expect(encoded.losses).toStrictEqual(losses);
    if (parts !== undefined) expect((encoded.wire as MessageV1[])[0]?.parts).toStrictEqual(parts);
    expect(() => dialect.decodeMessages(encoded.wire)).not.toThrow();
  });

  const texts: [sentence: string, input: unknown, inputText: string, written: string, beside?: object][] = [
    ["in an object", { n: 12345678901234567000 }, `{"n":${DIGITS}}`, `{"n":${DIGITS}}`],
    ["of a bare number", 12345678901234567000, DIGITS, DIGITS],
    ["of an edited value", { n: 1 }, `{"n":${DIGITS}}`, '{"n":1}'],
    ["in free-form text stay text", `[${DIGITS}]`, `[${DIGITS}]`, `"[${DIGITS}]"`, { format: "text" }],
    ["in a text that does not parse stay text", `[${DIGITS}`, `[${DIGITS}`, `"[${DIGITS}"`, { invalid: true }],
  ];
  test.each(texts)("B23: exact digits of the text are encoded with the value: %s", (...row) => {
    const [, input, inputText, written, beside] = row;
    const call: Part = { ...CALL, input, inputText, ...beside };
    expect(stringifyJson(dialect.encodeMessages(of(call), { version: 1 }).wire)).toContain(`"input":${written}}`);
  });

  test("B58: no data of the gallery is lost silently", () => {
    const lost = silentLosses(canonicalMessages(), (messages) => dialect.encodeMessages(messages, { version: 1 }));
    expect(lost.map(({ path }) => path)).toStrictEqual([]);
  });

  test("B58: no data of any message is lost silently", () => {
    fc.assert(
      fc.property(probeable, ({ message }) => {
        const lost = silentLosses([message], (messages) => dialect.encodeMessages(messages, { version: 1 }));
        expect(lost.map(({ path }) => path)).toStrictEqual([]);
      }),
    );
  });

  test.each([0, 3, 1.5])("version %s is rejected with an error that lists the supported versions", (version) => {
    const encode = (): unknown => dialect.encodeMessages([], { version });
    expect(encode).toThrow(DialectError);
    expect(encode).toThrow(/versions 1 and 2 can/);
  });
});

test("every declared loss is produced", () => {
  expect([...produced].toSorted()).toStrictEqual(Object.keys(dialect.losses).toSorted());
});
