// Tests the labels of messages and the data behind their parts: seals, media, results, code.
import type { MediaPart, Part, Seal, ToolCallPart, ToolResultPart } from "koine";
import { expect, test } from "vitest";
import { collectCitations } from "../../../ui/markdown/citations.ts";
import { canHighlight, splitSegments } from "../../../ui/markdown/code-segments.ts";
import { highlight } from "../../../ui/markdown/highlight.ts";
import {
  toDataUrl,
  toDownloadName,
  locateMedia,
  findDisplayType,
  detectMimeType,
} from "../../../ui/message/media-source.ts";
import { pairResults } from "../../../ui/message/pair-results.ts";
import { splitCodeFences } from "../../../ui/message/plain-segments.ts";
import { looksLikeJson, prettyJson } from "../../../ui/message/pretty-json.ts";
import { listUndisplayedFields } from "../../../ui/message/undisplayed-fields.ts";
import { describeFinish, readLastLine, describeOpaquePart, describeSeals } from "../../../ui/message/message-labels.ts";

const LONG = `"${"x".repeat(60)}"`;
test.each([
  [
    "digits stay",
    `{"id":12345678901234567890,"x":1.10,"y":${LONG}}`,
    `{\n  "id": 12345678901234567890,\n  "x": 1.10,\n  "y": ${LONG}\n}`,
  ],
  ["doubled keys stay", `{"a":${LONG},"a":2}`, `{\n  "a": ${LONG},\n  "a": 2\n}`],
  ["an empty list is one line", `{"a": [ ], "b":{}, "c":${LONG}}`, `{\n  "a": [],\n  "b": {},\n  "c": ${LONG}\n}`],
  ["strings stay", `["a, b: {\\"c\\\\\\"}",${LONG}]`, `[\n  "a, b: {\\"c\\\\\\"}",\n  ${LONG}\n]`],
  ["incomplete JSON is formatted as far as it goes", `{"a":${LONG},"city":"Par`, `{\n  "a": ${LONG},\n  "city": "Par`],
  [
    "a value that fits on a line stays on it",
    '{"city":"Paris","id":12345678901234567890}',
    '{"city":"Paris","id":12345678901234567890}',
  ],
])("B23: arguments are formatted from their text alone: %s", (_, text, laidOut) => {
  expect(prettyJson(text)).toBe(laidOut);
});

test("deeply nested JSON is not indented without limit", () => {
  expect(prettyJson("[".repeat(50_000)).length).toBeLessThan(60_000);
  expect([looksLikeJson(' {"a":1} '), looksLikeJson("[1]"), looksLikeJson("a {b}"), looksLikeJson("")]).toStrictEqual([
    true,
    true,
    false,
    false,
  ]);
});

const seal = (kind: string, provider?: string): Seal => ({
  dialect: "openai-responses",
  kind,
  value: "x",
  ...(provider !== undefined && { provider }),
});

test.each([
  ["one", [seal("signature", "anthropic")], "sealed by anthropic, 1 signature"],
  ["several kinds", [seal("encrypted"), seal("id"), seal("id")], "sealed by openai-responses, 1 encrypted text, 2 ids"],
  [
    "two issuers",
    [seal("signature", "a"), seal("signature", "b")],
    "sealed by a, 1 signature; sealed by b, 1 signature",
  ],
  ["an unknown kind", [seal("constructor")], "sealed by openai-responses, 1 constructor"],
  ["none", [], undefined],
])("seals are described: %s", (_, seals, description) => {
  expect(describeSeals(seals)).toBe(description);
});

test.each([
  [{ unified: "stop" }, undefined],
  [{ unified: "tool-calls" }, undefined],
  [{ unified: "length", raw: "max_tokens" }, "cut off at the token limit"],
  [{ unified: "other", raw: "blocked\u202E" }, "ended for another reason: blocked\\u{202E}"],
] as const)("the finish reason %j is described as %s", (finish, description) => {
  expect(describeFinish(finish)).toBe(description);
});

test("opaque parts and the last line of reasoning are described", () => {
  expect(describeOpaquePart({ dialect: "anthropic", value: { type: "foo" } })).toBe(
    "Block “foo” of anthropic, stored unchanged",
  );
  expect(describeOpaquePart({ dialect: "gemini", value: 3 })).toBe("Block of gemini, stored unchanged");
  expect(readLastLine("first\nsecond line\n\n")).toBe("second line");
  expect(readLastLine("x".repeat(500), 10)).toBe(`…${"x".repeat(10)}`);
});

test("citations get one number per source, at the end of their spans", () => {
  const url = "https://example.com/a";
  const { positions, sources } = collectCitations("One. Two. Three.", [
    { kind: "url", url, title: "A", span: { start: 0, end: 4 }, citedText: "first" },
    { kind: "url", url: "javascript:alert(1)", title: "B", span: { start: 5, end: 9 } },
    { kind: "url", url, title: "A", span: { start: 10, end: 16 }, citedText: "second" },
    { kind: "file", fileId: "f", span: { start: 90, end: 99 } },
  ]);
  expect(positions).toStrictEqual([
    { offset: 4, numbers: [1] },
    { offset: 9, numbers: [2] },
    { offset: 16, numbers: [1] },
  ]);
  expect(sources.map(({ title, href, citedTexts }) => [title, href, citedTexts])).toStrictEqual([
    ["A", url, ["first", "second"]],
    ["B", undefined, []],
    ["f", undefined, []],
  ]);
});

