// Tests hostile content in a real browser, in every role and part: no script runs, no resource loads, and no link deceives.
import type { BrowserContext, Page } from "playwright-core";
import { expect, test } from "vitest";
import type { LocalProvider } from "../../../src/client/index.ts";
import type { Annotation, Message, Part } from "../../../src/model/index.ts";
import {
  HOSTILE_URLS,
  EXPENSIVE_TEXTS,
  createLinks,
  HOSTILE_NAME,
  HOSTILE_SVG,
  HOSTILE_TAGS,
} from "./hostile-payloads.ts";
import { type OpenPage, openPage } from "../support/open-page.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const TEXT = [...HOSTILE_TAGS, ...HOSTILE_URLS.map((address, at) => createLinks(address, `name${at}`))].join("\n\n");
const SVG_URL = `data:image/svg+xml;base64,${base64(HOSTILE_SVG)}`;

/** Creates one part of every kind, with hostile text in every field. */
function createHostileParts(): Part[] {
  const annotations: Annotation[] = HOSTILE_URLS.map((url) => ({
    kind: "url",
    url,
    title: HOSTILE_NAME,
    citedText: HOSTILE_TAGS.join(""),
    span: { start: 0, end: 4 },
  }));
  const media = { name: HOSTILE_NAME, mimeType: 'image/png" onerror="window.__hacked=1' };
  return [
    { type: "text", text: TEXT },
    { type: "text", text: `${HOSTILE_TAGS[0]} cited`, annotations, logprobs: [{ token: HOSTILE_NAME, logprob: -1 }] },
    { type: "text", text: `![x](${SVG_URL})\n\n![y](data:image/svg+xml,${encodeURIComponent(HOSTILE_SVG)})` },
    {
      type: "reasoning",
      text: TEXT,
      seals: [{ dialect: HOSTILE_NAME, provider: HOSTILE_NAME, kind: HOSTILE_NAME, value: HOSTILE_NAME }],
    },
    { type: "refusal", text: TEXT },
    { type: "tool-call", toolCallId: "1", toolName: HOSTILE_NAME, input: { [HOSTILE_NAME]: TEXT }, tool: HOSTILE_NAME },
    { type: "tool-call", toolCallId: "2", toolName: "constructor", input: TEXT, inputText: TEXT, invalid: true },
    { type: "opaque", dialect: HOSTILE_NAME, value: { type: HOSTILE_NAME, html: TEXT } },
    { type: "image", data: base64(HOSTILE_SVG), mimeType: "image/svg+xml", name: HOSTILE_NAME },
    { type: "image", url: SVG_URL },
    { type: "image", data: base64(TEXT), ...media },
    { type: "image", data: "not base64 <script>", mimeType: "image/png" },
    { type: "audio", data: base64(TEXT), mimeType: "text/html", transcript: TEXT },
    { type: "video", data: base64(TEXT), mimeType: "video/mp4" },
    { type: "file", data: base64(TEXT), mimeType: "text/html", name: HOSTILE_NAME },
    { type: "file", text: TEXT, mimeType: "text/html", name: HOSTILE_NAME },
    { type: "file", content: [{ type: "text", text: TEXT }], name: HOSTILE_NAME },
    { type: "file", fileId: HOSTILE_NAME, issuer: { dialect: HOSTILE_NAME, provider: HOSTILE_NAME } },
    { type: "file", path: HOSTILE_NAME },
    ...HOSTILE_URLS.flatMap((url): Part[] => [
      { type: "image", url },
      { type: "video", url },
      { type: "file", url, name: HOSTILE_NAME },
    ]),
  ];
}

const RESULTS: Part[] = [
  {
    type: "tool-result",
    toolCallId: "1",
    toolName: HOSTILE_NAME,
    isError: false,
    output: TEXT,
    content: createHostileParts().slice(0, 3),
  },
  { type: "tool-result", toolCallId: "2", toolName: HOSTILE_NAME, isError: true, output: { [HOSTILE_NAME]: TEXT } },
];

