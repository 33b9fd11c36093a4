// Tests the splitting of bytes into records for any chunking, and the detection of the format.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SplitResult } from "../../src/cli/read/json-splitter.ts";
import { JsonSplitter } from "../../src/cli/read/json-splitter.ts";
import { detectFormatByName, detectFormatByText } from "../../src/cli/read/detect-format.ts";
import { LineSplitter } from "../../src/cli/read/line-splitter.ts";
import type { RawRecord } from "../../src/cli/read/raw-record.ts";

interface ByteSplitter<T> {
  push(chunk: Buffer): T[];
  end(): T[];
}

/** Pushes bytes in chunks of these sizes through one reused buffer: a splitter must copy the bytes that it needs later. */
function splitInChunks<T>(splitter: ByteSplitter<T>, bytes: Buffer, sizes: readonly number[]): T[] {
  const reusedBuffer = Buffer.alloc(Math.max(1, ...sizes, bytes.length));
  const results: T[] = [];
  let from = 0;
  for (let turn = 0; from < bytes.length; turn++) {
    const size = sizes.length === 0 ? bytes.length : (sizes[turn % sizes.length] ?? 1);
    const length = bytes.copy(reusedBuffer, 0, from, from + size);
    results.push(...splitter.push(reusedBuffer.subarray(0, length)));
    reusedBuffer.fill(0xff);
    from += length;
  }
  return [...results, ...splitter.end()];
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
const json = fc.jsonValue({ maxDepth: 3, stringUnit: "grapheme" }).map((value) => JSON.stringify(value));

describe("lines", () => {
  const blank = fc.constantFrom("", "\r", "  ", "\t");
  const line = fc.oneof(
    blank,
    fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", "")),
  );

  test("any chunking gives the lines that are not blank, with their line numbers", () => {
    fc.assert(
      fc.property(fc.array(line), fc.boolean(), sizes, (texts, isEnded, chunks) => {
        const text = texts.join("\n") + (isEnded ? "\n" : "");
        const expected = text
          .split("\n")
          .flatMap((each, index) => (/^\s*$/.test(each) ? [] : [{ line: index + 1, text: each }]));
        expect(splitInChunks(new LineSplitter(), Buffer.from(text), chunks)).toStrictEqual(expected);
      }),
    );
  });

  test("bytes that are not UTF-8 are a problem of their line only", () => {
    const bytes = Buffer.concat([Buffer.from("{}\n"), Buffer.from([0x22, 0xff, 0x22, 10]), Buffer.from('"\uFFFD"\n')]);
    const records = splitInChunks(new LineSplitter(), bytes, [2]);
    expect(records.map(({ line, problem }) => [line, problem?.includes("UTF-8") ?? false])).toStrictEqual([
      [1, false],
      [2, true],
      [3, false],
    ]);
    expect(records[2]?.text).toBe('"\uFFFD"');
  });

  test("a line that is too long is reported and not stored, and the next one is read", () => {
    const records = splitInChunks(new LineSplitter(10), Buffer.from(`${"x".repeat(50)}\n"ok"\n`), [7]);
    expect(records.map(({ line, text }) => [line, text])).toStrictEqual([
      [1, ""],
      [2, '"ok"'],
    ]);
    expect(records[0]?.problem).toContain("longer");
  });
});

describe("documents", () => {
  const space = fc.constantFrom("", " ", "\n", "\r\n ", "\t");
  const splitText = (text: string, chunks: readonly number[] = []): SplitResult[] =>
    splitInChunks(new JsonSplitter(), Buffer.from(text), chunks);
  const toText = (result: SplitResult): string =>
    result.end === undefined ? (result.problem ?? result.text) : "(end)";

  test("any chunking of a list gives its elements, with the lines on which they begin", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(json, space, space)), sizes, (elements, chunks) => {
        const text = `[${elements.map(([value, before, after]) => before + value + after).join(",")}]`;
        let line = 1;
        const breaks = (part: string): number => part.split("\n").length - 1;
        const expected = elements.map(([value, before, after]) => {
          const record: RawRecord = { line: line + breaks(before), text: value, listed: true };
          line += breaks(before) + breaks(after);
          return record;
        });
        expect(splitText(text, chunks).slice(0, -1)).toStrictEqual(expected);
        expect(splitText(text, chunks).at(-1)).toStrictEqual({ end: "list", line: 1 });
      }),
    );
  });

  test("any chunking of consecutive values gives these values", () => {
    const notList = json.filter((text) => !text.startsWith("["));
    fc.assert(
      fc.property(fc.array(notList), sizes, (values, chunks) => {
        expect(splitText(values.join("\n"), chunks).map(toText)).toStrictEqual(values);
      }),
    );
  });

  test("long strings of quotes and backslashes are split correctly", () => {
    const text = fc.string({ unit: fc.constantFrom("\\", '"', "x", "]"), minLength: 20, maxLength: 90 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), fc.integer({ min: 1, max: 60 }), (texts, size) => {
        const values = texts.map((each) => JSON.stringify({ each }));
        expect(splitText(`[${values.join(", ")}]`, [size]).map(toText)).toStrictEqual([...values, "(end)"]);
      }),
    );
  });

  test.each([
    ["an indented value counts its lines", '{\n "a": 1\n}\n{}', ['{\n "a": 1\n}', "{}"]],
    ["brackets and quotes in strings do not count", '{"a":"}]\\"[{"}', ['{"a":"}]\\"[{"}']],
    ["a value that is cut off", '{"a":', ["The input ends within this value."]],
    ["a list that is cut off", "[1,", ["1", "The list that begins on line 1 has no end.", "(end)"]],
    ["a comma too many", "[1,,2]", ["1", "There is a comma instead of a value.", "2", "(end)"]],
    ["a comma at the end", "[1,]", ["1", "There is a comma before the end of the list.", "(end)"]],
    ["a comma missing", "[1 2]", ["1", "A comma is missing between two values of the list.", "2", "(end)"]],
    ["a stray bracket is an invalid value", "{}}\n{}", ["{}", "}", "{}"]],
    ["words between values are not skipped", "{} oops {}", ["{}", "oops", "{}"]],
  ])("%s", (_sentence, text, expected) => {
    expect(splitText(text).map(toText)).toStrictEqual(expected);
    expect(splitText(text, [1]).map(toText)).toStrictEqual(expected);
  });
});

