// Tests the JSON view's data without a browser: lines, folds, marks, pointers and search.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson, stringifyJson } from "../../../src/model/json/index.ts";
import {
  readDepth,
  findClosingLine,
  indexJson,
  countLines,
  readLine,
  listChildLinesByKey,
  findParentLine,
} from "../../../ui/json/json-document.ts";
import { findLines } from "../../../ui/json/find-lines.ts";
import type { DocumentMark } from "../../../ui/json/document-marks.ts";
import { findWorstLevel, sliceMarks, countMarks, formatMarkCounts } from "../../../ui/json/document-marks.ts";
import { findLine, joinPointer, splitPointer } from "../../../ui/json/json-pointers.ts";
import {
  listAllFolds,
  createInitialFolds,
  isFocusableRow,
  unfoldTo,
  findJsonRow,
  buildJsonRows,
  countChildren,
  toggleFold,
} from "../../../ui/json/json-rows.ts";
import {
  clipToken,
  findNextLength,
  INITIAL_LENGTH,
  findLengthFor,
  tokenizeLine,
} from "../../../ui/json/line-tokens.ts";
import { handleJsonKey } from "../../../ui/json/json-keys.ts";
import { pointerAt } from "../support/pointer-at.ts";

const createDocument = (value: unknown) => indexJson(stringifyJson(value, 2));

/** Returns the pointers of all values. */
function listPointers(value: unknown, pointer = ""): string[] {
  if (typeof value !== "object" || value === null) return [pointer];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [pointer, ...entries.flatMap(([key, each]) => listPointers(each, pointer + joinPointer([key])))];
}

test("every value has its own line, and pointers and lines correspond", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const document = createDocument(value);
      const places = listPointers(value);
      const lines = places.map((place) => findLine(document, place));
      expect(lines.every(({ exact }) => exact)).toBe(true);
      expect(new Set(lines.map(({ line }) => line)).size).toBe(places.length);
      expect(lines.map(({ line }) => pointerAt(document, line))).toStrictEqual(places);
      const text = Array.from({ length: countLines(document) }, (_, line) => readLine(document, line)).join("\n");
      expect(parseJson(text)).toStrictEqual(parseJson(stringifyJson(value)));
    }),
    { numRuns: 200 },
  );
});

describe("a pointer to a missing value", () => {
  const document = createDocument({ messages: [{ parts: [{ type: "text" }] }], "a/b~c": 1 });
  test.each([
    ["a key that is missing leads to its object", "/messages/0/extra/gemini", "/messages/0"],
    ["an index that is missing leads to its list", "/messages/7", "/messages"],
    ["a property name is not an index", "/messages/length", "/messages"],
    ["a path below a text is the text", "/messages/0/parts/0/type/1", "/messages/0/parts/0/type"],
    ["an unknown path is the root", "/sampling/topK", ""],
  ])("%s", (_, path, expected) => {
    expect(findLine(document, path)).toStrictEqual({ line: findLine(document, expected).line, exact: false });
  });

  test("keys are escaped in pointers", () => {
    expect(splitPointer("/a~1b~0c")).toStrictEqual(["a/b~c"]);
    expect(findLine(document, "/a~1b~0c").exact).toBe(true);
  });
});

describe("folds", () => {
  const document = createDocument({ a: [{ b: 1, c: { d: [] } }, 2], e: {} });
  const shown = (folds: ReadonlySet<number>): string[] =>
    buildJsonRows(document, folds, []).map(({ line }) => readLine(document, line).trim());

  test("a folded line hides its content", () => {
    const at = findLine(document, "/a/0").line;
    expect(shown(new Set([at]))).toStrictEqual(["{", '"a": [', "{", "2", "],", '"e": {}', "}"]);
    expect(countChildren(document, at)).toBe(2);
    expect(toggleFold(toggleFold(new Set(), at), at).size).toBe(0);
  });

  test("folding all levels shows the keys of the root", () => {
    expect(shown(listAllFolds(document))).toStrictEqual(["{", '"a": [', '"e": {}', "}"]);
  });

  test("showing a line unfolds only its ancestors", () => {
    const deep = findLine(document, "/a/0/c/d").line;
    const folds = listAllFolds(document);
    const opened = unfoldTo(document, folds, deep);
    expect(shown(opened)).toContain('"d": []');
    expect(unfoldTo(document, opened, deep)).toBe(opened);
  });

  test("small documents are unfolded; of larger ones, two levels are", () => {
    expect(createInitialFolds(document).size).toBe(0);
    const large = createDocument({ messages: Array.from({ length: 200 }, (_, at) => ({ at, text: "x" })) });
    const rows = buildJsonRows(large, createInitialFolds(large), []);
    expect(rows.length).toBe(200 + 4);
  });

  test("closing lines are not focusable, and belong to their opening line", () => {
    const stops = buildJsonRows(document, new Set(), []).filter((row) => isFocusableRow(document, row));
    expect(stops.map(({ line }) => pointerAt(document, line))).toStrictEqual(
      listPointers({ a: [{ b: 1, c: { d: [] } }, 2], e: {} }),
    );
    const opener = findLine(document, "/a/0").line;
    expect(pointerAt(document, findClosingLine(document, opener))).toBe("/a/0");
    expect(findParentLine(document, findClosingLine(document, opener))).toBe(findLine(document, "/a").line);
  });
});

