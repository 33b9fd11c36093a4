// Server-sent events in and out: a table of streams, then any bytes in any chunking against a reference reading.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KoineError } from "../../src/model/errors.ts";
import { formatSse, formatSseComment, SseError, type SseEvent, SseParser } from "../../src/sse/index.ts";
import { referenceEvents } from "./reference.ts";
import { scaleRunCount } from "../support/property-run-count.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function parse(...chunks: (Uint8Array | string)[]): SseEvent[] {
  const parser = new SseParser();
  const events = chunks.flatMap((chunk) => parser.push(chunk));
  return [...events, ...parser.end()];
}

function cut(bytes: Uint8Array, places: number[]): Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
  return ends.map((end, i) => bytes.subarray(i === 0 ? 0 : ends[i - 1], end));
}

const streams: [sentence: string, stream: string, events: SseEvent[]][] = [
  ["B68 data without a space", "data:x\n\n", [{ data: "x" }]],
  ["B68 only the first space is dropped", "data:  x\n\n", [{ data: " x" }]],
  ["B68 CRLF", "event: a\r\ndata: x\r\n\r\n", [{ event: "a", data: "x" }]],
  ["B68 CR alone", "event: a\rdata: x\r\r", [{ event: "a", data: "x" }]],
  ["B68 breaks of all kinds in one stream", "data: x\r\ndata: y\rdata: z\n\r\n", [{ data: "x\ny\nz" }]],
  ["B68 a last event without its blank line", "data: x\n\ndata: y\n", [{ data: "x" }, { data: "y" }]],
  ["B68 a last event without its line break", "data: x\n\ndata: y", [{ data: "x" }, { data: "y" }]],
  ["B68 a last event that ends in CR", "event: a\r\ndata: y\r", [{ event: "a", data: "y" }]],
  ["B68 an unterminated comment after the last event", "data: x\n: pi", [{ data: "x" }]],
  ["B68 multi-byte text", "data: é € 𝄞 \u{1F9FF}\n\n", [{ data: "é € 𝄞 \u{1F9FF}" }]],
  ["one byte order mark is dropped", "\uFEFFdata: x\n\n", [{ data: "x" }]],
  ["a second byte order mark is text", "\uFEFF\uFEFFdata: x\n\ndata: y\n\n", [{ data: "y" }]],
  ["a byte order mark inside is text", "data: \uFEFFx\n\n", [{ data: "\uFEFFx" }]],
  ["B70 no event line", 'data: {"a":1}\n\n', [{ data: '{"a":1}' }]],
  ["B70 an empty event line counts as missing", "event: a\nevent:\ndata: x\n\n", [{ data: "x" }]],
  ["B70 comments between and inside events", ": ping\n\n:\ndata: x\n: OPENROUTER\ndata: y\n\n", [{ data: "x\ny" }]],
  ["B70 a ping event", 'event: ping\ndata: {"type":"ping"}\n\n', [{ event: "ping", data: '{"type":"ping"}' }]],
  ["B70 a block without data is not an event", "event: ping\nid: 7\n\ndata: x\n\n", [{ data: "x" }]],
  ["B70 unknown fields are skipped", "foo: 1\nDATA: 2\n data: 3\ndata: x\n\n", [{ data: "x" }]],
  ["blank lines are not events", "\n\n\r\n\r\rdata: x\n\n\n\n", [{ data: "x" }]],
  ["data with an empty value is an event", "data\n\ndata:\n\n", [{ data: "" }, { data: "" }]],
  ["an empty id is an id", "id:\ndata: x\n\n", [{ id: "", data: "x" }]],
  ["an id with U+0000 is ignored", "id: a\0\ndata: x\n\n", [{ data: "x" }]],
  ["an id belongs to its own event only", "id: 1\ndata: x\n\ndata: y\n\n", [{ id: "1", data: "x" }, { data: "y" }]],
  ["retry", "retry: 10\ndata: x\n\ndata: y\n\n", [{ retry: 10, data: "x" }, { data: "y" }]],
  ["retry without data belongs to the next event", "retry: 10\n\ndata: x\n\n", [{ retry: 10, data: "x" }]],
  ["a bad retry is ignored", `retry: 1s\nretry: -1\nretry: ${"9".repeat(400)}\ndata: x\n\n`, [{ data: "x" }]],
  ["an empty stream", "", []],
];

