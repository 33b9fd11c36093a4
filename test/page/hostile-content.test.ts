// Hostile content in a real browser, in every role and part that can hold some: nothing of it runs, nothing is loaded, and
// nothing leads elsewhere than it says.
import type { BrowserContext, Page } from "playwright-core";
import { expect, test } from "vitest";
import type { LocalProvider } from "../../src/client/index.ts";
import type { Annotation, Message, Part } from "../../src/model/index.ts";
import { ADDRESSES, DEEP, linksTo, NAME, SVG, TAGS } from "./hostile-payloads.ts";
import { type OpenPage, openPage } from "./support/open-page.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const TEXT = [...TAGS, ...ADDRESSES.map((address, at) => linksTo(address, `name${at}`))].join("\n\n");
const SVG_URL = `data:image/svg+xml;base64,${base64(SVG)}`;

/** A part of every kind, hostile wherever a text can be. */
function parts(): Part[] {
  const annotations: Annotation[] = ADDRESSES.map((url) => ({
    kind: "url",
    url,
    title: NAME,
    citedText: TAGS.join(""),
    span: { start: 0, end: 4 },
  }));
  const media = { name: NAME, mimeType: 'image/png" onerror="window.__hacked=1' };
  return [
    { type: "text", text: TEXT },
    { type: "text", text: `${TAGS[0]} cited`, annotations, logprobs: [{ token: NAME, logprob: -1 }] },
    { type: "text", text: `![x](${SVG_URL})\n\n![y](data:image/svg+xml,${encodeURIComponent(SVG)})` },
    { type: "reasoning", text: TEXT, seals: [{ dialect: NAME, provider: NAME, kind: NAME, value: NAME }] },
    { type: "refusal", text: TEXT },
    { type: "tool-call", toolCallId: "1", toolName: NAME, input: { [NAME]: TEXT }, tool: NAME },
    { type: "tool-call", toolCallId: "2", toolName: "constructor", input: TEXT, inputText: TEXT, invalid: true },
    { type: "opaque", dialect: NAME, value: { type: NAME, html: TEXT } },
    { type: "image", data: base64(SVG), mimeType: "image/svg+xml", name: NAME },
    { type: "image", url: SVG_URL },
    { type: "image", data: base64(TEXT), ...media },
    { type: "image", data: "not base64 <script>", mimeType: "image/png" },
    { type: "audio", data: base64(TEXT), mimeType: "text/html", transcript: TEXT },
    { type: "video", data: base64(TEXT), mimeType: "video/mp4" },
    { type: "file", data: base64(TEXT), mimeType: "text/html", name: NAME },
    { type: "file", text: TEXT, mimeType: "text/html", name: NAME },
    { type: "file", content: [{ type: "text", text: TEXT }], name: NAME },
    { type: "file", fileId: NAME, issuer: { dialect: NAME, provider: NAME } },
    { type: "file", path: NAME },
    ...ADDRESSES.flatMap((url): Part[] => [
      { type: "image", url },
      { type: "video", url },
      { type: "file", url, name: NAME },
    ]),
  ];
}

const RESULTS: Part[] = [
  { type: "tool-result", toolCallId: "1", toolName: NAME, isError: false, output: TEXT, content: parts().slice(0, 3) },
  { type: "tool-result", toolCallId: "2", toolName: NAME, isError: true, output: { [NAME]: TEXT } },
];

const MESSAGES: Message[] = [
  { role: "system", parts: [{ type: "text", text: TEXT }] },
  { role: "developer", parts: [{ type: "text", text: TEXT }], name: NAME },
  {
    role: "user",
    parts: parts().filter(({ type }) => !type.startsWith("tool") && type !== "reasoning" && type !== "refusal"),
    name: NAME,
  },
  {
    role: "assistant",
    parts: parts(),
    name: NAME,
    metadata: {
      model: NAME,
      provider: NAME,
      finishReason: { unified: "other", raw: NAME },
      invalidToolCalls: [{ toolCallId: "2", reason: NAME }],
    },
  },
  { role: "tool", parts: RESULTS },
];

/** A model that fails with a hostile word. */
const FAILING: LocalProvider = {
  models: ["failing"],
  // oxlint-disable-next-line require-yield -- It fails before its first word.
  answer: async function* () {
    throw new Error(TAGS.join(" "));
  },
};