describe("marks", () => {
  const document = createDocument({ messages: [{ parts: [1] }, { parts: [2] }] });
  const mark = (pointer: string, level: DocumentMark["level"]): DocumentMark => ({
    ids: [pointer],
    line: findLine(document, pointer).line,
    level,
    code: "c",
    message: "",
    context: "",
  });
  const marks = [
    mark("/messages/0/parts", "note"),
    mark("/messages/1/parts/0", "loss"),
    mark("/messages/1/parts/0", "breaks"),
  ];

  test("a mark is below its line", () => {
    const rows = buildJsonRows(document, new Set(), marks);
    expect(rows.filter((row) => row.mark !== undefined).map(({ line }) => pointerAt(document, line))).toStrictEqual([
      "/messages/0/parts",
      "/messages/1/parts/0",
      "/messages/1/parts/0",
    ]);
    const at = marks[2]?.line ?? 0;
    expect(rows[findJsonRow(rows, at, marks[2])]?.mark).toBe(marks[2]);
    expect(rows[findJsonRow(rows, at)]).toStrictEqual({ line: at });
  });

  test("marks inside a fold are counted, the most severe first", () => {
    const fold = findLine(document, "/messages/1").line;
    expect(buildJsonRows(document, new Set([fold]), marks).some((row) => row.mark?.level === "loss")).toBe(false);
    const tally = countMarks(sliceMarks(marks, fold + 1, findClosingLine(document, fold)));
    expect(formatMarkCounts(tally)).toBe("1 break, 1 loss");
    expect(findWorstLevel(tally)).toBe("breaks");
    expect(findWorstLevel(countMarks([]))).toBeUndefined();
  });
});

describe("searching", () => {
  const document = createDocument({ a: "Corinth", b: ["corinth and Corinth", "Athens"], "k.y": "a+b" });
  test.each([
    ["regardless of case, each line once", "CORINTH", ["/a", "/b/0"]],
    ["keys, too", '"b"', ["/b"]],
    ["signs mean themselves", "a+b", ["/k.y"]],
    ["a dot is a dot", "k.y", ["/k.y"]],
    ["no match for an empty text", "", []],
  ])("%s", (_, query, places) => {
    expect(findLines(document, query).lines.map((line) => pointerAt(document, line))).toStrictEqual(places);
  });

  test("the search stops at its limit", () => {
    const found = findLines(createDocument(Array.from({ length: 6000 }, () => "x")), "x");
    expect([found.lines.length, found.more]).toStrictEqual([5000, true]);
  });
});