const MESSAGES: Message[] = [
  { role: "system", parts: [{ type: "text", text: TEXT }] },
  { role: "developer", parts: [{ type: "text", text: TEXT }], name: HOSTILE_NAME },
  {
    role: "user",
    parts: createHostileParts().filter(
      ({ type }) => !type.startsWith("tool") && type !== "reasoning" && type !== "refusal",
    ),
    name: HOSTILE_NAME,
  },
  {
    role: "assistant",
    parts: createHostileParts(),
    name: HOSTILE_NAME,
    metadata: {
      model: HOSTILE_NAME,
      provider: HOSTILE_NAME,
      finishReason: { unified: "other", raw: HOSTILE_NAME },
      invalidToolCalls: [{ toolCallId: "2", reason: HOSTILE_NAME }],
    },
  },
  { role: "tool", parts: RESULTS },
];

/** A model that fails with a hostile message. */
const FAILING: LocalProvider = {
  models: ["failing"],
  // oxlint-disable-next-line require-yield -- It fails before its first delta.
  answer: async function* () {
    throw new Error(HOSTILE_TAGS.join(" "));
  },
};

interface SecurityObserver {
  dialogs: string[];
  violations: () => Promise<string[]>;
}

/** Records dialogs and policy violations from the start. */
async function observeSecurity(context: BrowserContext, page: Page): Promise<SecurityObserver> {
  const dialogs: string[] = [];
  context.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await context.addInitScript(() => {
    const violations = ((globalThis as { violations?: string[] }).violations ??= []);
    document.addEventListener("securitypolicyviolation", (event) =>
      violations.push(`${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  return {
    dialogs,
    violations: () => page.evaluate(() => (globalThis as { violations?: string[] }).violations ?? ["no one looked"]),
  };
}

async function assertNothingExecuted(
  { page, externalRequests, pageErrors }: OpenPage,
  security: SecurityObserver,
): Promise<void> {
  expect(await page.evaluate(() => "__hacked" in globalThis)).toBe(false);
  expect(await security.violations()).toStrictEqual([]);
  expect([security.dialogs, externalRequests, pageErrors]).toStrictEqual([[], [], []]);
  // Every element of the page was created by the page.
  const made = await page.evaluate(() => ({
    scripts: document.querySelectorAll(
      "#page :is(script, style, link, base, meta, object, embed, form[action], iframe)",
    ).length,
    handlers: [...document.querySelectorAll("*")]
      .flatMap((each) => each.getAttributeNames())
      .filter((name) => name.startsWith("on")),
    sources: [...document.querySelectorAll("[src], [srcset], [poster]")].map((each) =>
      (each.getAttribute("src") ?? "other").slice(0, 5),
    ),
    links: [...document.querySelectorAll("#page article a[href]")].map((each) => each.getAttribute("href") ?? ""),
  }));
  expect(made).toMatchObject({ scripts: 0, handlers: [] });
  expect(made.sources.filter((source) => !["data:", "blob:", "/asse"].includes(source))).toStrictEqual([]);
  expect(
    made.links.filter((href) => !/^(?:https?:\/\/|mailto:)/.test(href) || /[^\x20-\x7e]/.test(href)),
  ).toStrictEqual([]);
}

/** Opens all collapsed sections. */
async function openFolds(page: Page): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await page.evaluate(() => {
      for (const fold of document.querySelectorAll<HTMLElement>("article details:not([open]) > summary")) fold.click();
    });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))));
  }
}

test("hostile content in a conversation neither runs, nor loads, nor hides its target", async () => {
  await using opened = await openPage({
    config: { providers: { test: FAILING } },
  });
  const { page, koine, context, externalRequests, pageErrors } = opened;
  const security = await observeSecurity(context, page);
  const { id } = await koine.ledger.createThread({ title: HOSTILE_NAME }, { messages: MESSAGES });
  await page.goto(`/t/${id}`);
  await page.getByRole("article").nth(3).getByText("The model refused").waitFor();
  await openFolds(page);
  await page.getByText("<base href=", { exact: false }).first().waitFor();
  expect(await page.getByRole("article").count()).toBe(4);
  await assertNothingExecuted(opened, security);

  // Invisible characters of a name are escaped.
  expect(await page.getByText("\\u{202E}gnp.exe", { exact: false }).count()).toBeGreaterThan(5);
  // A link opens exactly the shown URL.
  const link = page.getByRole("article").last().getByRole("link", { name: "name16", exact: true });
  const shown = await link.first().getAttribute("data-address");
  expect(shown).toBe("https://evil.example/%E2%80%AEgnp.exe");
  const popup = context.waitForEvent("page");
  await link.first().press("Enter");
  expect(await (await popup).evaluate(() => globalThis.opener)).toBeNull();
  expect(externalRequests).toStrictEqual([shown]);
  externalRequests.length = 0;
  pageErrors.length = 0;

  // An error message is shown as text.
  const failed = await fetch(`${koine.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "test/failing", messages: [{ role: "user", content: HOSTILE_TAGS.join("\n") }] }),
  });
  expect(failed.ok).toBe(false);
  await page.goto(`/t/${failed.headers.get("x-koine-thread")}`);
  await page.getByRole("article").first().getByText("<base href=", { exact: false }).waitFor();
  await page.getByRole("article", { name: "No answer" }).getByText("<base href=", { exact: false }).waitFor();
  await assertNothingExecuted(opened, security);
});

