// Tests the translator in a real browser: pasting, typing, dropping and opening; no data leaves the tab.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OpenPage } from "../support/open-page.ts";
import { openPage } from "../support/open-page.ts";

let opened: OpenPage;
let page: Page;
const folder = mkdtempSync(join(tmpdir(), "koine-translate-"));
/** Network requests since the page was loaded. */
const networkRequests: string[] = [];
beforeAll(async () => {
  opened = await openPage({
    path: "/translate",
    context: { permissions: ["clipboard-read", "clipboard-write"], acceptDownloads: true },
  });
  ({ page } = opened);
  if (page.workers().length === 0) await page.waitForEvent("worker");
  await page
    .getByRole("heading", { name: "No conversations yet" })
    .or(page.getByText("No conversations yet"))
    .waitFor();
  page.on("request", (request) => {
    const { protocol, pathname } = new URL(request.url());
    // The thread list refreshes itself independently of the view.
    const isList = request.method() === "GET" && /^\/v1\/(threads|events)$/.test(pathname);
    if (protocol !== "blob:" && !isList) networkRequests.push(`${request.method()} ${request.url()}`);
  });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await opened[Symbol.asyncDispose]();
});

const field = (): Locator => page.getByRole("textbox", { name: "Payload to translate" });
const tree = (name: string): Locator => page.getByRole("tree", { name, exact: true });
const waitForColumns = (columns: number): Promise<void> =>
  page.getByRole("status").getByText(`${columns} columns`).waitFor();

async function openExample(name: RegExp): Promise<void> {
  await page.getByRole("button", { name: "Examples" }).click();
  await page.getByRole("menuitem", { name }).click();
  await waitForColumns(4);
}

test("an example is read and shown in every column with its losses", async () => {
  const examples = page.getByRole("region", { name: "Or start with an example" });
  await examples.getByRole("button", { name: "Gemini an image and a thought signature" }).waitFor();
  await examples.getByRole("button", { name: /^Anthropic tools/ }).click();
  await waitForColumns(4);
  await expect.poll(() => examples.count()).toBe(0);
  await expect
    .poll(() => page.getByRole("combobox", { name: "Dialect" }).locator("option:checked").textContent())
    .toBe("Detected: Anthropic Messages");
  for (const name of [
    "Canonical",
    "OpenAI Chat Completions",
    "OpenAI Responses",
    "Anthropic Messages",
    "Gemini generateContent",
  ]) {
    await tree(name).waitFor();
  }
  const chat = page.getByRole("region", { name: "OpenAI Chat Completions" });
  expect(await chat.getByText(/^\d+ losses, \d+ note/).count()).toBe(1);
  const mark = chat.getByRole("treeitem", { name: /Loss reasoning-unsupported/ });
  expect(await mark.textContent()).toContain("Dropped from here: message 3, part 1.");
});

test("a loss selected in one column is shown in the others", async () => {
  const chat = tree("OpenAI Chat Completions");
  await chat.focus();
  const active = (): Promise<string> =>
    chat.evaluate(
      (node) => document.getElementById(node.getAttribute("aria-activedescendant") ?? "")?.textContent ?? "",
    );
  for (let tries = 0; !(await active()).includes("reasoning-unsupported"); tries++) {
    expect(tries).toBeLessThan(9);
    await page.keyboard.press("n");
  }
  const other = tree("Canonical").getByRole("treeitem", { name: /reasoning-unsupported Chat, Responses, Gemini/ });
  await other.waitFor();
  await expect.poll(() => other.evaluate((node) => node.getBoundingClientRect().top > 0)).toBe(true);
  // And back, to a column outside the visible area.
  await other.click();
  await tree("Gemini generateContent")
    .getByRole("treeitem", { name: /reasoning-unsupported/ })
    .waitFor();
});

test("keys move, fold and search; a fold shows the marks it hides", async () => {
  const chat = tree("OpenAI Chat Completions");
  await chat.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("n");
  await page.keyboard.press("n");
  for (let tries = 0; tries < 12; tries++) {
    await page.keyboard.press("ArrowLeft");
    if ((await chat.getByRole("treeitem", { expanded: false }).count()) > 0) break;
  }
  const folded = chat.getByRole("treeitem", { expanded: false });
  expect(await folded.textContent()).toMatch(/(keys|items).*loss/);
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => folded.count()).toBe(0);
  await page.keyboard.press("/");
  const search = page.getByRole("searchbox", { name: "Search in this column" });
  await search.fill("gauge");
  await page.getByText("1 line", { exact: true }).waitFor();
  await search.press("Enter");
  await expect.poll(() => chat.locator("mark").first().textContent()).toBe("gauge");
  // The keys belong to the column: "n" alone would start a new conversation.
  await search.press("Escape");
  await expect.poll(() => chat.evaluate((node) => node === document.activeElement)).toBe(true);
  await page.keyboard.press("n");
  await page.getByRole("button", { name: "Next mark" }).first().press("n");
  expect(new URL(page.url()).pathname).toBe("/translate");
});

