// How bytes become records: lines and documents cut out of any chunks, formats told by their beginning.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SplitResult } from "../../src/cli/read/json-splitter.ts";
import { JsonSplitter } from "../../src/cli/read/json-splitter.ts";
import { detectFormatByName, detectFormatByText } from "../../src/cli/read/detect-format.ts";
import { LineSplitter } from "../../src/cli/read/line-splitter.ts";
import type { RawRecord } from "../../src/cli/read/raw-record.ts";

interface Splitter<T> {
  push(chunk: Buffer): T[];
  end(): T[];
}

/** Pushes bytes in pieces of these sizes, each through the same memory: a splitter must not keep what it was lent. */
function feed<T>(splitter: Splitter<T>, bytes: Buffer, sizes: readonly number[]): T[] {
  const lent = Buffer.alloc(Math.max(1, ...sizes, bytes.length));
  const found: T[] = [];
  let from = 0;
  for (let turn = 0; from < bytes.length; turn++) {
    const size = sizes.length === 0 ? bytes.length : (sizes[turn % sizes.length] ?? 1);
    const length = bytes.copy(lent, 0, from, from + size);
    found.push(...splitter.push(lent.subarray(0, length)));
    lent.fill(0xff);
    from += length;
  }
  return [...found, ...splitter.end()];
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
const json = fc.jsonValue({ maxDepth: 3, stringUnit: "grapheme" }).map((value) => JSON.stringify(value));

describe("lines", () => {
  const blank = fc.constantFrom("", "\r", "  ", "\t");
  const line = fc.oneof(
    blank,
    fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", "")),
  );

  test("any chunking gives the lines that are not blank, with their numbers", () => {
    fc.assert(
      fc.property(fc.array(line), fc.boolean(), sizes, (texts, isEnded, chunks) => {
        const text = texts.join("\n") + (isEnded ? "\n" : "");
        const expected = text
          .split("\n")
          .flatMap((each, index) => (/^\s*$/.test(each) ? [] : [{ line: index + 1, text: each }]));
        expect(feed(new LineSplitter(), Buffer.from(text), chunks)).toStrictEqual(expected);
      }),
    );
  });

  test("bytes that are no UTF-8 are a problem of their line only", () => {
    const bytes = Buffer.concat([Buffer.from("{}\n"), Buffer.from([0x22, 0xff, 0x22, 10]), Buffer.from('"\uFFFD"\n')]);
    const pieces = feed(new LineSplitter(), bytes, [2]);
    expect(pieces.map(({ line, problem }) => [line, problem?.includes("UTF-8") ?? false])).toStrictEqual([
      [1, false],
      [2, true],
      [3, false],
    ]);
    expect(pieces[2]?.text).toBe('"\uFFFD"');
  });

  test("a line that is too long is told, not kept, and the next one is read", () => {
    const pieces = feed(new LineSplitter(10), Buffer.from(`${"x".repeat(50)}\n"ok"\n`), [7]);
    expect(pieces.map(({ line, text }) => [line, text])).toStrictEqual([
      [1, ""],
      [2, '"ok"'],
    ]);
    expect(pieces[0]?.problem).toContain("longer");
  });
});

describe("documents", () => {
  const space = fc.constantFrom("", " ", "\n", "\r\n ", "\t");
  const cutsOf = (text: string, chunks: readonly number[] = []): SplitResult[] =>
    feed(new JsonSplitter(), Buffer.from(text), chunks);
  const textOf = (cut: SplitResult): string => (cut.end === undefined ? (cut.problem ?? cut.text) : "(end)");

  test("any chunking of a list gives its elements, with the lines they begin on", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(json, space, space)), sizes, (elements, chunks) => {
        const text = `[${elements.map(([value, before, after]) => before + value + after).join(",")}]`;
        let line = 1;
        const breaks = (part: string): number => part.split("\n").length - 1;
        const expected = elements.map(([value, before, after]) => {
          const piece: RawRecord = { line: line + breaks(before), text: value, listed: true };
          line += breaks(before) + breaks(after);
          return piece;
        });
        expect(cutsOf(text, chunks).slice(0, -1)).toStrictEqual(expected);
        expect(cutsOf(text, chunks).at(-1)).toStrictEqual({ end: "list", line: 1 });
      }),
    );
  });

  test("any chunking of values one after the other gives them", () => {
    const whole = json.filter((text) => !text.startsWith("["));
    fc.assert(
      fc.property(fc.array(whole), sizes, (values, chunks) => {
        expect(cutsOf(values.join("\n"), chunks).map(textOf)).toStrictEqual(values);
      }),
    );
  });

  test("long strings of quotes and backslashes end where they end", () => {
    const text = fc.string({ unit: fc.constantFrom("\\", '"', "x", "]"), minLength: 20, maxLength: 90 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), fc.integer({ min: 1, max: 60 }), (texts, size) => {
        const values = texts.map((each) => JSON.stringify({ each }));
        expect(cutsOf(`[${values.join(", ")}]`, [size]).map(textOf)).toStrictEqual([...values, "(end)"]);
      }),
    );
  });

  test.each([
    ["an indented value counts its lines", '{\n "a": 1\n}\n{}', ['{\n "a": 1\n}', "{}"]],
    ["brackets and quotes in strings do not count", '{"a":"}]\\"[{"}', ['{"a":"}]\\"[{"}']],
    ["a value that is cut off", '{"a":', ["The input ends within this value."]],
    ["a list that is cut off", "[1,", ["1", "The list that begins on line 1 has no end.", "(end)"]],
    ["a comma too many", "[1,,2]", ["1", "A comma stands where a value should.", "2", "(end)"]],
    ["a comma at the end", "[1,]", ["1", "A comma stands before the end of the list.", "(end)"]],
    ["a comma missing", "[1 2]", ["1", "A comma is missing between two values of the list.", "2", "(end)"]],
    ["a stray bracket is a value that nobody can read", "{}}\n{}", ["{}", "}", "{}"]],
    ["words between values are not skipped", "{} oops {}", ["{}", "oops", "{}"]],
  ])("%s", (_sentence, text, expected) => {
    expect(cutsOf(text).map(textOf)).toStrictEqual(expected);
    expect(cutsOf(text, [1]).map(textOf)).toStrictEqual(expected);
  });
});

