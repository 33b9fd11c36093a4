// The canonical shape: decoding of every stored version, and the current version, which is the model itself.
import { describe, expect, test } from "vitest";
import { canonical } from "../../../src/dialects/canonical/index.ts";
import { DialectError } from "../../../src/dialects/errors.ts";
import { ValidationError, VersionError } from "../../../src/model/errors.ts";
import { parseJson, stringifyJson } from "../../../src/model/json/index.ts";
import { assistant, user } from "../../../src/model/message.ts";
import { validate } from "../../../src/model/validation/validate.ts";
import { SCHEMA_VERSION } from "../../../src/model/schema-version.ts";
import { canonicalMessages, messageConformance } from "../../../src/testkit/index.ts";
import { HOLOGRAM, IDS, stored, VERSION_1 } from "./samples.rows.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

const dialect = canonical();
const CURRENT = [
  ...canonicalMessages().map((message, index) => stored(message, `01ARZ3NDEKTSV4RRFFQ69G5FB${index}`)),
  { ...stored({ role: "user", parts: [HOLOGRAM] }), unknown: { field: null }, extra: { canonical: { x: 1 } } },
];

const samples = [
  { name: "a developer message", wire: CURRENT.slice(1, 2) },
  { name: "unknown parts and fields", wire: CURRENT.slice(-1) },
  {
    name: "messages under a key",
    wire: { messages: [stored(user("Hi")), stored(assistant("Hello"), IDS[1], IDS[0])] },
  },
  { name: "ids that are not ULIDs", wire: [{ ...stored(user("Hi"), "m1", "m0"), createdAt: "yesterday" }] },
  {
    name: "numbers beyond doubles",
    wire: parseJson(
      stringifyJson([stored(user("Hi"))]).replace('"schemaVersion":2', '"schemaVersion":2,"n":12345678901234567890'),
    ),
  },
  { name: "no messages", wire: [] },
];
for (const { title, run } of messageConformance(dialect, { samples, mutants: scaleRunCount(400) })) test(title, run);

describe("decoding", () => {
  test("the current version is decoded unchanged", () => {
    const messages = dialect.decodeMessages(CURRENT);
    expect(messages).toStrictEqual(CURRENT);
    expect(dialect.encodeMessages(messages)).toStrictEqual({ wire: CURRENT, losses: [] });
  });

  test("B98: version 1 is decoded to the current version, inline data as data", () => {
    const [message] = dialect.decodeMessages(VERSION_1);
    expect(message?.metadata).toStrictEqual({ schemaVersion: SCHEMA_VERSION });
    expect(message?.parts[1]).toStrictEqual({
      type: "file",
      mimeType: "image/png",
      data: "iVBORw0KGgo=",
      name: "harbour.png",
    });
    expect(validate(message)).toStrictEqual([]);
  });

  test("B98: an unknown part type survives decoding and encoding", () => {
    const wire = [stored({ role: "user", parts: [HOLOGRAM] })];
    expect(dialect.encodeMessages(dialect.decodeMessages(wire))).toStrictEqual({ wire, losses: [] });
  });

  const versioned = (schemaVersion: unknown): unknown[] => [
    stored(user("Hi")),
    { ...stored(user("Ho")), metadata: { schemaVersion } },
  ];
  const versions: [sentence: string, wire: unknown, pattern: RegExp][] = [
    ["a newer version", versioned(3), /schema version 3, but this release of Koine reads versions up to 2/],
    ["a fractional version", versioned(1.5), /1\.5; it must be a whole number/],
    ["a textual version", versioned("2"), /"2"; it must be a whole number/],
    ["version zero", versioned(0), /must be a whole number from 1/],
    ["a null version", versioned(null), /null; it must be/],
    ["a missing version", versioned(undefined), /needs metadata\.schemaVersion/],
    ["a message that was never stored", [stored(user("Hi")), user("Ho")], /needs metadata\.schemaVersion/],
  ];
  test.each(versions)("B98: %s is rejected", (_, wire, pattern) => {
    const error = catchDecodeError(wire);
    expect(error).toMatchObject({ dialect: "canonical", code: "version", path: "/1/metadata/schemaVersion" });
    expect(error?.message).toMatch(pattern);
    expect(error?.cause).toBeInstanceOf(VersionError);
  });

  const shapes: [sentence: string, wire: unknown, path: string, code: string][] = [
    ["a message that is a text", ["Hi"], "/0", "wrong-type"],
    ["parts that are a text", [{ ...stored(user("Hi")), parts: "Hi" }], "/0/parts", "wrong-type"],
    ["a missing parent", [{ ...stored(user("Hi")), parentMessageId: undefined }], "/0", "missing-field"],
    [
      "a text that is a number",
      { messages: [stored(user([{ type: "text", text: 1 as unknown as string }]))] },
      "/messages/0/parts/0/text",
      "wrong-type",
    ],
    [
      "a value that is nested too deeply",
      [{ ...stored(user("Hi")), metadata: { schemaVersion: 2, deep: nested(1200) } }],
      expect.stringMatching("^/0/metadata/deep/0/0"),
      "too-deep",
    ],
  ];
  test.each(shapes)("%s is an error with its path and cause", (_, wire, path, code) => {
    expect(catchDecodeError(wire)).toMatchObject({ dialect: "canonical", path, code });
    expect(catchDecodeError(wire)?.cause).toBeInstanceOf(ValidationError);
  });
});

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < depth; level++) value = [value];
  return value;
}

function catchDecodeError(wire: unknown): DialectError | undefined {
  try {
    dialect.decodeMessages(wire);
  } catch (error) {
    if (error instanceof DialectError) return error;
    throw error;
  }
  return undefined;
}