describe("SseParser", () => {
  test.each(streams)("%s", (_sentence, stream, events) => {
    const bytes = encode(stream);
    expect(parse(bytes)).toStrictEqual(events);
    expect(parse(stream)).toStrictEqual(events);
    expect(parse(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toStrictEqual(events);
    expect(parse(...stream.split(""))).toStrictEqual(events);
    expect(referenceEvents(bytes)).toStrictEqual(events);
  });

  test("an event is delivered by the push that completes it", () => {
    const parser = new SseParser();
    expect(parser.push("data: x\n")).toStrictEqual([]);
    expect(parser.push("\ndata: y\n\nda")).toStrictEqual([{ data: "x" }, { data: "y" }]);
    expect(parser.push("ta: z\r\n\r")).toStrictEqual([{ data: "z" }]);
    expect(parser.end()).toStrictEqual([]);
  });

  test("B68 a truncated character at the end, or before text, becomes U+FFFD", () => {
    const head = encode("data: €").subarray(0, -1);
    expect(parse(head)).toStrictEqual([{ data: "\uFFFD" }]);
    expect(parse(head, "x\n\n")).toStrictEqual([{ data: "\uFFFDx" }]);
  });

  test("a parser reads one stream: push after end throws, a second end returns no events", () => {
    const parser = new SseParser();
    parser.push("data: x");
    expect(parser.end()).toStrictEqual([{ data: "x" }]);
    expect(parser.end()).toStrictEqual([]);
    expect(() => parser.push("data: y\n\n")).toThrow(expect.objectContaining({ code: "ended", name: "SseError" }));
    expect(new SseError("ended", "")).toBeInstanceOf(KoineError);
  });

  test("B69 a line of many megabytes in chunks of 16 bytes is parsed completely", () => {
    // With a quadratic cost, this would take minutes and exceed the time limit.
    const parser = new SseParser();
    const chunk = encode("0123456789abcdef");
    parser.push("data: ");
    for (let sent = 0; sent < 32_000_000; sent += chunk.length) parser.push(chunk);
    expect(parser.push("\n\n").map(({ data }) => data.length)).toEqual([32_000_000]);
  });

  test("B69 a skipped comment of many megabytes does not hide the following event", () => {
    const part = "x".repeat(1_000_000);
    expect(parse(": ", ...Array.from({ length: 8 }, () => part), "\ndata: y\n\n")).toStrictEqual([{ data: "y" }]);
  });
});

const lineBreak = fc.constantFrom("\n", "\r", "\r\n");
const fieldText = fc.string({
  unit: fc.constantFrom("a", ":", " ", "é", "€", "𝄞", "\u{1F468}\u{200D}\u{1F467}", "\uFEFF", "7", "\0"),
});
const line = fc
  .tuple(
    fc.constantFrom("data", "event", "id", "retry", "", "dat", "datax", "eve"),
    fc.constantFrom(":", ": ", ""),
    fieldText,
  )
  .map((parts) => parts.join(""));
const wellFormed = fc
  .tuple(
    fc.constantFrom("", "\uFEFF"),
    fc.array(fc.tuple(fc.oneof(line, fc.constant("")), lineBreak), { maxLength: 30 }),
    fc.boolean(),
  )
  .map(([mark, lines, closed]) => encode(mark + lines.flat().join("") + (closed ? "\n\n" : "")));
// Bytes with a meaning, and partial characters, far more often than by chance.
const anyBytes = fc
  .array(
    fc.oneof(
      fc
        .constantFrom("data:", "data: x", "event: a", "id:", "retry: 5", "\r", "\n", "\r\n", "\n\n", ":", " ")
        .map(encode),
      fc
        .constantFrom([0xef, 0xbb, 0xbf], [0xef], [0xe2, 0x82], [0xf0, 0x9f], [0x80], [0xc3])
        .map((it) => Uint8Array.from(it)),
      fc.uint8Array({ maxLength: 4 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => Uint8Array.from(parts.flatMap((part) => [...part])));
const places = fc.array(fc.nat(), { maxLength: 20 });

describe("any chunking", () => {
  test("B68 B70 of a stream of fields gives the events of the standard", () => {
    fc.assert(
      fc.property(wellFormed, places, (bytes, at) => {
        expect(parse(...cut(bytes, at))).toStrictEqual(referenceEvents(bytes));
      }),
      { numRuns: scaleRunCount(2000) },
    );
  });

  test("B68 of any bytes gives the same events as one push", () => {
    fc.assert(
      fc.property(anyBytes, places, (bytes, at) => {
        expect(parse(...cut(bytes, at))).toStrictEqual(parse(bytes));
      }),
      { numRuns: scaleRunCount(2000) },
    );
  });
});

const text = fc.string({
  unit: fc.oneof(fc.constantFrom("\n", " ", ":", "é", "\uFEFF"), fc.string({ minLength: 1, maxLength: 1 })),
});
const plain = (value: string): boolean => !/[\r\n\0]/.test(value);
const anyEvent: fc.Arbitrary<SseEvent> = fc.record(
  {
    event: text.filter((value) => value !== "" && plain(value)),
    data: text.filter((value) => !value.includes("\r")),
    id: text.filter(plain),
    retry: fc.maxSafeNat(),
  },
  { requiredKeys: ["data"], noNullPrototype: true },
);

describe("formatSse", () => {
  test("parse(format(events)) gives the events, with heartbeats between them", () => {
    fc.assert(
      fc.property(fc.array(anyEvent), text, places, (events, comment, at) => {
        const stream = events.map((event) => formatSseComment(comment) + formatSse(event)).join("");
        expect(parse(...cut(encode(stream), at))).toStrictEqual(events);
      }),
    );
  });

  test.each([
    ["data alone", { data: "{}" }, "data: {}\n\n"],
    ["all fields", { event: "a", id: "1", retry: 0, data: "x" }, "event: a\nid: 1\nretry: 0\ndata: x\n\n"],
    [
      "every line break in data starts a data line",
      { data: "a\nb\rc\r\nd\n" },
      "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n",
    ],
    ["an empty event name is omitted", { event: "", data: "x" }, "data: x\n\n"],
  ] satisfies [string, SseEvent, string][])("%s", (_sentence, event, wire) => {
    expect(formatSse(event)).toBe(wire);
  });

  test.each([
    ["a line feed in event", { event: "a\ndata: evil", data: "x" }],
    ["a carriage return in event", { event: "a\r\rdata: evil", data: "x" }],
    ["a line break in id", { id: "1\n\ndata: evil", data: "x" }],
    ["U+0000 in id", { id: "1\0", data: "x" }],
    ["a negative retry", { retry: -1, data: "x" }],
    ["a fractional retry", { retry: 1.5, data: "x" }],
    ["an infinite retry", { retry: Infinity, data: "x" }],
  ] satisfies [string, SseEvent][])("throws for %s", (_sentence, event) => {
    expect(() => formatSse(event)).toThrow(expect.objectContaining({ name: "SseError", code: "invalid-field" }));
  });

  test("a line break in a comment cannot start an event", () => {
    expect(formatSseComment("ping\n\ndata: evil")).toBe(": ping\n: \n: data: evil\n\n");
    expect(parse(formatSseComment("ping\rdata: evil"))).toStrictEqual([]);
  });
});