test("on narrow screens a mark leads to the other column, whose tab counts its losses, and folds are preserved", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const canonical = tree("Canonical");
  await page.getByRole("tab", { name: /^Gemini \d+ losses$/ }).click();
  const gemini = tree("Gemini generateContent");
  await gemini.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("n");
  // Moving to a mark does not leave the column.
  await gemini.waitFor();
  await page.keyboard.press("Enter");
  await canonical.waitFor();
  await expect.poll(() => canonical.evaluate((node) => node === document.activeElement)).toBe(true);
  // And back, to the first column with the loss.
  await page.keyboard.press("Enter");
  await expect.poll(() => canonical.isVisible()).toBe(false);
  await page.getByRole("tab", { name: /^(Chat|Responses|Anthropic|Gemini)/, selected: true }).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("the payload itself is copied and saved", async () => {
  const gemini = page.getByRole("region", { name: "Gemini generateContent" });
  await gemini.getByRole("button", { name: "Copy Gemini generateContent" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^\{\n {2}"systemInstruction"/);
  const saving = page.waitForEvent("download");
  await gemini.getByRole("button", { name: "Download Gemini generateContent" }).click();
  expect((await saving).suggestedFilename()).toBe("gemini-request.json");
});

test("columns are chosen and stored; a target has a model and a vendor", async () => {
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("checkbox", { name: "Flat messages" }).check();
  await page.keyboard.press("Escape");
  await waitForColumns(5);
  await page.getByText(/This dialect supports only messages\. Dropped: .*tools/).waitFor();
  expect(await page.evaluate(() => localStorage.getItem("koine.columns"))).toContain("flat");
  await page.getByRole("button", { name: "Hide Flat messages" }).click();
  await waitForColumns(4);
  await page.getByRole("button", { name: "Options of OpenAI Chat Completions" }).click();
  await page.getByRole("textbox", { name: "Model" }).fill("mistral-large");
  await page.getByRole("combobox", { name: "Vendor" }).selectOption("mistral");
  await page.keyboard.press("Escape");
  await tree("OpenAI Chat Completions").press("Home");
  await tree("OpenAI Chat Completions").getByText('"mistral-large"').waitFor();
});

test("typed text is read after a pause, with every digit, and the detection can be overridden", async () => {
  await field().fill('[{"role":"user","content":"Hi"},{"role":"assistant","content":"Ho","x":12345678901234567890}]');
  await tree("Canonical").getByText("12345678901234567890").waitFor();
  await page.getByText(/The payload also fits .*Anthropic/).waitFor();
  await page.getByRole("combobox", { name: "Dialect" }).selectOption("flat");
  await expect.poll(() => page.getByText(/The payload also fits/).count()).toBe(0);
  await tree("Canonical").getByText('"flat"').waitFor();
  await page.getByRole("combobox", { name: "Dialect" }).selectOption("");
});

test("an error is shown at its position", async () => {
  await field().fill('{\n  "model": "gpt-5",\n  "messages": [{"role": user}]\n}');
  const alert = page.getByRole("alert");
  await alert.getByText("Line 3, column 25").waitFor();
  await page.getByRole("button", { name: "Go there" }).click();
  expect(
    await field().evaluate((node: HTMLTextAreaElement) => node.value.slice(node.selectionStart, node.selectionEnd)),
  ).toBe("u");
  await field().fill('{"model":"gpt-5","seed":1,"messages":[{"role":"user","content":7}]}');
  const wire = tree("The decoded payload");
  await wire.getByRole("treeitem", { name: /unreadable/ }).waitFor();
});

test("a stream is shown event by event", async () => {
  await openExample(/^Anthropic stream: thinking, then words/);
  await expect
    .poll(() => page.getByRole("combobox", { name: "Kind" }).locator("option:checked").textContent())
    .toBe("Detected: a stream");
  await tree("OpenAI Chat Completions").getByText('"chat.completion.chunk"').first().waitFor();
  await page.getByRole("button", { name: "Copy OpenAI Chat Completions" }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toMatch(/^data: \{[^]*data: \[DONE\]\n\n$/);
});

test("a file of five megabytes is shown without rendering all of it", async () => {
  const messages = Array.from({ length: 5000 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `${at} ${"All is well on deck. ".repeat(48)}`,
  }));
  const text = JSON.stringify({ model: "gpt-5", seed: 1, messages });
  expect(text.length).toBeGreaterThan(5_000_000);
  writeFileSync(join(folder, "ship.json"), text);
  await page.getByLabel("File to translate").setInputFiles(join(folder, "ship.json"));
  await page.getByText("ship.json").waitFor();
  await waitForColumns(4);
  await tree("Gemini generateContent")
    .getByText("5000 items")
    .or(tree("Gemini generateContent").getByText('"contents"'))
    .first()
    .waitFor();
  expect(await page.getByRole("treeitem").count()).toBeLessThan(500);
  await tree("Canonical").focus();
  await page.keyboard.press("End");
  await tree("Canonical")
    .getByText(/\d keys/)
    .last()
    .waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  await field().waitFor();
});

test("translating made no network request, and the URL contains no data of the payload", () => {
  expect(networkRequests).toStrictEqual([]);
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/translate");
});

test("the payload is still there after visiting another view", async () => {
  await page.getByRole("button", { name: /^Anthropic tools/ }).click();
  await waitForColumns(4);
  await page.getByRole("link", { name: "New", exact: false }).first().click();
  await expect.poll(() => new URL(page.url()).pathname).not.toBe("/translate");
  await page.goBack();
  await waitForColumns(4);
  await expect.poll(() => field().inputValue()).toContain("You pilot ships into Corinth.");
  await tree("Canonical").getByText("You pilot ships into Corinth.").first().waitFor();
});