describe("formats", () => {
  test.each([
    ["chat.jsonl", "jsonl"],
    ["chat.NDJSON", "jsonl"],
    ["answer.sse", "sse"],
    ["chat.json", undefined],
    ["stdin", undefined],
  ])("the name %s tells %s", (name, format) => {
    expect(detectFormatByName(name)).toBe(format);
  });

  test.each([
    ["one object on a line, more to come", '{"a":1}\n', false, "jsonl"],
    ["an object that goes over lines", '{\n  "a": 1\n', false, "json"],
    ["half a line says nothing yet", '{"a":', false, undefined],
    ["half a line that is all", '{"a":', true, "json"],
    ["a list on one line, perhaps more to come", "[1]\n", false, undefined],
    ["a list on one line that is all", "[1]\n", true, "json"],
    ["lists on lines", "[1]\n[2]\n", false, "jsonl"],
    ["an indented list", "[\n  1\n]", true, "json"],
    ["a broken line before a good one", '{"a":,}\n{"b":1}\n', true, "jsonl"],
    ["a first line that goes on", '{"a": [\n  1\n]}', true, "json"],
    ["events", 'event: x\ndata: {"a":1}\n', false, "sse"],
    ["a comment and events", ": hello\n\ndata: {}\n", false, "sse"],
    ["nothing", "", true, "jsonl"],
    ["nothing yet", "  ", false, undefined],
    ["words", "hello world\n", false, "jsonl"],
  ])("%s", (_sentence, text, isAll, format) => {
    expect(detectFormatByText(text, isAll)).toBe(format);
  });
});