test("content that nests deeply or is expensive to parse is shown, as text beyond a limit", async () => {
  await using opened = await openPage();
  const { page, koine, context } = opened;
  const security = await observeSecurity(context, page);
  const messages: Message[] = [
    { role: "assistant", parts: EXPENSIVE_TEXTS.map((text, at) => ({ type: "text", text: `SEEN ${at}\n\n${text}` })) },
  ];
  const { id } = await koine.ledger.createThread({ title: "Deep" }, { messages });
  await page.goto(`/t/${id}`);
  const seen = EXPENSIVE_TEXTS.map((_, at) => `SEEN ${at}`);
  // Polls the text: locating every element repeatedly would take longer than the page.
  const looks = { polling: 100, timeout: 60_000 };
  await page.waitForFunction((all) => all.every((text) => document.body.textContent.includes(text)), seen, looks);
  const { depth, count } = await page.evaluate(() => {
    let [depth, count] = [0, 0];
    for (const each of document.querySelectorAll("article *")) {
      count += 1;
      let above = 0;
      for (let up: Element | null = each; up !== null && up.tagName !== "ARTICLE"; up = up.parentElement) above += 1;
      depth = Math.max(depth, above);
    }
    return { depth, count };
  });
  expect(depth).toBeLessThan(80);
  expect(count).toBeLessThan(20_000);
  expect(await security.violations()).toStrictEqual([]);
});

test("a message of a megabyte shows its beginning, and everything on request", async () => {
  await using opened = await openPage();
  const { page, koine } = opened;
  const text = `# Begin\n\n${`${"Some **words** of a long answer. ".repeat(60)}\n\n`.repeat(520)}THE END`;
  expect(text.length).toBeGreaterThan(1_000_000);
  const messages: Message[] = [{ role: "assistant", parts: [{ type: "text", text }] }];
  const { id } = await koine.ledger.createThread({ title: "Long" }, { messages });
  await page.goto(`/t/${id}`);
  const more = page.getByRole("button", { name: /^Show all \(\d+ kB more\)$/ });
  await more.waitFor();
  expect(await page.locator("article p").count()).toBeLessThan(100);
  await more.click();
  const looks = { polling: 100, timeout: 60_000 };
  await page.waitForFunction(() => document.querySelectorAll("article p").length > 520, undefined, looks);
  expect(await page.evaluate(() => [...document.querySelectorAll("article p")].at(-1)?.textContent)).toBe("THE END");
});