interface Caught {
  dialogs: string[];
  violations: () => Promise<string[]>;
}

/** Writes down what must not happen, from the first moment on. */
async function lieInWait(context: BrowserContext, page: Page): Promise<Caught> {
  const dialogs: string[] = [];
  context.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await context.addInitScript(() => {
    const kept = ((globalThis as { violations?: string[] }).violations ??= []);
    document.addEventListener("securitypolicyviolation", (event) =>
      kept.push(`${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  return {
    dialogs,
    violations: () => page.evaluate(() => (globalThis as { violations?: string[] }).violations ?? ["no one looked"]),
  };
}

async function expectNothing({ page, strayed, complaints }: OpenPage, caught: Caught): Promise<void> {
  expect(await page.evaluate(() => "__hacked" in globalThis)).toBe(false);
  expect(await caught.violations()).toStrictEqual([]);
  expect([caught.dialogs, strayed, complaints]).toStrictEqual([[], [], []]);
  // Whatever stands in the page was made by the page.
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

/** Opens every fold that is closed. */
async function openFolds(page: Page): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await page.evaluate(() => {
      for (const fold of document.querySelectorAll<HTMLElement>("article details:not([open]) > summary")) fold.click();
    });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))));
  }
}

test("whatever a conversation holds, nothing of it runs, loads or hides where it leads", async () => {
  await using opened = await openPage({
    config: { providers: { test: FAILING } },
  });
  const { page, koine, context, strayed, complaints } = opened;
  const caught = await lieInWait(context, page);
  const { id } = await koine.ledger.createThread({ title: NAME }, { messages: MESSAGES });
  await page.goto(`/t/${id}`);
  await page.getByRole("article").nth(3).getByText("The model refused").waitFor();
  await openFolds(page);
  await page.getByText("<base href=", { exact: false }).first().waitFor();
  expect(await page.getByRole("article").count()).toBe(4);
  await expectNothing(opened, caught);

  // A name is shown with everything in it that one would not see.
  expect(await page.getByText("\\u{202E}gnp.exe", { exact: false }).count()).toBeGreaterThan(5);
  // A link opens what it shows, and nothing else.
  const link = page.getByRole("article").last().getByRole("link", { name: "name16", exact: true });
  const shown = await link.first().getAttribute("data-address");
  expect(shown).toBe("https://evil.example/%E2%80%AEgnp.exe");
  const popup = context.waitForEvent("page");
  await link.first().press("Enter");
  expect(await (await popup).evaluate(() => globalThis.opener)).toBeNull();
  expect(strayed).toStrictEqual([shown]);
  strayed.length = 0;
  complaints.length = 0;

  // An error is shown as its words.
  const failed = await fetch(`${koine.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "test/failing", messages: [{ role: "user", content: TAGS.join("\n") }] }),
  });
  expect(failed.ok).toBe(false);
  await page.goto(`/t/${failed.headers.get("x-koine-thread")}`);
  await page.getByRole("article").first().getByText("<base href=", { exact: false }).waitFor();
  await page.getByRole("article", { name: "No answer" }).getByText("<base href=", { exact: false }).waitFor();
  await expectNothing(opened, caught);
});

test("content that was written to nest deep or take long is shown, as text where it goes too far", async () => {
  await using opened = await openPage();
  const { page, koine, context } = opened;
  const caught = await lieInWait(context, page);
  const messages: Message[] = [
    { role: "assistant", parts: DEEP.map((text, at) => ({ type: "text", text: `SEEN ${at}\n\n${text}` })) },
  ];
  const { id } = await koine.ledger.createThread({ title: "Deep" }, { messages });
  await page.goto(`/t/${id}`);
  const seen = DEEP.map((_, at) => `SEEN ${at}`);
  // A look at every element, again and again, would take longer than the page does.
  const looks = { polling: 100, timeout: 60_000 };
  await page.waitForFunction((all) => all.every((words) => document.body.textContent.includes(words)), seen, looks);
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
  expect(await caught.violations()).toStrictEqual([]);
});

test("a message of a megabyte shows its beginning, and all of it when it is asked for", async () => {
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
