// Tests the text output: escaping, widths, wrapping, numbers, colors and progress.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatBytes, formatQuantity, formatDuration } from "../../src/cli/show/format-numbers.ts";
import { Progress } from "../../src/cli/show/progress.ts";
import { readColumns, hasColor } from "../../src/cli/show/style.ts";
import { escapeUnsafe, escapeToLine } from "../../src/cli/show/escape-unsafe.ts";
import { clipToWidth, padToWidth, measureWidth } from "../../src/cli/show/text-width.ts";
import { wrapText } from "../../src/cli/show/wrap.ts";
import type { CliIo } from "../../src/cli/io.ts";
import { codePoint } from "../support/code-points.ts";

const anyText = fc.string({ unit: codePoint });

describe("escaping", () => {
  test.each([
    ["colors", "\u001B[31mred", "\\u001b[31mred"],
    ["a window title", "\u001B]0;x\u0007", "\\u001b]0;x\\u0007"],
    ["an eight-bit control", "\u009B2J", "\\u009b2J"],
    ["a carriage return that writes over the line", "safe\revil", "safe\\revil"],
    ["a Windows line end is a line end", "a\r\nb", "a\nb"],
    ["a backspace", "a\bb", "a\\u0008b"],
    ["text with a changed direction", "\u202Egpj.exe\u2066", "\\u202egpj.exe\\u2066"],
    ["zero-width characters", "a\u200Bb\uFEFF", "a\\u200bb\\ufeff"],
    ["invisible tags", "a\u{E0041}", "a\\u{e0041}"],
    ["a lone surrogate", "a\uD83D", "a\\ud83d"],
    ["other scripts and emoji stay", "κοινή 日本 👩‍👧 ❤️", "κοινή 日本 👩‍👧 ❤️"],
  ])("%s", (_sentence, text, shown) => {
    expect(escapeUnsafe(text)).toBe(shown);
  });

  test("escaped text contains no control characters except line feed and tab, and an escaped line contains none", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(escapeUnsafe(text)).not.toMatch(/[^\P{Control}\n\t]|[\u202A-\u202E\u2066-\u2069]/u);
        expect(escapeToLine(text)).not.toMatch(/\p{Control}/u);
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
    expect(measureWidth(text)).toBe(width);
  });

  test("clipToWidth and padToWidth give the requested width", () => {
    expect(clipToWidth("a longer text", 8)).toBe("a longe…");
    expect(clipToWidth("日本語日本語", 6)).toBe("日本…");
    expect(clipToWidth("fits", 4)).toBe("fits");
    expect(padToWidth("日本", 6)).toBe("日本  ");
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
    ["list items have a hanging indent", "- one two three", 9, ["- one two", "  three"]],
    ["numbered items have a hanging indent", "10. one two three", 12, ["10. one two", "    three"]],
    ["continuation lines keep the indentation", "  let it be so", 10, ["  let it", "  be so"]],
    ["empty text", "", 20, [""]],
  ])("%s", (_sentence, text, columns, expected) => {
    expect(wrapText(text, columns)).toStrictEqual(expected);
  });

  test("no line is wider than the limit, and only spaces are lost", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), fc.integer({ min: 8, max: 40 }), (text, columns) => {
        const shown = escapeUnsafe(text);
        const wrapped = wrapText(shown, columns);
        for (const line of wrapped) expect(measureWidth(line)).toBeLessThanOrEqual(columns);
        const withoutSpaces = (each: string): string => each.replaceAll(/\s/g, "");
        expect(withoutSpaces(wrapped.join(""))).toBe(withoutSpaces(shown));
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
  expect(formatBytes(count)).toBe(text);
});

test("counts have a plural, and durations minutes", () => {
  expect([formatQuantity(1, "record"), formatQuantity(1234, "record")]).toStrictEqual(["1 record", "1,234 records"]);
  expect([formatDuration(5), formatDuration(65), formatDuration(3725)]).toStrictEqual(["0:05", "1:05", "1:02:05"]);
});

describe("colors", () => {
  test.each<[string, boolean, Record<string, string>, boolean]>([
    ["on a terminal", true, {}, true],
    ["not in a file", false, {}, false],
    ["not if NO_COLOR is set", true, { NO_COLOR: "1" }, false],
    ["an empty NO_COLOR is ignored", true, { NO_COLOR: "" }, true],
    ["always if FORCE_COLOR is set", false, { FORCE_COLOR: "1", NO_COLOR: "1" }, true],
    ["FORCE_COLOR can forbid", true, { FORCE_COLOR: "0" }, false],
    ["not on a dumb terminal", true, { TERM: "dumb" }, false],
  ])("%s", (_sentence, isTTY, env, expected) => {
    expect(hasColor({ isTTY }, env)).toBe(expected);
  });

  test("lines are as wide as the terminal, within limits", () => {
    expect(readColumns({ isTTY: true, columns: 100 }, {})).toBe(100);
    expect(readColumns({ isTTY: true, columns: 500 }, {})).toBe(120);
    expect(readColumns({}, { COLUMNS: "60" })).toBe(60);
    expect(readColumns({}, { COLUMNS: "many" })).toBe(80);
    expect(readColumns({}, {})).toBe(80);
  });
});

describe("progress", () => {
  const createProgress = (isTTY: boolean): { progress: Progress; written: string[]; pass: (ms: number) => void } => {
    const written: string[] = [];
    let now = 1000;
    // Only the members that Progress uses.
    const io = { stderr: { isTTY, columns: 80, write: (text: string) => written.push(text) }, clock: () => now };
    const progress = new Progress(io as unknown as CliIo, true);
    return { progress, written, pass: (ms) => void (now += ms) };
  };

  test("shows progress, rate and remaining time, and clears the line at the end", () => {
    const { progress, written, pass } = createProgress(true);
    progress.addSource(4_000_000);
    progress.addBytes(1_000_000);
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

  test("shows no remaining time for standard input", () => {
    const { progress, written, pass } = createProgress(true);
    progress.addSource(undefined);
    progress.addBytes(500);
    pass(500);
    progress.show(1);
    expect(written).toStrictEqual(["\r\u001B[K500 B  1 record  1.0 kB/s"]);
  });

  test("is shown only on terminals", () => {
    const { progress, written, pass } = createProgress(false);
    pass(1000);
    progress.show(1);
    progress.clear();
    expect(written).toStrictEqual([]);
  });
});
