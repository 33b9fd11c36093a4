// The list of threads in a real browser: found while one types, up to date by itself, walked with keys, renamed, deleted.
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Message } from "../../src/model/index.ts";
import { HeldModel } from "../server/tasks/support.ts";
import { openPage, type OpenPage } from "./support/open-page.ts";

/** The page needs a moment; how long is the machine's to say. */
const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 10_000 });

const model = new HeldModel();
let opened: OpenPage;
let page: Page;
let list: Locator;
let found: string;

const said = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });

/** So many that they come in three pages. */
const MANY = 120;

/** Never the same twice, so that what is made later is listed first. */
let now = 0;
const clock = (): number => (now = Math.max(now + 1, Date.now()));

beforeAll(async () => {
  opened = await openPage({ config: { providers: { held: model.provider } }, options: { clock } });
  ({ page } = opened);
  const { ledger } = opened.koine;
  for (let at = 1; at < MANY; at++) await ledger.createThread({ title: `Voyage ${at}` }, { messages: [said("Ahoy")] });
  const thread = await ledger.createThread({}, { messages: [said("The road to Corinth is closed, the sea is open.")] });
  found = thread.id;
  await ledger.createThread({ title: "Fetch the anchor", kind: "task" });
  list = page.getByRole("list", { name: "Conversations", exact: true });
  await page.goto("/?connect");
  await row("Fetch the anchor").waitFor();
});
afterAll(() => opened[Symbol.asyncDispose]());

const row = (name: string): Locator => list.getByRole("link", { name, exact: false }).first();
const focused = (): Promise<string | undefined> =>
  page.evaluate(() => document.activeElement?.textContent ?? undefined);

test("a search finds words typed half, marks them and leads to the message", async () => {
  await page.keyboard.press("/");
  await page.keyboard.type("sea corin");
  await page.getByText("1 conversation found").waitFor();
  const hit = list.getByRole("list", { name: /^Found in/ }).getByRole("link");
  expect(await hit.locator("mark").allTextContents()).toStrictEqual(["Corinth", "sea"]);
  expect(await hit.getAttribute("href")).toMatch(new RegExp(`^/t/${found}\\?at=\\w+$`));
  await hit.click();
  await page.waitForURL(/at=/);
  expect(await row("The road to Corinth").getAttribute("aria-current")).toBe("page");
});

test("a search that finds nothing says so, and Escape shows all again", async () => {
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

test("tasks and chats are told apart", async () => {
  await page.getByRole("radio", { name: "Tasks" }).check();
  await eventually(() => list.getByRole("listitem").count()).toBe(1);
  await eventually(() => row("Fetch the anchor").textContent()).toContain("Task");
  await page.getByRole("radio", { name: "Chats" }).check();
  await row("Voyage").waitFor();
  expect(await row("Fetch the anchor").count()).toBe(0);
  await page.getByRole("radio", { name: "All" }).check();
});

test("arrow keys walk, End comes to the last of all pages, and few rows are drawn", async () => {
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

test("a conversation that is going on comes to the top, with a mark while it is answered", async () => {
  const asking = fetch(`${opened.koine.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-koine-thread": found },
    body: JSON.stringify({ model: "held/held", stream: true, messages: [{ role: "user", content: "And by night?" }] }),
  });
  const asked = await model.asked();
  asked.begin("By night ");
  const first = list.getByRole("listitem").first();
  await first.getByText("Answering now").waitFor({ state: "attached" });
  asked.say("the sea is closed, too.");
  expect(await (await asking).text()).toContain("[DONE]");
  await first.getByText("Answering now").waitFor({ state: "detached" });
  expect(await first.textContent()).toMatch(/Corinth.*now.*held.*15 tokens/);
  const exact = await first.locator("time").getAttribute("title");
  expect(exact).toMatch(/\d{4}/);
});

test("a conversation is renamed with the keyboard alone", async () => {
  await row("Voyage 119").focus();
  await page.keyboard.press("F2");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("The last voyage");
  await page.keyboard.press("Enter");
  await row("The last voyage").waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect((await opened.koine.ledger.threads({ limit: 5 })).map(({ title }) => title)).toContain("The last voyage");
});

test("a conversation that is being answered is stopped and deleted", async () => {
  const asking = fetch(`${opened.koine.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-koine-thread": found },
    body: JSON.stringify({ model: "held/held", stream: true, messages: [{ role: "user", content: "And at dawn?" }] }),
  });
  (await model.asked()).begin("At dawn ");
  const first = list.getByRole("listitem").first();
  await first.getByText("Answering now").waitFor({ state: "attached" });
  await row("The road to Corinth").focus();
  await page.keyboard.press("Delete");
  await page.getByRole("button", { name: "Delete for good" }).click();
  await eventually(() => row("The road to Corinth").count()).toBe(0);
  await (await asking).text().catch(() => undefined);
});

test("a conversation is deleted only after one was asked, and the view of it is left", async () => {
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
  await dialog.getByRole("button", { name: "Delete for good" }).click();
  await page.getByRole("heading", { name: "Connect an SDK" }).waitFor();
  await eventually(() => row("The last voyage").count()).toBe(0);
  // Nobody asks for what is not there any more.
  expect(opened.complaints).toStrictEqual([]);
  expect((await opened.koine.ledger.threads({ limit: 5 })).map(({ title }) => title)).not.toContain("The last voyage");
});
