// Words that are on their way when the page is left, the network fails or a tab is duplicated: in a real browser.
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { demo } from "../../src/client/index.ts";
import { textOf } from "../../src/model/index.ts";
import { HeldModel, toldOf } from "../server/tasks/support.ts";
import { type OpenPage, openPage } from "./support/open-page.ts";

const field = (page: Page): Locator => page.getByRole("textbox", { name: "Message", exact: true });
const first = (page: Page): Locator => page.getByRole("textbox", { name: "First message" });
const queue = (page: Page): Locator => page.getByRole("region", { name: "Queued messages" });
const hasFocus = (place: Locator): Promise<boolean> => place.evaluate((element) => element === document.activeElement);

async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press("Enter");
}

async function transcript({ koine, page }: OpenPage): Promise<string[]> {
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  return (await koine.ledger.transcript(id)).map(textOf);
}

test("what is being sent when the page is left is there afterwards, as it was typed, and is said once; so is a beginning", async () => {
  const model = new HeldModel();
  await using opened = await openPage({ path: "/new", config: { providers: { test: model.provider } } });
  const { page, koine } = opened;
  await page.getByText("System prompt", { exact: true }).click();
  await page.getByRole("textbox", { name: "System prompt" }).fill("Be brief.");
  await first(page).fill("  Indented.");
  await page.getByRole("link", { name: "Translate" }).click();
  await page.goBack();
  await page.getByText("System prompt (set)").waitFor();
  // The thread is made, nobody hears of it, and the page is left.
  const made = Promise.withResolvers<void>();
  await page.route("**/v1/threads", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    made.resolve();
  });
  await first(page).press("Enter");
  await made.promise;
  await page.unroute("**/v1/threads");
  await page.reload();
  const one = await model.asked();
  expect(toldOf(one.request)).toStrictEqual(["system: Be brief.", "user:   Indented."]);
  one.say("Begun.");
  await page.getByText("Begun.", { exact: true }).first().waitFor();
  expect(await koine.ledger.threads({ limit: 5 })).toHaveLength(1);

  const arrived = Promise.withResolvers<void>();
  await page.route("**/messages", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    arrived.resolve();
    // Nothing comes of it.
  });
  await field(page).fill("Carefully written.");
  await page.getByRole("button", { name: "Send", exact: true }).press("Enter");
  await arrived.promise;
  expect(await hasFocus(field(page))).toBe(true);
  await page.keyboard.type("x");
  await page.reload();
  await page.unroute("**/messages");
  await queue(page).getByText("This was being sent when the page was left.").waitFor();
  expect(await field(page).inputValue()).toBe("x");
  await queue(page).getByRole("button", { name: "Send again" }).click();
  (await model.asked()).say("Read.");
  await page.getByText("Read.", { exact: true }).first().waitFor();
  await queue(page).waitFor({ state: "detached" });
  expect(await transcript(opened)).toStrictEqual(["Be brief.", "  Indented.", "Begun.", "Carefully written.", "Read."]);
  opened.complaints.splice(0);
});

test("of two tabs with the same follow-ups one says them, though nobody looks at either; one that fails holds the others", async () => {
  const model = new HeldModel();
  await using opened = await openPage({ path: "/new", config: { providers: { test: model.provider } } });
  const { page, context } = opened;
  await first(page).fill("A");
  await first(page).press("Enter");
  const a = await model.asked();
  a.begin("B");
  await page.getByText("B", { exact: true }).first().waitFor();
  await say(page, "One.");
  await say(page, "Two.");
  await queue(page).getByText("Two.").waitFor();
  const [copy] = await Promise.all([
    context.waitForEvent("page"),
    page.evaluate(() => void window.open(location.href)),
  ]);
  await queue(copy).getByText("Two.").waitFor();
  for (const tab of [page, copy]) {
    await tab.evaluate(() => {
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "hidden" });
      document.dispatchEvent(new Event("visibilitychange"));
    });
  }
  a.say(" is done.");
  const one = await model.asked();
  const refusal = { error: { code: "unavailable", message: "The disk is full." } };
  await context.route("**/messages", (route) =>
    route.request().method() === "POST" ? route.fulfill({ status: 503, json: refusal }) : route.continue(),
  );
  one.say("Answered.");
  const refused = (tab: Page): Promise<number> => queue(tab).getByText("The disk is full.").count();
  // Where one cannot, the other one tries.
  await expect.poll(async () => (await refused(page)) + (await refused(copy))).toBe(2);
  await context.unroute("**/messages");
  await queue(page).getByRole("button", { name: "Send again" }).click();
  const two = await model.asked();
  two.say("That, too.");
  await expect
    .poll(() => transcript(opened))
    .toStrictEqual(["A", "B is done.", "One.", "Answered.", "Two.", "That, too."]);
  for (const tab of [page, copy]) await queue(tab).waitFor({ state: "detached" });
  expect(model.count).toBe(3);
  opened.complaints.splice(0);
});

test("the model that is shown is the one that is asked, with what goes along; keys under glass break lines", async () => {
  const model = new HeldModel();
  const config = { providers: { demo: demo(), own: model.provider, other: model.provider } };
  const context = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  await using opened = await openPage({ path: "/new", config, context });
  const { page } = opened;
  await first(page).tap();
  await page.keyboard.type("One");
  await page.keyboard.press("Enter");
  await page.keyboard.type("two");
  expect(await first(page).inputValue()).toBe("One\ntwo");
  const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];
  const messages = [
    { role: "system", content: "Be a pirate." },
    { role: "user", content: "From an SDK." },
  ];
  const calling = page.request.post("/v1/chat/completions", { data: { model: "other/held", tools, messages } });
  (await model.asked()).say("Arr.");
  const thread = (await calling).headers()["x-koine-thread"];
  await page.goto(`/t/${thread}`);
  const picker = page.getByRole("combobox", { name: "Model for the next answer" });
  await expect.poll(() => picker.inputValue()).toBe("other/held");
  await page.getByText("Sends the last call’s 1 tool and system prompt.").waitFor();
  await page.getByRole("button", { name: "Leave the tools out" }).click();
  await field(page).fill("From the page.");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const { request } = await model.asked();
  expect([request.model, request.tools ?? [], toldOf(request).at(0)]).toStrictEqual([
    "held",
    [],
    "system: Be a pirate.",
  ]);
});