describe("a line", () => {
  test("is split into keys, strings, numbers, literals and punctuation without loss", () => {
    const line = '    "a \\" b": [true, -1.5e+3, null, "x: 1"],';
    expect(
      tokenizeLine(line)
        .map(({ text }) => text)
        .join(""),
    ).toBe(line);
    expect(tokenizeLine(line).filter(({ kind }) => kind !== "sign" && kind !== "text")).toStrictEqual([
      { kind: "key", text: '"a \\" b"' },
      { kind: "word", text: "true" },
      { kind: "number", text: "-1.5e+3" },
      { kind: "word", text: "null" },
      { kind: "string", text: '"x: 1"' },
    ]);
  });

  test("keeps the digits of a number as written", () => {
    const document = createDocument(parseJson('{"id":12345678901234567890,"x":0.10000000000000000001}'));
    expect(readLine(document, 1)).toBe('  "id": 12345678901234567890,');
    expect(tokenizeLine(readLine(document, 2)).at(-1)?.text).toBe("0.10000000000000000001");
  });

  test("is shortened if long, never within a character, and its end is shown", () => {
    const { head, hiddenLength, tail } = clipToken(`${"x".repeat(99)}${"🙂".repeat(200)}y`, 100);
    expect(head).toBe("x".repeat(99));
    expect(tail).toBe(`${"🙂".repeat(29)}y`);
    expect(hiddenLength).toBe(2 * (200 - 29));
    expect(clipToken("x".repeat(200), 100)).toStrictEqual({ head: "x".repeat(200), hiddenLength: 0, tail: "" });
  });

  test("of one long string is one token, also if truncated", () => {
    const text = JSON.stringify('It is true that 42 of "null" {words} '.repeat(2000));
    expect(tokenizeLine(`"text": ${text},`).map(({ kind }) => kind)).toStrictEqual(["key", "sign", "string", "sign"]);
    expect(tokenizeLine(`"text": ${text.slice(0, 600)}`).map(({ kind }) => kind)).toStrictEqual([
      "key",
      "sign",
      "string",
    ]);
    // A key may be long, too.
    expect(tokenizeLine(`"${"k".repeat(5000)}": {`).map(({ kind }) => kind)).toStrictEqual(["key", "sign", "sign"]);
  });

  test("is shown in steps, up to a maximum", () => {
    const line = JSON.stringify("x".repeat(2_000_000));
    const steps = [INITIAL_LENGTH];
    for (let next = findNextLength(line, INITIAL_LENGTH); next !== undefined; next = findNextLength(line, next))
      steps.push(next);
    expect(steps).toStrictEqual([600, 4800, 38_400, 300_000]);
    expect(findNextLength('"short"', INITIAL_LENGTH)).toBeUndefined();
  });

  test("is shown up to the search match", () => {
    const line = JSON.stringify(`${"x".repeat(3000)} Corinth ${"x".repeat(900_000)} Athens`);
    expect(findLengthFor(line, "corinth", INITIAL_LENGTH)).toBe(4800);
    expect(findLengthFor(line, "corinth", 38_400)).toBe(38_400);
    // Too far away to be shown; its end is shown anyway.
    expect(findLengthFor(line, "athens", INITIAL_LENGTH)).toBe(INITIAL_LENGTH);
  });

  test("that is long is extended by Enter; one that opens a container is folded", () => {
    const document = createDocument({ a: "x".repeat(5000), b: [1] });
    const rows = buildJsonRows(document, new Set(), []);
    expect(handleJsonKey("Enter", document, rows, new Set(), { line: 1 })).toStrictEqual({ expand: 1 });
    expect(handleJsonKey("Enter", document, rows, new Set(), { line: 2 })).toStrictEqual({ folds: new Set([2]) });
  });
});

describe("a document", () => {
  test("is the same for any formatting of its text", () => {
    const value = { a: [1, "x: [2]", {}], 'b"': [[], [null, true]], c: -1.5e300 };
    const compact = indexJson(stringifyJson(value));
    expect(indexJson(stringifyJson(value, 2))).toStrictEqual(compact);
    expect(compact.text).toBe(JSON.stringify(value, null, 2));
  });

  test("of great depth is not indented without limit", () => {
    const [deep, wide] = [900, 2000];
    const text = "[".repeat(deep) + Array(wide).fill("1").join(",") + "]".repeat(deep);
    const document = indexJson(text);
    expect(countLines(document)).toBe(2 * deep + wide);
    expect(document.text.length).toBeLessThan(100 * countLines(document));
    expect(parseJson(document.text)).toStrictEqual(parseJson(text));
    expect(readDepth(document, deep)).toBe(deep);
    expect(findLine(document, "/0".repeat(deep - 1) + "/7")).toStrictEqual({ line: deep + 7, exact: true });
  });

  test("is indexed by key once, for any number of lookups", () => {
    const document = createDocument(Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`key ${at}`, at])));
    expect(findLine(document, "/key 2999")).toStrictEqual({ line: 3000, exact: true });
    expect(listChildLinesByKey(document, 0)).toBe(listChildLinesByKey(document, 0));
    expect(findLine(document, "/toString").exact).toBe(false);
  });
});
