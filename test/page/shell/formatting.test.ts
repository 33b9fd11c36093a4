// Tests the formats of numbers, times and keys, without a browser.
import { expect, test } from "vitest";
import {
  formatBytes,
  formatCost,
  formatDate,
  formatDuration,
  formatRelative,
  formatTokens,
} from "../../../ui/kit/format.ts";
import { listKeyNames, formatKeyEvent } from "../../../ui/kit/shortcuts.ts";

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1k"],
  [1284, "1.3k"],
  [3_400_000, "3.4M"],
])("%d tokens are formatted as %s", (count, formatted) => {
  expect(formatTokens(count)).toBe(formatted);
});

test.each([
  [0, "$0"],
  [0.000_01, "<$0.0001"],
  [0.0012, "$0.0012"],
  [0.0143, "$0.014"],
  [0.5, "$0.50"],
  [1234.567, "$1,234.57"],
])("%d dollars are formatted as %s", (dollars, formatted) => {
  expect(formatCost(dollars)).toBe(formatted);
});

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1536, "1.5 kB"],
  [204_800, "205 kB"],
  [5_000_000_000_000, "5000 GB"],
])("%d bytes are formatted as %s", (bytes, formatted) => {
  expect(formatBytes(bytes)).toBe(formatted);
});

test.each([
  [412, "412 ms"],
  [1400, "1.4 s"],
  [125_000, "2 min 5 s"],
  [119_600, "2 min 0 s"],
])("%d ms are formatted as %s", (ms, formatted) => {
  expect(formatDuration(ms)).toBe(formatted);
});

const NOW = Date.parse("2026-11-16T10:24:00Z");
test.each([
  ["a moment in the future is now, clocks differ", NOW + 5000, "now"],
  ["half a minute ago", NOW - 30_000, "now"],
  ["minutes", NOW - 5 * 60_000, "5 min"],
  ["hours", NOW - 3 * 3_600_000, "3 h"],
  ["days", NOW - 2 * 86_400_000, "2 d"],
  ["the day", NOW - 60 * 86_400_000, "Sep 17"],
  ["the year if it is another one", NOW - 400 * 86_400_000, "Oct 12, 2025"],
])("an age is formatted: %s", (_, time, formatted) => {
  expect(formatRelative(new Date(time).toISOString(), NOW)).toBe(formatted);
});

test("an invalid time is shown unchanged", () => {
  expect([formatDate("soon"), formatRelative("soon", NOW)]).toStrictEqual(["soon", "soon"]);
});

const plain = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
test.each([
  ["a letter", { key: "n" }, "n"],
  ["a letter under Shift", { key: "N", shiftKey: true }, "shift+n"],
  ["a sign that is typed with Shift is itself", { key: "?", shiftKey: true }, "?"],
  ["Ctrl", { key: "k", ctrlKey: true }, "mod+k"],
  ["Cmd is the same", { key: "k", metaKey: true }, "mod+k"],
  ["a key with a name", { key: "Enter", ctrlKey: true, shiftKey: true }, "mod+shift+Enter"],
])("a key event is formatted: %s", (_, pressed, written) => {
  expect(formatKeyEvent({ ...plain, ...pressed })).toBe(written);
});

test.each([
  ["mod+k", ["Ctrl", "K"]],
  ["?", ["?"]],
  ["n", ["n"]],
  ["mod++", ["Ctrl", "+"]],
  ["ArrowDown", ["↓"]],
])("the key %s is shown with its names", (keys, names) => {
  expect(listKeyNames(keys)).toStrictEqual(names);
});