test("fenced text is code, and everything else stays as written", () => {
  expect(splitCodeFences("a\n```ts\nb\n\nc\n```\n  d")).toStrictEqual([
    { kind: "text", text: "a", language: "" },
    { kind: "code", text: "b\n\nc", language: "ts" },
    { kind: "text", text: "  d", language: "" },
  ]);
  expect(splitCodeFences('a\n```ts title="x.ts"\nb\n```\nc').map(({ kind, text }) => [kind, text])).toStrictEqual([
    ["text", "a"],
    ["code", "b"],
    ["text", "c"],
  ]);
  expect(splitCodeFences("``` a ``` b").map(({ kind }) => kind)).toStrictEqual(["text"]);
  expect(splitCodeFences("a\n```ts\nb")).toStrictEqual([
    { kind: "text", text: "a", language: "" },
    { kind: "text", text: "```ts\nb", language: "" },
  ]);
});

test("a result is paired with its call by id; the first one wins, and none is lost", () => {
  const call = (toolCallId: string): ToolCallPart => ({ type: "tool-call", toolCallId, toolName: "look", input: {} });
  const result = (toolCallId: string, output: string): ToolResultPart => ({
    type: "tool-result",
    toolCallId,
    toolName: "look",
    isError: false,
    output,
  });
  const calls = [call("a"), call("b"), call("b")];
  const given = [result("b", "1"), result("a", "2"), result("a", "3"), result("b", "4"), result("c", "5")];
  const { results, paired, duplicates } = pairResults(calls, [{ parts: given.slice(0, 2) }, { parts: given.slice(2) }]);
  expect(calls.map((each) => results.get(each)?.output)).toStrictEqual(["2", "1", "4"]);
  expect(given.map((each) => [paired.has(each), duplicates.has(each)])).toStrictEqual([
    [true, false],
    [true, false],
    [false, true],
    [true, false],
    [false, false],
  ]);
});

test("fields that are displayed nowhere else are collected under their names", () => {
  const text: Part = { type: "text", text: "Hi", cache: {}, seals: [seal("id")] };
  expect(listUndisplayedFields({ role: "user", name: "Ann", parts: [{ type: "text", text: "Hi" }] })).toBeUndefined();
  const metadata = { model: "m", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, colour: "blue" };
  expect(
    listUndisplayedFields({ role: "assistant", name: "Ann", parts: [text], extra: { gemini: { a: 1 } }, metadata }),
  ).toStrictEqual({
    name: "Ann",
    extra: { gemini: { a: 1 } },
    metadata: { colour: "blue" },
    parts: { "0 text": { cache: {}, seals: [seal("id")] } },
  });
});

const PNG = "iVBORw0KGgoAAAANSUhEUg==";
test.each<[string, MediaPart, ReturnType<typeof locateMedia>["at"], string | undefined]>([
  ["a picture", { type: "image", data: PNG, mimeType: "image/png" }, "data", "image/png"],
  ["a picture of unknown type", { type: "image", data: PNG }, "data", "image/png"],
  ["a data URL", { type: "image", url: `data:image/gif;base64,${PNG}` }, "data", "image/gif"],
  ["HTML that is declared as an image", { type: "image", data: PNG, mimeType: "text/html" }, "data", undefined],
  ["a type with a hook in it", { type: "image", data: PNG, mimeType: 'image/png" onerror="x' }, "data", undefined],
  ["an SVG as a file", { type: "file", data: PNG, mimeType: "image/svg+xml" }, "data", undefined],
  ["a blob", { type: "audio", blob: "b", mimeType: "audio/wav; codecs=1" }, "blob", "audio/wav"],
  ["a PDF", { type: "file", blob: "b", mimeType: "application/pdf" }, "blob", undefined],
  ["a file of a provider", { type: "file", fileId: "f" }, "elsewhere", undefined],
])("%s is displayed only as a safe type", (_, part, at, type) => {
  expect(locateMedia(part).at).toBe(at);
  expect(findDisplayType(part)).toBe(type);
});

test("a percent-encoded data URL is decoded to bytes", () => {
  const place = locateMedia({ type: "file", url: "data:text/html;charset=utf-8,%3Cb%3E100%\u00E9" });
  expect(place.at === "data" && Buffer.from(place.data, "base64").toString()).toBe("<b>100%\u00E9");
});

test("files are saved under names without paths", () => {
  const name = (given: string): string => toDownloadName({ type: "file", data: "", name: given });
  expect(name("../../etc/passwd")).toBe("_.._etc_passwd");
  expect(name("a\u202Egnp.exe")).toBe("a_u{202E}gnp.exe");
  expect(toDownloadName({ type: "image", data: PNG })).toBe("image.png");
  expect(detectMimeType({ type: "file", data: "JVBERi0xLjc" })).toBe("application/pdf");
  expect(toDataUrl("not base64 at all", "image/png")).toBeUndefined();
});

test("long code is split into segments, and data is not highlighted", () => {
  const code = "function a() {\n  return 1;\n}\n\n".repeat(2000);
  const segments = splitSegments(code);
  expect(segments.join("\n")).toBe(code);
  expect(Math.max(...segments.map(({ length }) => length))).toBeLessThan(9000);
  expect([canHighlight("a\nb"), canHighlight("x".repeat(5000)), canHighlight("a\n".repeat(60_000))]).toStrictEqual([
    true,
    false,
    false,
  ]);
});

test("code is split into highlighted spans, and slow code stays plain", () => {
  const code = 'const a = "b"; // c';
  const stretches = highlight(code, "ts") ?? [];
  expect(stretches.map(({ text }) => text).join("")).toBe(code);
  expect(stretches.filter(({ kind }) => kind !== "").map(({ kind }) => kind)).toStrictEqual([
    "keyword",
    "string",
    "comment",
  ]);
  expect(highlight("x", "no-such-language")).toBeUndefined();
  let time = 0;
  expect(highlight("a b ".repeat(1000), "c", () => (time += 1000))).toBeUndefined();
});
