// Tests the thread list in a real browser: search, live updates, keyboard navigation, renaming and deleting.
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Message } from "../../../src/model/index.ts";
import { ManualModel } from "../../server/tasks/support.ts";
import { openPage, type OpenPage } from "../support/open-page.ts";

/** Polls, because the page updates asynchronously. */
const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read);

const model = new ManualModel();
let opened: OpenPage;
let page: Page;
let list: Locator;
let foundThreadId: string;

const userMessage = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });

/** Enough for three pages. */
const MANY = 120;

/** Strictly increasing, so that later threads are listed first. */
let now = 0;
const clock = (): number => (now = Math.max(now + 1, Date.now()));

beforeAll(async () => {
  opened = await openPage({ config: { providers: { manual: model.provider } }, options: { clock } });
  ({ page } = opened);
  const { ledger } = opened.koine;
  for (let at = 1; at < MANY; at++)
    await ledger.createThread({ title: `Voyage ${at}` }, { messages: [userMessage("Ahoy")] });
  const thread = await ledger.createThread(
    {},
    { messages: [userMessage("The road to Corinth is closed, the sea is open.")] },
  );
  foundThreadId = thread.id;
  await ledger.createThread({ title: "Fetch the anchor", kind: "task" });
  list = page.getByRole("list", { name: "Conversations", exact: true });
  await page.goto("/?connect");
  await row("Fetch the anchor").waitFor();
});
afterAll(() => opened[Symbol.asyncDispose]());

const row = (name: string): Locator => list.getByRole("link", { name, exact: false }).first();
const focused = (): Promise<string | undefined> =>
  page.evaluate(() => document.activeElement?.textContent ?? undefined);

test("a search finds partial words, highlights them and links to the message", async () => {
  await page.keyboard.press("/");
  await page.keyboard.type("sea corin");
  await page.getByText("1 conversation found").waitFor();
  const hit = list.getByRole("list", { name: /^Found in/ }).getByRole("link");
  expect(await hit.locator("mark").allTextContents()).toStrictEqual(["Corinth", "sea"]);
  expect(await hit.getAttribute("href")).toMatch(new RegExp(`^/t/${foundThreadId}\\?at=\\w+$`));
  await hit.click();
  await page.waitForURL(/at=/);
  expect(await row("The road to Corinth").getAttribute("aria-current")).toBe("page");
});

test("a search without results is reported, and Escape shows all threads again", async () => {
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("atlantis");
  await page.getByText("No conversation with “atlantis”").waitFor();
  await page.keyboard.press("Escape");
  await row("Fetch the anchor").waitFor();
});

test("titles are found by parts of their words", async () => {
  await page.keyboard.type("oyage 77");
  await eventually(() => list.getByRole("link").allTextContents()).toStrictEqual([
    expect.stringContaining("Voyage 77"),
  ]);
  await page.keyboard.press("Escape");
});

test("tasks and chats are filtered", async () => {
  await page.getByRole("radio", { name: "Tasks" }).check();
  await eventually(() => list.getByRole("listitem").count()).toBe(1);
  await eventually(() => row("Fetch the anchor").textContent()).toContain("Task");
  await page.getByRole("radio", { name: "Chats" }).check();
  await row("Voyage").waitFor();
  expect(await row("Fetch the anchor").count()).toBe(0);
  await page.getByRole("radio", { name: "All" }).check();
});

test("arrow keys move, End reaches the last page, and few rows are rendered", async () => {
  await eventually(() => list.getByRole("listitem").first().textContent()).toContain("Fetch the anchor");
  await page.keyboard.press("/");
  await page.keyboard.press("ArrowDown");
  await eventually(focused).toContain("Fetch the anchor");
  await page.keyboard.press("ArrowDown");
  await eventually(focused).toContain("The road to Corinth");
  await eventually(async () => {
    await page.keyboard.press("End");
    return focused();
  }).toMatch(/^Voyage 1\D/);
  expect(await list.getByRole("listitem").count()).toBeLessThan(40);
  expect(await list.getByRole("listitem").last().getAttribute("aria-setsize")).toBe(`${MANY + 1}`);
  await page.keyboard.press("Enter");
  await eventually(() => page.title()).toBe("Voyage 1 · Koine");
  await page.keyboard.press("Home");
  await eventually(focused).toContain("Fetch the anchor");
});

test("an active conversation moves to the top, with a mark while it is answered", async () => {
  const asking = fetch(`${opened.koine.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-koine-thread": foundThreadId },
    body: JSON.stringify({
      model: "manual/manual",
      stream: true,
      messages: [{ role: "user", content: "And by night?" }],
    }),
  });
  const request = await model.nextCall();
  request.begin("By night ");
  const first = list.getByRole("listitem").first();
  await first.getByText("Answering now").waitFor({ state: "attached" });
  request.complete("the sea is closed, too.");
  expect(await (await asking).text()).toContain("[DONE]");
  await first.getByText("Answering now").waitFor({ state: "detached" });
  expect(await first.textContent()).toMatch(/Corinth.*now.*manual.*15 tokens/);
  const exact = await first.locator("time").getAttribute("title");
  expect(exact).toMatch(/\d{4}/);
});

test("a conversation is renamed by keyboard", async () => {
  await row("Voyage 119").focus();
  await page.keyboard.press("F2");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("The last voyage");
  await page.keyboard.press("Enter");
  await row("The last voyage").waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect((await opened.koine.ledger.threads({ limit: 5 })).map(({ title }) => title)).toContain("The last voyage");
});

test("a conversation is stopped and deleted while it is answered", async () => {
  const asking = fetch(`${opened.koine.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-koine-thread": foundThreadId },
    body: JSON.stringify({
      model: "manual/manual",
      stream: true,
      messages: [{ role: "user", content: "And at dawn?" }],
    }),
  });
  (await model.nextCall()).begin("At dawn ");
  const first = list.getByRole("listitem").first();
  await first.getByText("Answering now").waitFor({ state: "attached" });
  await row("The road to Corinth").focus();
  await page.keyboard.press("Delete");
  await page.getByRole("button", { name: "Delete permanently" }).click();
  await eventually(() => row("The road to Corinth").count()).toBe(0);
  await (await asking).text().catch(() => undefined);
});

test("a conversation is deleted only after confirmation, and its view is closed", async () => {
  await row("The last voyage").click();
  await row("The last voyage").hover();
  await page.getByRole("button", { name: "Actions for The last voyage" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete this conversation?" });
  expect(await dialog.textContent()).toContain("The last voyage");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await row("The last voyage").count()).toBe(1);
  await row("The last voyage").focus();
  await page.keyboard.press("Delete");
  await dialog.getByRole("button", { name: "Delete permanently" }).click();
  await page.getByRole("heading", { name: "Connect an SDK" }).waitFor();
  await eventually(() => row("The last voyage").count()).toBe(0);
  // No requests for the deleted thread.
  expect(opened.pageErrors).toStrictEqual([]);
  expect((await opened.koine.ledger.threads({ limit: 5 })).map(({ title }) => title)).not.toContain("The last voyage");
});
