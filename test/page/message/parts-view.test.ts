// Tests messages in a real browser: every kind of part, complete and streaming, and remote media.
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { LocalProvider } from "../../../src/client/index.ts";
import type { Delta, Message, Part } from "../../../src/model/index.ts";
import { openPage } from "../support/open-page.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Creates an image that is large enough for the ledger to store it as a blob. */
function createBitmap(side: number): string {
  const bytes = Buffer.alloc(54 + side * side * 3, 0x7f);
  bytes.write("BM", 0);
  for (const [at, value] of Object.entries({ 2: bytes.length, 10: 54, 14: 40, 18: side, 22: side })) {
    bytes.writeUInt32LE(value, Number(at));
  }
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  bytes.fill(0, 30, 34);
  return bytes.toString("base64");
}

const BIG_SEAT = '{"seat":12345678901234567890}';
const SEAL = { dialect: "anthropic", provider: "anthropic", kind: "signature", value: "c2VhbA==" };
const CITED = "The ferry leaves at nine. Nobody knows why.";

const PARTS: Part[] = [
  { type: "reasoning", text: "The harbour is small.", seals: [SEAL] },
  {
    type: "text",
    text: "# Plan\n\n1. Go **now**\n2. Pay `12` drachmas\n\n- [x] packed\n\n| a | b |\n|---|--:|\n| left | 7 |",
  },
  {
    type: "text",
    text: CITED,
    annotations: [
      {
        kind: "url",
        url: "https://ferry.example/times",
        title: "Timetable",
        span: { start: 0, end: 25 },
        citedText: "09:00",
      },
      { kind: "url", url: "javascript:alert(1)", title: "A rumour", span: { start: 26, end: CITED.length } },
    ],
    logprobs: [{ token: "The", logprob: -0.105 }],
  },
  {
    type: "tool-call",
    toolCallId: "c1",
    toolName: "book",
    input: JSON.parse(BIG_SEAT),
    inputText: BIG_SEAT,
  },
  { type: "tool-call", toolCallId: "c2", toolName: "cut_off", input: '{"a":', inputText: '{"a":', invalid: true },
  { type: "tool-call", toolCallId: "c3", toolName: "web", input: { q: "x" }, executor: "provider" },
  { type: "tool-result", toolCallId: "c3", toolName: "web", isError: false, output: "found it", executor: "provider" },
  { type: "tool-call", toolCallId: "c4", toolName: "forgotten", input: {} },
  { type: "refusal", text: "Not that." },
  { type: "opaque", dialect: "anthropic", value: { type: "odd_block", size: 3 } },
  { type: "image", data: createBitmap(120), mimeType: "image/bmp", name: "chart.bmp" },
  {
    type: "file",
    data: Buffer.from("<script>1</script>").toString("base64"),
    mimeType: "text/html",
    name: "../page.html",
  },
  { type: "file", fileId: "file_1", issuer: { dialect: "openai-chat", provider: "openai" } },
];

const MESSAGES: Message[] = [
  { role: "system", parts: [{ type: "text", text: "One\nTwo\nThree\nFour\nFive" }] },
  { role: "user", parts: [{ type: "text", text: "Hi *there*\n  indented" }] },
  {
    role: "assistant",
    parts: PARTS,
    metadata: {
      model: "claude-x",
      finishReason: { unified: "length", raw: "max_tokens" },
      usage: { inputTokens: 1200, outputTokens: 34, totalTokens: 1234, cacheReadTokens: 1000, cost: 0.0123 },
      invalidToolCalls: [{ toolCallId: "c2", reason: "The text ends too early." }],
    },
  },
  {
    role: "tool",
    parts: [
      {
        type: "tool-result",
        toolCallId: "c1",
        toolName: "book",
        isError: false,
        output: { ok: true },
        content: [{ type: "image", data: PIXEL, mimeType: "image/png", name: "ticket" }],
      },
      { type: "tool-result", toolCallId: "c2", toolName: "cut_off", isError: true, output: "It cannot be read." },
    ],
  },
];

