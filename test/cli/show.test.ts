// What a person sees: nothing that fools a terminal, lines that fit, numbers that read well, colours only where wanted.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytes, counted, duration } from "../../src/cli/show/numbers.ts";
import { Progress } from "../../src/cli/show/progress.ts";
import { columnsOf, hasColour } from "../../src/cli/show/style.ts";
import { visible, visibleLine } from "../../src/cli/show/visible.ts";
import { clipTo, padTo, widthOf } from "../../src/cli/show/width.ts";
import { wrap } from "../../src/cli/show/wrap.ts";
import type { CliIo } from "../../src/cli/io.ts";
import { codePoint } from "../support/code-points.ts";

const anyText = fc.string({ unit: codePoint });

describe("foreign text", () => {
  test.each([
    ["colours", "\u001B[31mred", "\\u001b[31mred"],
    ["a title of the window", "\u001B]0;x\u0007", "\\u001b]0;x\\u0007"],
    ["an eight-bit control", "\u009B2J", "\\u009b2J"],
    ["a carriage return that writes over the line", "safe\revil", "safe\\revil"],
    ["a Windows line end is a line end", "a\r\nb", "a\nb"],
    ["a backspace", "a\bb", "a\\u0008b"],
    ["text that runs backwards", "\u202Egpj.exe\u2066", "\\u202egpj.exe\\u2066"],
    ["nothing that is something", "a\u200Bb\uFEFF", "a\\u200bb\\ufeff"],
    ["invisible tags", "a\u{E0041}", "a\\u{e0041}"],
    ["half a character", "a\uD83D", "a\\ud83d"],
    ["other scripts and emoji stay", "κοινή 日本 👩‍👧 ❤️", "κοινή 日本 👩‍👧 ❤️"],
  ])("%s", (_sentence, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test("no control character but line feed and tab is left of any text, and none at all on a line", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(visible(text)).not.toMatch(/[^\P{Control}\n\t]|[\u202A-\u202E\u2066-\u2069]/u);
        expect(visibleLine(text)).not.toMatch(/\p{Control}/u);
      }),
    );
  });
});

describe("width", () => {
  test.each([
    ["plain", 5],
    ["κοινή", 5],
    ["日本語", 6],
    ["ｆｕｌｌ", 8],
    ["한국", 4],
    ["👍", 2],
    ["👩‍👩‍👧‍👦", 2],
    ["👍🏽", 2],
    ["🇬🇷", 2],
    ["❤️", 2],
    ["e\u0301", 1],
    ["a\u200D", 1],
    ["", 0],
  ])("%s takes %i columns", (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  test("clipped and padded texts are as wide as they should be", () => {
    expect(clipTo("a longer text", 8)).toBe("a longe…");
    expect(clipTo("日本語日本語", 6)).toBe("日本…");
    expect(clipTo("fits", 4)).toBe("fits");
    expect(padTo("日本", 6)).toBe("日本  ");
  });
});

describe("wrapping", () => {
  test.each([
    ["at spaces", "one two three", 9, ["one two", "three"]],
    ["line breaks stay", "one\n\ntwo", 20, ["one", "", "two"]],
    ["indentation stays", "  code here", 20, ["  code here"]],
    ["a word that is too long", "abcdefghijkl", 8, ["abcdefgh", "ijkl"]],
    ["wide characters", "日本語日本語", 8, ["日本語日", "本語"]],
    ["a tab", "\ta", 20, ["    a"]],
    ["items of a list hang", "- one two three", 9, ["- one two", "  three"]],
    ["numbered ones, too", "10. one two three", 12, ["10. one two", "    three"]],
    ["code goes on where it began", "  let it be so", 10, ["  let it", "  be so"]],
    ["nothing", "", 20, [""]],
  ])("%s", (_sentence, text, columns, expected) => {
    expect(wrap(text, columns)).toStrictEqual(expected);
  });

  test("no line is wider than asked, and nothing but spaces is lost", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), fc.integer({ min: 8, max: 40 }), (text, columns) => {
        const shown = visible(text);
        const wrapped = wrap(shown, columns);
        for (const line of wrapped) expect(widthOf(line)).toBeLessThanOrEqual(columns);
        const bare = (each: string): string => each.replaceAll(/\s/g, "");
        expect(bare(wrapped.join(""))).toBe(bare(shown));
      }),
    );
  });
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1500, "1.5 kB"],
  [123_456_789, "123 MB"],
  [1_000_000_000, "1.0 GB"],
])("%i bytes are %s", (count, text) => {
  expect(bytes(count)).toBe(text);
});

test("counts have a plural, and durations minutes", () => {
  expect([counted(1, "record"), counted(1234, "record")]).toStrictEqual(["1 record", "1,234 records"]);
  expect([duration(5), duration(65), duration(3725)]).toStrictEqual(["0:05", "1:05", "1:02:05"]);
});

describe("colours", () => {
  test.each<[string, boolean, Record<string, string>, boolean]>([
    ["on a terminal", true, {}, true],
    ["not in a file", false, {}, false],
    ["not where NO_COLOR is set", true, { NO_COLOR: "1" }, false],
    ["an empty NO_COLOR says nothing", true, { NO_COLOR: "" }, true],
    ["wherever FORCE_COLOR is set", false, { FORCE_COLOR: "1", NO_COLOR: "1" }, true],
    ["FORCE_COLOR can forbid", true, { FORCE_COLOR: "0" }, false],
    ["not on a dumb terminal", true, { TERM: "dumb" }, false],
  ])("%s", (_sentence, isTTY, env, expected) => {
    expect(hasColour({ isTTY }, env)).toBe(expected);
  });

  test("lines are as wide as the terminal, within reason", () => {
    expect(columnsOf({ isTTY: true, columns: 100 }, {})).toBe(100);
    expect(columnsOf({ isTTY: true, columns: 500 }, {})).toBe(120);
    expect(columnsOf({}, { COLUMNS: "60" })).toBe(60);
    expect(columnsOf({}, { COLUMNS: "many" })).toBe(80);
    expect(columnsOf({}, {})).toBe(80);
  });
});

describe("progress", () => {
  const watch = (isTTY: boolean): { progress: Progress; written: string[]; pass: (ms: number) => void } => {
    const written: string[] = [];
    let now = 1000;
    // Only what progress looks at.
    const io = { stderr: { isTTY, columns: 80, write: (text: string) => written.push(text) }, clock: () => now };
    const progress = new Progress(io as unknown as CliIo, true);
    return { progress, written, pass: (ms) => void (now += ms) };
  };

  test("says how far it is, how fast, and what is left; then the line goes away", () => {
    const { progress, written, pass } = watch(true);
    progress.begin(4_000_000);
    progress.bytes(1_000_000);
    progress.show(10);
    pass(1000);
    progress.show(1234);
    progress.show(1235);
    progress.clear();
    progress.clear();
    expect(written).toStrictEqual([
      "\r\u001B[K1.0 MB of 4.0 MB  25 %  1,234 records  1.0 MB/s  0:03 left",
      "\r\u001B[K",
    ]);
  });

  test("of standard input nobody knows the end", () => {
    const { progress, written, pass } = watch(true);
    progress.begin(undefined);
    progress.bytes(500);
    pass(500);
    progress.show(1);
    expect(written).toStrictEqual(["\r\u001B[K500 B  1 record  1.0 kB/s"]);
  });

  test("is on terminals only", () => {
    const { progress, written, pass } = watch(false);
    pass(1000);
    progress.show(1);
    progress.clear();
    expect(written).toStrictEqual([]);
  });
});
