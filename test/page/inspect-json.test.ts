// The JSON view without a view: lines, folds, marks, pointers and searching, on values of every shape.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson, stringifyJson } from "../../src/model/json.ts";
import { depthOf, endOf, indexJson, lineCount, lineText, namedChildrenOf, parentOf } from "../../ui/json/document.ts";
import { findLines } from "../../ui/json/find.ts";
import type { Mark } from "../../ui/json/marks.ts";
import { gravest, marksBetween, tallyOf, tallyWords } from "../../ui/json/marks.ts";
import { lineAt, pointerOf, stepsOf } from "../../ui/json/pointers.ts";
import { allFolds, firstFolds, isStop, reveal, rowOf, rowsOf, sizeOf, toggle } from "../../ui/json/rows.ts";
import { clipToken, nextStep, SHOWN_AT_FIRST, shownFor, tokensOf } from "../../ui/json/tokens.ts";
import { walk } from "../../ui/json/walk.ts";
import { pointerAt } from "./support/pointer-at.ts";

const json = (value: unknown) => indexJson(stringifyJson(value, 2));

/** Every place of a value, by its pointer. */
function placesOf(value: unknown, pointer = ""): string[] {
  if (typeof value !== "object" || value === null) return [pointer];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [pointer, ...entries.flatMap(([key, each]) => placesOf(each, pointer + pointerOf([key])))];
}

test("every place of any value has a line of its own, and the line knows the place", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const document = json(value);
      const places = placesOf(value);
      const lines = places.map((place) => lineAt(document, place));
      expect(lines.every(({ exact }) => exact)).toBe(true);
      expect(new Set(lines.map(({ line }) => line)).size).toBe(places.length);
      expect(lines.map(({ line }) => pointerAt(document, line))).toStrictEqual(places);
      const text = Array.from({ length: lineCount(document) }, (_, line) => lineText(document, line)).join("\n");
      expect(parseJson(text)).toStrictEqual(parseJson(stringifyJson(value)));
    }),
    { numRuns: 200 },
  );
});

describe("a place that is not there", () => {
  const document = json({ messages: [{ parts: [{ type: "text" }] }], "a/b~c": 1 });
  test.each([
    ["a key that is missing leads to its object", "/messages/0/extra/gemini", "/messages/0"],
    ["an index that is missing leads to its list", "/messages/7", "/messages"],
    ["a word is no index", "/messages/length", "/messages"],
    ["what is below a text leads to the text", "/messages/0/parts/0/type/1", "/messages/0/parts/0/type"],
    ["nothing at all leads to the root", "/sampling/topK", ""],
  ])("%s", (_, asked, given) => {
    expect(lineAt(document, asked)).toStrictEqual({ line: lineAt(document, given).line, exact: false });
  });

  test("signs in keys are escaped as pointers want it", () => {
    expect(stepsOf("/a~1b~0c")).toStrictEqual(["a/b~c"]);
    expect(lineAt(document, "/a~1b~0c").exact).toBe(true);
  });
});

describe("folds", () => {
  const document = json({ a: [{ b: 1, c: { d: [] } }, 2], e: {} });
  const shown = (folds: ReadonlySet<number>): string[] =>
    rowsOf(document, folds, []).map(({ line }) => lineText(document, line).trim());

  test("a folded line is shown without what it holds", () => {
    const at = lineAt(document, "/a/0").line;
    expect(shown(new Set([at]))).toStrictEqual(["{", '"a": [', "{", "2", "],", '"e": {}', "}"]);
    expect(sizeOf(document, at)).toBe(2);
    expect(toggle(toggle(new Set(), at), at).size).toBe(0);
  });

  test("everything folded leaves the keys of the root", () => {
    expect(shown(allFolds(document))).toStrictEqual(["{", '"a": [', '"e": {}', "}"]);
  });

  test("showing a line opens what hides it, and nothing else", () => {
    const deep = lineAt(document, "/a/0/c/d").line;
    const folds = allFolds(document);
    const opened = reveal(document, folds, deep);
    expect(shown(opened)).toContain('"d": []');
    expect(reveal(document, opened, deep)).toBe(opened);
  });

  test("what fits at a glance is open; of more, two levels are", () => {
    expect(firstFolds(document).size).toBe(0);
    const large = json({ messages: Array.from({ length: 200 }, (_, at) => ({ at, text: "x" })) });
    const rows = rowsOf(large, firstFolds(large), []);
    expect(rows.length).toBe(200 + 4);
  });

  test("lines that only close are no stops, and belong to what they close", () => {
    const stops = rowsOf(document, new Set(), []).filter((row) => isStop(document, row));
    expect(stops.map(({ line }) => pointerAt(document, line))).toStrictEqual(
      placesOf({ a: [{ b: 1, c: { d: [] } }, 2], e: {} }),
    );
    const opener = lineAt(document, "/a/0").line;
    expect(pointerAt(document, endOf(document, opener))).toBe("/a/0");
    expect(parentOf(document, endOf(document, opener))).toBe(lineAt(document, "/a").line);
  });
});

