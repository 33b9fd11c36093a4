// Stored schema versions: older ones are upgraded, newer and unreadable ones are rejected, unknown data survive (B98).
import { describe, expect, test } from "vitest";
import {
  parseJson,
  readMessage,
  SCHEMA_VERSION,
  stringifyJson,
  ValidationError,
  VersionError,
} from "../../src/model/index.ts";
import type { JsonObject } from "../../src/model/index.ts";
import { upgradeThrough } from "../../src/model/schema-version.ts";
import { KoineError } from "../../src/model/errors.ts";
import { requireError } from "../support/require-error.ts";

const FIRST = {
  id: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  parentMessageId: null,
  role: "assistant",
  createdAt: "2026-01-01T00:00:00.000Z",
  metadata: { schemaVersion: 1, traceId: "preserved" },
  parts: [
    { type: "reasoning", text: "Hm." },
    { type: "text", text: "Hello" },
    { type: "tool-call", toolCallId: "a", toolName: "t", input: { n: 1 } },
    { type: "file", mimeType: "application/pdf", url: "https://example.com/a.pdf", name: "a.pdf" },
    { type: "file", mimeType: "image/png", url: "data:image/png;base64,aGk=" },
    { type: "file", mimeType: "text/plain", url: "data:text/plain;charset=utf-8,hi" },
  ],
};

/** Pieces of the text of a stored message. */
interface Written {
  metadata?: string;
  part?: string;
  beside?: string;
}

describe("readMessage", () => {
  test("B98: version 1 is upgraded; inline media gets its own source", () => {
    const before = structuredClone(FIRST);
    expect(readMessage(FIRST)).toStrictEqual({
      ...FIRST,
      metadata: { schemaVersion: SCHEMA_VERSION, traceId: "preserved" },
      parts: [...FIRST.parts.slice(0, 4), { type: "file", mimeType: "image/png", data: "aGk=" }, FIRST.parts[5]],
    });
    expect(FIRST).toStrictEqual(before);
  });

  test("B20: a call that was stored without input has empty arguments", () => {
    const call = { type: "tool-call", toolCallId: "a", toolName: "t" };
    for (const schemaVersion of [1, SCHEMA_VERSION]) {
      expect(readMessage({ ...FIRST, parts: [call], metadata: { schemaVersion } }).parts).toStrictEqual([
        { ...call, input: {} },
      ]);
    }
  });

  test("the current version is returned unchanged", () => {
    const current = { ...FIRST, metadata: { schemaVersion: SCHEMA_VERSION } };
    expect(readMessage(current)).toBe(current);
  });

  test("B43, B98: unknown part types, fields and enumerated values survive", () => {
    const newer = {
      ...FIRST,
      role: "narrator",
      mood: "solemn",
      metadata: { schemaVersion: SCHEMA_VERSION },
      parts: [
        { type: "smell", molecule: "C10H18O" },
        { type: "text", text: "a", colour: "red" },
      ],
    };
    expect(readMessage(newer)).toStrictEqual(newer);
  });

  test.each([
    ["a newer version", SCHEMA_VERSION + 1, "version-too-new"],
    ["no version", undefined, "version-missing"],
    ["a fraction", 1.5, "version-invalid"],
    ["a text", "1", "version-invalid"],
    ["null", null, "version-invalid"],
    ["zero", 0, "version-invalid"],
    ["no number", Number.NaN, "version-invalid"],
    ["a BigInt", 2n, "version-invalid"],
    ["a BigInt in a list", [2n], "version-invalid"],
    ["an object without a prototype", Object.create(null), "version-invalid"],
    ["a symbol", Symbol("two"), "version-invalid"],
  ])("%s is rejected", (_, schemaVersion, code) => {
    const error = requireError(KoineError, () =>
      readMessage({ ...FIRST, metadata: schemaVersion === undefined ? {} : { schemaVersion } }),
    );
    expect(error).toBeInstanceOf(VersionError);
    expect(error).toMatchObject({ code, path: "/metadata/schemaVersion", version: schemaVersion });
  });

  test.each([
    ["metadata", { metadata: '{"schemaVersion":1,"trace":N}' }],
    ["a field of the message", { beside: ',"trace":N' }],
    [
      "a field of a part",
      { part: '{"type":"file","mimeType":"image/png","url":"data:image/png;base64,aGk=","trace":N}' },
    ],
  ])("B23: the digits of %s stay when version 1 is upgraded", (_, { metadata, part, beside }: Written) => {
    const text = `{"id":"${FIRST.id}","parentMessageId":null,"role":"user","createdAt":"${FIRST.createdAt}","metadata":${metadata ?? '{"schemaVersion":1}'},"parts":[${part ?? ""}]${beside ?? ""}}`;
    const read = readMessage(parseJson(text.replace(/(?<=:)N/, "12345678901234567890")));
    expect(read.metadata.schemaVersion).toBe(SCHEMA_VERSION);
    expect(stringifyJson(read)).toContain('"trace":12345678901234567890');
  });

  test.each([
    ["no object", 7, ""],
    ["a list", [], ""],
    ["parts that are no list", { ...FIRST, parts: 7 }, "/parts"],
    ["a missing parent", { ...FIRST, parentMessageId: undefined }, ""],
    ["a text without text", { ...FIRST, parts: [{ type: "text" }] }, "/parts/0"],
  ])("%s is a ValidationError with a path", (_, value, path) => {
    const error = requireError(KoineError, () => readMessage(value));
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({ code: "invalid", path });
  });
});

describe("the chain of upgrades", () => {
  const trace =
    (version: number) =>
    (message: JsonObject): JsonObject => ({
      ...message,
      steps: [...((message["steps"] as number[] | undefined) ?? []), version],
    });
  const chain = { 1: trace(1), 2: trace(2), 3: trace(3) };

  test.each([
    [1, [1, 2, 3]],
    [2, [2, 3]],
    [3, [3]],
    [4, undefined],
  ])("upgrades version %i one step at a time", (schemaVersion, steps) => {
    const upgraded = upgradeThrough({ metadata: { schemaVersion, preserved: true } }, chain, 4);
    expect(upgraded["steps"]).toEqual(steps);
    expect(upgraded["metadata"]).toEqual({ schemaVersion: 4, preserved: true });
  });
});