test("every kind of part is displayed, and documents are never opened", async () => {
  await using opened = await openPage({ context: { viewport: { width: 1000, height: 3200 } } });
  const { page, koine } = opened;
  const { id } = await koine.ledger.createThread({ title: "Parts" }, { messages: MESSAGES });
  await page.goto(`/t/${id}`);
  const answer = page.getByRole("article", { name: "claude-x" });
  await answer.getByRole("heading", { name: "Plan" }).waitFor();
  const card = (name: string) => answer.getByRole("group", { name: `Tool call ${name}` });

  await expectText(answer.getByText("sealed by anthropic, 1 signature"));
  expect(await answer.getByText("The harbour is small.").count()).toBe(0);
  await answer.getByText("Reasoning", { exact: true }).click();
  await answer.getByText("The harbour is small.").waitFor();
  expect(await answer.getByRole("cell", { name: "7" }).isVisible()).toBe(true);
  expect(await answer.getByRole("checkbox", { name: "Done" }).isChecked()).toBe(true);

  // Digits are unchanged; the result is inside the card of its call.
  await expectText(card("book").getByRole("group", { name: "Arguments" }).getByText("12345678901234567890"));
  await expectText(card("book").getByText('"ok"'));
  await card("book").getByRole("img", { name: "ticket" }).waitFor();
  await expectText(card("cut_off").getByText("The text ends too early.", { exact: false }));
  await expectText(card("cut_off").getByText("Failed"));
  await expectText(card("web").getByText("run by the provider"));
  await expectText(card("web").getByText("found it"));
  await expectText(card("forgotten").getByText("No result"));

  await expectText(answer.getByText("The model refused"));
  await answer.getByText("Block “odd_block” of anthropic").click();
  await expectText(answer.getByText('"odd_block"'));
  expect(await answer.getByRole("link", { name: "Source 1: Timetable" }).getAttribute("href")).toBe(
    "https://ferry.example/times",
  );
  expect(await answer.getByRole("link", { name: "A rumour" }).count()).toBe(0);
  await answer.getByText("Token probabilities (1)").click();
  await expectText(answer.getByText("90.0 %"));
  await expectText(answer.getByText("File file_1 at openai"));
  await expectText(answer.getByText("cut off at the token limit"));
  await expectText(answer.getByText("1.2k in, 34 out (1k cached)", { exact: false }));

  // A blob is fetched with the token; a document is only saved, never opened.
  await page.waitForFunction(() =>
    [...document.images].some((image) => image.alt === "chart.bmp" && image.naturalWidth === 120),
  );
  const download = page.waitForEvent("download");
  await answer.getByText("page.html").locator("../../..").getByRole("button", { name: "Download" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("_page.html");
  expect(await readFile(await file.path(), "utf8")).toBe("<script>1</script>");

  // User text is not Markdown, and instructions are folded.
  await expectText(page.getByRole("article", { name: "You" }).getByText("Hi *there*"));
  const system = page.getByRole("article", { name: "System" });
  await system.getByRole("button", { name: "Show all" }).click();
  expect(await system.getByRole("button", { name: "Show less" }).getAttribute("aria-expanded")).toBe("true");
});

test("a remote image loads only after a click, in a sandboxed frame", async () => {
  await using opened = await openPage();
  const { page, koine, context, externalRequests } = opened;
  const text = "![a map](https://img.example/map.png?user=1)";
  const messages: Message[] = [
    {
      role: "assistant",
      parts: [
        { type: "text", text },
        { type: "image", url: "gopher://x/y" },
      ],
    },
  ];
  const { id } = await koine.ledger.createThread({ title: "Remote" }, { messages });
  const imageRequests: { frame: string; referer: string | undefined }[] = [];
  await context.route("https://img.example/**", async (route) => {
    const headers = await route.request().allHeaders();
    imageRequests.push({ frame: route.request().frame().url(), referer: headers["referer"] });
    await route.fulfill({ contentType: "image/png", body: Buffer.from(PIXEL, "base64") });
  });
  await page.goto(`/t/${id}`);
  const group = page.getByRole("group", { name: "Image at img.example" });
  await expectText(group.getByText("https://img.example/map.png?user=1"));
  await expectText(page.getByText("Only media with an http: or https: URL", { exact: false }));
  expect([imageRequests, externalRequests]).toStrictEqual([[], []]);

  await group.getByRole("button", { name: "Load image" }).click();
  const frame = page.frameLocator('iframe[title="Image at img.example"]');
  await frame.getByRole("img").waitFor();
  expect(imageRequests).toStrictEqual([
    { frame: expect.stringContaining("/remote?kind=image&url="), referer: undefined },
  ]);
  expect(await group.locator("iframe").getAttribute("sandbox")).toBe("");
  expect(await page.evaluate(() => document.images.length)).toBe(0);
  await group.getByRole("button", { name: "Hide image" }).click();
  expect(await group.locator("iframe").count()).toBe(0);
});

/** A model whose deltas the test writes. */
class StreamingModel {
  readonly #pieces: Delta[] = [];
  #wake = (): void => undefined;

  readonly provider: LocalProvider = { models: ["pen"], answer: () => this.#answer() };

  write(...deltas: Delta[]): void {
    this.#pieces.push(...deltas);
    this.#wake();
  }

  async *#answer(): AsyncGenerator<Delta> {
    yield { kind: "start", payload: { modelId: "pen", requestId: "r", contractVersion: 1 } };
    for (;;) {
      const next = this.#pieces.shift();
      if (next === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else yield next;
      if (next?.kind === "done") return;
    }
  }
}

const createTextDelta = (textDelta: string): Delta => ({ kind: "text", payload: { textDelta, partKey: 1 } });

test("B100: the settled content of an answer stays untouched while it streams: reasoning, text, code and arguments", async () => {
  const pen = new StreamingModel();
  await using opened = await openPage({ config: { providers: { test: pen.provider } } });
  const { page, koine } = opened;
  const { id } = await koine.ledger.createThread({ title: "Live" });
  await page.goto(`/t/${id}`);
  const body = { model: "test/pen", stream: true, messages: [{ role: "user", content: "Go" }] };
  const headers = { "content-type": "application/json", "x-koine-thread": id };
  const reply = fetch(`${koine.url}/v1/chat/completions`, { method: "POST", headers, body: JSON.stringify(body) });

  pen.write({ kind: "thinking", payload: { textDelta: "First this.\nThen that", partKey: 0 } });
  await expectText(page.getByText("Then that"));
  await expectText(page.getByText("Thinking"));
  pen.write(createTextDelta("First **words**.\n\n```ts\nconst a = 1;\n```\n\nSecond words.\n\n> third\n\nLas"));
  await expectText(page.getByText("Las", { exact: true }));
  await observeElements(page, [
    "p:has-text('First words.')",
    "figure:has-text('const a')",
    "p:has-text('Second words.')",
  ]);
  pen.write(createTextDelta("t words, **bo"));
  // Unclosed emphasis is rendered as emphasis.
  await page.locator("strong", { hasText: /^bo$/ }).waitFor();
  pen.write(createTextDelta("ld**.\n\n```py\nx = 1\n"));
  await expectText(page.getByText("x = 1"));
  pen.write(createTextDelta("```\n"), {
    kind: "tool_call_start",
    payload: { toolCallId: "c", toolName: "book", partKey: 2 },
  });
  pen.write({ kind: "tool_call_args", payload: { toolCallId: "c", argsTextDelta: '{"seat": 123456789012345' } });
  await expectText(page.getByText("Writing arguments"));
  await expectText(page.getByRole("group", { name: "Arguments" }).getByText("123456789012345"));
  expect(await countChanges(page)).toBe(0);
  pen.write({ kind: "tool_call_args", payload: { toolCallId: "c", argsTextDelta: "67890}" } });
  pen.write(
    { kind: "tool_call_end", payload: { toolCallId: "c" } },
    { kind: "done", payload: { finishReason: "tool-calls" } },
  );
  await (await reply).text();
  await expectText(page.getByText("No result"));
  await expectText(page.getByRole("group", { name: "Arguments" }).getByText("12345678901234567890"));
  expect(await countChanges(page)).toBe(0);
});

/** Counts mutations of these elements from now on, including their removal. */
async function observeElements(page: Page, selectors: readonly string[]): Promise<void> {
  const elements = await Promise.all(selectors.map((selector) => page.locator(selector).last().elementHandle()));
  // Highlighting is asynchronous, so it is awaited first.
  await page.locator("figure span[class*=keyword]").first().waitFor();
  for (const element of elements) {
    await element?.evaluate((node) => {
      const seen = ((globalThis as { seen?: { node: Node; count: number }[] }).seen ??= []);
      const entry = { node, count: 0 };
      seen.push(entry);
      new MutationObserver((records) => (entry.count += records.length)).observe(node, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
    });
  }
}

function countChanges(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { seen = [] } = globalThis as { seen?: { node: Node; count: number }[] };
    if (seen.length !== 3) return -1;
    return seen.reduce((sum, { node, count }) => sum + count + (node.isConnected ? 0 : 1), 0);
  });
}

async function expectText(locator: ReturnType<Page["getByText"]>): Promise<void> {
  await locator.first().waitFor();
}