describe("marks", () => {
  const document = json({ messages: [{ parts: [1] }, { parts: [2] }] });
  const mark = (pointer: string, level: Mark["level"]): Mark => ({
    ids: [pointer],
    line: lineAt(document, pointer).line,
    level,
    code: "c",
    says: "",
    about: "",
  });
  const marks = [
    mark("/messages/0/parts", "note"),
    mark("/messages/1/parts/0", "loss"),
    mark("/messages/1/parts/0", "breaks"),
  ];

  test("each stands under its line", () => {
    const rows = rowsOf(document, new Set(), marks);
    expect(rows.filter((row) => row.mark !== undefined).map(({ line }) => pointerAt(document, line))).toStrictEqual([
      "/messages/0/parts",
      "/messages/1/parts/0",
      "/messages/1/parts/0",
    ]);
    const at = marks[2]?.line ?? 0;
    expect(rows[rowOf(rows, at, marks[2])]?.mark).toBe(marks[2]);
    expect(rows[rowOf(rows, at)]).toStrictEqual({ line: at });
  });

  test("those in a fold are counted, the gravest first", () => {
    const fold = lineAt(document, "/messages/1").line;
    expect(rowsOf(document, new Set([fold]), marks).some((row) => row.mark?.level === "loss")).toBe(false);
    const tally = tallyOf(marksBetween(marks, fold + 1, endOf(document, fold)));
    expect(tallyWords(tally)).toBe("1 break, 1 loss");
    expect(gravest(tally)).toBe("breaks");
    expect(gravest(tallyOf([]))).toBeUndefined();
  });
});

describe("searching", () => {
  const document = json({ a: "Corinth", b: ["corinth and Corinth", "Athens"], "k.y": "a+b" });
  test.each([
    ["whatever the case, each line once", "CORINTH", ["/a", "/b/0"]],
    ["keys, too", '"b"', ["/b"]],
    ["signs mean themselves", "a+b", ["/k.y"]],
    ["a dot is a dot", "k.y", ["/k.y"]],
    ["nothing for nothing", "", []],
  ])("%s", (_, words, places) => {
    expect(findLines(document, words).lines.map((line) => pointerAt(document, line))).toStrictEqual(places);
  });

  test("it stops where nobody would follow", () => {
    const found = findLines(json(Array.from({ length: 6000 }, () => "x")), "x");
    expect([found.lines.length, found.more]).toStrictEqual([5000, true]);
  });
});

