// Tests, in a real browser, messages that are being sent when the page is closed, the network fails or a tab is
// duplicated.
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { demo } from "../../../src/client/index.ts";
import { getText } from "../../../src/model/index.ts";
import { ManualModel, toMessageLines } from "../../server/tasks/support.ts";
import { type OpenPage, openPage } from "../support/open-page.ts";

const messageField = (page: Page): Locator => page.getByRole("textbox", { name: "Message", exact: true });
const firstMessageField = (page: Page): Locator => page.getByRole("textbox", { name: "First message" });
const queuePanel = (page: Page): Locator => page.getByRole("region", { name: "Queued messages" });
const hasFocus = (place: Locator): Promise<boolean> => place.evaluate((element) => element === document.activeElement);

async function sendMessage(page: Page, text: string): Promise<void> {
  await messageField(page).fill(text);
  await messageField(page).press("Enter");
}

async function setVisibility(page: Page, state: DocumentVisibilityState): Promise<void> {
  await page.evaluate((visibilityState) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => visibilityState });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);
}

async function readTranscript({ koine, page }: OpenPage): Promise<string[]> {
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  return (await koine.ledger.transcript(id)).map(getText);
}

test("a message that is being sent when the page is closed is preserved and stored once; so is a new conversation", async () => {
  const model = new ManualModel();
  await using opened = await openPage({ path: "/new", config: { providers: { test: model.provider } } });
  const { page, koine } = opened;
  await page.getByText("System prompt", { exact: true }).click();
  await page.getByRole("textbox", { name: "System prompt" }).fill("Be brief.");
  await firstMessageField(page).fill("  Indented.");
  await page.getByRole("link", { name: "Translate" }).click();
  await page.goBack();
  await page.getByText("System prompt (set)").waitFor();
  // The thread is created, but its reply is lost and the page is closed.
  const made = Promise.withResolvers<void>();
  await page.route("**/v1/threads", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    made.resolve();
  });
  await firstMessageField(page).press("Enter");
  await made.promise;
  await page.unroute("**/v1/threads");
  await page.reload();
  const one = await model.nextCall();
  expect(toMessageLines(one.request)).toStrictEqual(["system: Be brief.", "user:   Indented."]);
  one.complete("Begun.");
  await page.getByText("Begun.", { exact: true }).first().waitFor();
  expect(await koine.ledger.threads({ limit: 5 })).toHaveLength(1);

  const arrived = Promise.withResolvers<void>();
  await page.route("**/messages", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    arrived.resolve();
    // The request never completes.
  });
  await messageField(page).fill("Carefully written.");
  await page.getByRole("button", { name: "Send", exact: true }).press("Enter");
  await arrived.promise;
  expect(await hasFocus(messageField(page))).toBe(true);
  await page.keyboard.type("x");
  await page.reload();
  await page.unroute("**/messages");
  await queuePanel(page).getByText("The page was closed while this message was being sent.").waitFor();
  expect(await messageField(page).inputValue()).toBe("x");
  await queuePanel(page).getByRole("button", { name: "Send again" }).click();
  (await model.nextCall()).complete("Read.");
  await page.getByText("Read.", { exact: true }).first().waitFor();
  await queuePanel(page).waitFor({ state: "detached" });
  expect(await readTranscript(opened)).toStrictEqual([
    "Be brief.",
    "  Indented.",
    "Begun.",
    "Carefully written.",
    "Read.",
  ]);
  opened.pageErrors.splice(0);
});

test("of two tabs with the same follow-ups one sends them, even if both are hidden; a failed one blocks the others", async () => {
  const model = new ManualModel();
  await using opened = await openPage({ path: "/new", config: { providers: { test: model.provider } } });
  const { page, context } = opened;
  await firstMessageField(page).fill("A");
  await firstMessageField(page).press("Enter");
  const a = await model.nextCall();
  a.begin("B");
  await page.getByText("B", { exact: true }).first().waitFor();
  await sendMessage(page, "One.");
  await sendMessage(page, "Two.");
  await queuePanel(page).getByText("Two.").waitFor();
  const [copy] = await Promise.all([
    context.waitForEvent("page"),
    page.evaluate(() => void window.open(location.href)),
  ]);
  await queuePanel(copy).getByText("Two.").waitFor();
  for (const tab of [page, copy]) await setVisibility(tab, "hidden");
  a.complete(" is done.");
  const one = await model.nextCall();
  const refusal = { error: { code: "unavailable", message: "The disk is full." } };
  await context.route("**/messages", (route) =>
    route.request().method() === "POST" ? route.fulfill({ status: 503, json: refusal }) : route.continue(),
  );
  one.complete("Answered.");
  const refused = (tab: Page): Promise<number> => queuePanel(tab).getByText("The disk is full.").count();
  // If one tab fails, the other one tries.
  await expect.poll(async () => (await refused(page)) + (await refused(copy))).toBe(2);
  await context.unroute("**/messages");
  await queuePanel(page).getByRole("button", { name: "Send again" }).click();
  const two = await model.nextCall();
  two.complete("That, too.");
  await expect
    .poll(() => readTranscript(opened))
    .toStrictEqual(["A", "B is done.", "One.", "Answered.", "Two.", "That, too."]);
  // A hidden tab closes its connection after a few seconds, and reads the stored messages when it is shown again.
  for (const tab of [page, copy]) {
    await setVisibility(tab, "visible");
    await queuePanel(tab).waitFor({ state: "detached" });
  }
  expect(model.count).toBe(3);
  opened.pageErrors.splice(0);
});

test("the shown model is requested with the inherited settings; on touch keyboards Enter inserts a line break", async () => {
  const model = new ManualModel();
  const config = { providers: { demo: demo(), own: model.provider, other: model.provider } };
  const context = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  await using opened = await openPage({ path: "/new", config, context });
  const { page } = opened;
  await firstMessageField(page).tap();
  await page.keyboard.type("One");
  await page.keyboard.press("Enter");
  await page.keyboard.type("two");
  expect(await firstMessageField(page).inputValue()).toBe("One\ntwo");
  const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];
  const messages = [
    { role: "system", content: "Be a pirate." },
    { role: "user", content: "From an SDK." },
  ];
  const calling = page.request.post("/v1/chat/completions", { data: { model: "other/manual", tools, messages } });
  (await model.nextCall()).complete("Arr.");
  const thread = (await calling).headers()["x-koine-thread"];
  await page.goto(`/t/${thread}`);
  const picker = page.getByRole("combobox", { name: "Model for the next answer" });
  await expect.poll(() => picker.inputValue()).toBe("other/manual");
  await page.getByText("Sends the last call’s 1 tool and system prompt.").waitFor();
  await page.getByRole("button", { name: "Omit the tools" }).click();
  await messageField(page).fill("From the page.");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const { request } = await model.nextCall();
  expect([request.model, request.tools ?? [], toMessageLines(request).at(0)]).toStrictEqual([
    "manual",
    [],
    "system: Be a pirate.",
  ]);
});