describe("formats", () => {
  test.each([
    ["chat.jsonl", "jsonl"],
    ["chat.NDJSON", "jsonl"],
    ["answer.sse", "sse"],
    ["chat.json", undefined],
    ["stdin", undefined],
  ])("the file name %s has the format %s", (name, format) => {
    expect(detectFormatByName(name)).toBe(format);
  });

  test.each([
    ["one object on a line, not at the end of the input", '{"a":1}\n', false, "jsonl"],
    ["an object over several lines", '{\n  "a": 1\n', false, "json"],
    ["a partial line is not decided yet", '{"a":', false, undefined],
    ["a partial line at the end of the input", '{"a":', true, "json"],
    ["a list on one line, not at the end of the input", "[1]\n", false, undefined],
    ["a list on one line at the end of the input", "[1]\n", true, "json"],
    ["lists on lines", "[1]\n[2]\n", false, "jsonl"],
    ["an indented list", "[\n  1\n]", true, "json"],
    ["an invalid line before a valid one", '{"a":,}\n{"b":1}\n', true, "jsonl"],
    ["a value that continues on further lines", '{"a": [\n  1\n]}', true, "json"],
    ["events", 'event: x\ndata: {"a":1}\n', false, "sse"],
    ["a comment and events", ": hello\n\ndata: {}\n", false, "sse"],
    ["empty input", "", true, "jsonl"],
    ["only spaces so far", "  ", false, undefined],
    ["plain words", "hello world\n", false, "jsonl"],
  ])("%s", (_sentence, text, isAll, format) => {
    expect(detectFormatByText(text, isAll)).toBe(format);
  });
});