describe("a line", () => {
  test("comes apart into keys, texts, numbers, words and signs, and nothing is lost", () => {
    const line = '    "a \\" b": [true, -1.5e+3, null, "x: 1"],';
    expect(
      tokensOf(line)
        .map(({ text }) => text)
        .join(""),
    ).toBe(line);
    expect(tokensOf(line).filter(({ kind }) => kind !== "sign" && kind !== "text")).toStrictEqual([
      { kind: "key", text: '"a \\" b"' },
      { kind: "word", text: "true" },
      { kind: "number", text: "-1.5e+3" },
      { kind: "word", text: "null" },
      { kind: "string", text: '"x: 1"' },
    ]);
  });

  test("keeps the digits that a number was written with", () => {
    const document = json(parseJson('{"id":12345678901234567890,"x":0.10000000000000000001}'));
    expect(lineText(document, 1)).toBe('  "id": 12345678901234567890,');
    expect(tokensOf(lineText(document, 2)).at(-1)?.text).toBe("0.10000000000000000001");
  });

  test("is clipped where it is long, never within a character, and its end is seen", () => {
    const { head, left, tail } = clipToken(`${"x".repeat(99)}${"🙂".repeat(200)}y`, 100);
    expect(head).toBe("x".repeat(99));
    expect(tail).toBe(`${"🙂".repeat(29)}y`);
    expect(left).toBe(2 * (200 - 29));
    expect(clipToken("x".repeat(200), 100)).toStrictEqual({ head: "x".repeat(200), left: 0, tail: "" });
  });

  test("of one long text is one text, whatever it holds, also where it is cut off", () => {
    const text = JSON.stringify('It is true that 42 of "null" {words} '.repeat(2000));
    expect(tokensOf(`"text": ${text},`).map(({ kind }) => kind)).toStrictEqual(["key", "sign", "string", "sign"]);
    expect(tokensOf(`"text": ${text.slice(0, 600)}`).map(({ kind }) => kind)).toStrictEqual(["key", "sign", "string"]);
    // A key may be long, too.
    expect(tokensOf(`"${"k".repeat(5000)}": {`).map(({ kind }) => kind)).toStrictEqual(["key", "sign", "sign"]);
  });

  test("is shown in steps, up to what can be drawn", () => {
    const line = JSON.stringify("x".repeat(2_000_000));
    const steps = [SHOWN_AT_FIRST];
    for (let next = nextStep(line, SHOWN_AT_FIRST); next !== undefined; next = nextStep(line, next)) steps.push(next);
    expect(steps).toStrictEqual([600, 4800, 38_400, 300_000]);
    expect(nextStep('"short"', SHOWN_AT_FIRST)).toBeUndefined();
  });

  test("is shown up to what is searched for", () => {
    const line = JSON.stringify(`${"x".repeat(3000)} Corinth ${"x".repeat(900_000)} Athens`);
    expect(shownFor(line, "corinth", SHOWN_AT_FIRST)).toBe(4800);
    expect(shownFor(line, "corinth", 38_400)).toBe(38_400);
    // Too far away to be drawn: its end is seen in any case.
    expect(shownFor(line, "athens", SHOWN_AT_FIRST)).toBe(SHOWN_AT_FIRST);
  });

  test("that is long is grown by Enter; one that opens something is folded", () => {
    const document = json({ a: "x".repeat(5000), b: [1] });
    const rows = rowsOf(document, new Set(), []);
    expect(walk("Enter", document, rows, new Set(), { line: 1 })).toStrictEqual({ expand: 1 });
    expect(walk("Enter", document, rows, new Set(), { line: 2 })).toStrictEqual({ folds: new Set([2]) });
  });
});

describe("a document", () => {
  test("is the same however its text was written", () => {
    const value = { a: [1, "x: [2]", {}], 'b"': [[], [null, true]], c: -1.5e300 };
    const compact = indexJson(stringifyJson(value));
    expect(indexJson(stringifyJson(value, 2))).toStrictEqual(compact);
    expect(compact.text).toBe(JSON.stringify(value, null, 2));
  });

  test("of a great depth is not made of spaces", () => {
    const [deep, wide] = [900, 2000];
    const text = "[".repeat(deep) + Array(wide).fill("1").join(",") + "]".repeat(deep);
    const document = indexJson(text);
    expect(lineCount(document)).toBe(2 * deep + wide);
    expect(document.text.length).toBeLessThan(100 * lineCount(document));
    expect(parseJson(document.text)).toStrictEqual(parseJson(text));
    expect(depthOf(document, deep)).toBe(deep);
    expect(lineAt(document, "/0".repeat(deep - 1) + "/7")).toStrictEqual({ line: deep + 7, exact: true });
  });

  test("is searched for a key once, however many are asked for", () => {
    const document = json(Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`key ${at}`, at])));
    expect(lineAt(document, "/key 2999")).toStrictEqual({ line: 3000, exact: true });
    expect(namedChildrenOf(document, 0)).toBe(namedChildrenOf(document, 0));
    expect(lineAt(document, "/toString").exact).toBe(false);
  });
});
