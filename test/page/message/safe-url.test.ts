// Tests URLs and entities in messages: which may be opened, and how they are displayed.
import { expect, test } from "vitest";
import {
  isDeceptive,
  parseImageDataUrl,
  parseLinkUrl,
  parseMediaUrl,
  escapeInvisible,
} from "../../../ui/markdown/safe-url.ts";
import { decodeEntities } from "../../../ui/markdown/entities.ts";

test.each([
  ["https://example.com/a?b#c", "https://example.com/a?b#c"],
  ["HTTP://EXAMPLE.com", "http://example.com/"],
  ["mailto:a@example.com", "mailto:a@example.com"],
  ["https://ex\u0430mple.com/\u202Egnp.exe", "https://xn--exmple-4nf.com/%E2%80%AEgnp.exe"],
  ["  https://example.com\n", "https://example.com/"],
])("%j may be opened, and is normalized to %s", (text, href) => {
  expect(parseLinkUrl(text)?.href).toBe(href);
});

test.each([
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "java\tscript:alert(1)",
  "java\nscript:alert(1)",
  "\u0001javascript:alert(1)",
  " javascript:alert(1)",
  "javascript&colon;alert(1)",
  "&#106;avascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "data:text/html;base64,PHNjcmlwdD4=",
  "vbscript:msgbox(1)",
  "file:///etc/passwd",
  "blob:https://example.com/1",
  "filesystem:https://example.com/1",
  "about:blank",
  "view-source:https://example.com",
  "intent://x#Intent;end",
  "ftp://example.com",
  "//example.com",
  "/v1/threads",
  "t/1",
  "?x",
  "#x",
  "",
  "https://",
  `https://example.com/${"a".repeat(9000)}`,
])("%j may not be opened", (text) => {
  expect(parseLinkUrl(text)).toBeUndefined();
  expect(parseLinkUrl(decodeEntities(text))).toBeUndefined();
});

test("a long signed URL may be opened", () => {
  const signed = `https://bucket.example/a.png?signature=${"a".repeat(4000)}`;
  expect(parseLinkUrl(signed)?.href).toBe(signed);
});

test("media are loaded from http: and https: only", () => {
  expect(parseMediaUrl("https://example.com/a.png")?.host).toBe("example.com");
  expect(["mailto:a@b.c", "data:image/png;base64,AA", "gs://b/c", "javascript:1"].map(parseMediaUrl)).toStrictEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test.each([
  ["turned around", "a\u202Egnp.exe", "a\\u{202E}gnp.exe"],
  ["without width", "exam\u200Bple\uFEFF", "exam\\u{200B}ple\\u{FEFF}"],
  ["on several lines", "a\nb", "a\\u{A}b"],
  ["half of a sign", "a\uD800", "a\\u{D800}"],
  ["empty-looking", "\u3164", "\\u{3164}"],
  ["long", "x".repeat(500), `${"x".repeat(400)}… (100 more characters)`],
  ["usual", "Zürich 東京 👍.png", "Zürich 東京 👍.png"],
])("a name that is %s is displayed with escapes", (_, text, shown) => {
  expect(escapeInvisible(text)).toBe(shown);
});

test.each([
  ["https://good.example", "https://evil.example/", true],
  ["good.example/login", "https://evil.example/login", true],
  ["good.example", "https://good.example/deep/er", false],
  ["www.good.example", "https://www.good.example/", false],
  ["click here", "https://evil.example/", false],
  ["3.14 apples", "https://evil.example/", false],
  ["good.exa\u200Bmple", "https://evil.example/", true],
  ["good\uFF0Eexample", "https://evil.example/", true],
  ["→ good.example.", "https://evil.example/", true],
  ["Log in at https://good.example/x now", "https://evil.example/", true],
  ["Log in at good.example", "https://good.example/x", false],
  ["good.example", "https://www.good.example/", false],
  ["www.good.example", "https://good.example/", false],
  ["click here", "https://good.example@evil.example/", true],
  ["good.example", "https://good.example:pw@evil.example/", true],
  ["ann@good.example", "https://evil.example/", true],
  ["ann@good.example", "mailto:ann@good.example?subject=x", false],
  ["ann@good.example", "mailto:eve@good.example", true],
  ["good.example", "mailto:eve@evil.example", true],
  ["Write to us", "mailto:eve@evil.example", false],
  ["127.0.0.1", "https://evil.example/", true],
  ["the Node.js report.pdf", "https://evil.example/", false],
  ["good.example", "https://xn--exmple-4nf.com/", true],
])("the link text %j on a link to %s is deceptive: %s", (linkText, href, deceptive) => {
  const address = parseLinkUrl(href);
  expect(address && isDeceptive(linkText, address)).toBe(deceptive);
});

test.each([
  ["data:image/png;base64,iVBORw0KGgo=", true],
  ["data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>", true],
  ["data:image/png;base64,not base64!", false],
  ["data:text/html,<b>", false],
  ["data:image/svg+xml+html,<b>", false],
  ["data:application/xhtml+xml,<b>", false],
  ["https://example.com/a.png", false],
])("%j is an inline image that can be displayed: %s", (text, shown) => {
  expect(parseImageDataUrl(text) !== undefined).toBe(shown);
});

test.each([
  ["&amp;&lt;&gt;&quot;&nbsp;&euro;", '&<>"\u00A0€'],
  ["&#65;&#x42;&#X43;", "ABC"],
  ["&amp;lt;", "&lt;"],
  ["&unknown; &amp &#; &#xG;", "&unknown; &amp &#; &#xG;"],
  ["&#0;&#xD800;&#1114112;", "\uFFFD\uFFFD\uFFFD"],
])("entities in %j are decoded once", (text, decoded) => {
  expect(decodeEntities(text)).toBe(decoded);
});
