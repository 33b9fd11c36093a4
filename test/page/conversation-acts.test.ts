// What readers do in a conversation and where they are afterwards: keys, edits while others go on, links to other branches.
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { assistant, user } from "../../src/model/index.ts";
import { HeldModel } from "../server/tasks/support.ts";
import { openPage } from "./support/open-page.ts";

const row = (page: Page, text: string): Locator => page.getByRole("article").filter({ hasText: text });
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.tagName ?? "");

/** A conversation of which the first question was answered twice; the second answer is the active one. */
async function openTwice() {
  const model = new HeldModel();
  const opened = await openPage({ config: { providers: { held: model.provider }, tasks: { model: "held/held" } } });
  const { ledger } = opened.koine;
  const thread = await ledger.createThread({ title: "Ithaca", metadata: { page: { model: "held/held" } } });
  const [question] = await ledger.append(thread.id, [user("Where is Ithaca?")]);
  const [first] = await ledger.append(thread.id, [assistant("In the west.")]);
  await ledger.append(thread.id, [user("How far?")]);
  await ledger.select(thread.id, question?.id ?? "");
  await ledger.append(thread.id, [assistant("Beyond Leucas.")]);
  return { model, opened, page: opened.page, thread: thread.id, first: first?.id ?? "" };
}

describe("what a reader does", () => {
  test("a key asks again where there is no answer, never for the answer before it; letters can be turned off", async () => {
    const { model, opened, page, thread } = await openTwice();
    await using _ = opened;
    await page.goto(`/t/${thread}`);
    const field = page.getByRole("textbox", { name: "Message" });
    await field.fill("And how wide?");
    await field.press("Enter");
    const failed = await model.asked();
    // While it is on its way, the key means nothing.
    await page.getByText("Waiting for the first words").waitFor();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press("r");
    failed.fail("invalid-request");
    await page.getByRole("article", { name: "No answer" }).waitFor();
    expect(model.count).toBe(1);
    await page.keyboard.press("?");
    await page.getByRole("checkbox", { name: "Single-key shortcuts" }).uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("r");
    await page.keyboard.press("?");
    await page.reload();
    await page.getByRole("article", { name: "No answer" }).waitFor();
    await page.keyboard.press("r");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("menuitem", { name: "Keys" }).click();
    await page.getByRole("checkbox", { name: "Single-key shortcuts" }).check();
    await page.keyboard.press("Escape");
    expect(model.count).toBe(1);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press("r");
    (await model.asked()).say("A day's walk.");
    await row(page, "A day's walk.").waitFor();
    expect(await row(page, "And how wide?").count()).toBe(1);
    expect(await row(page, "Beyond Leucas.").count()).toBe(1);
  });

  test("what is being edited stays when the conversation goes on elsewhere; the focus stays where something was done", async () => {
    const { model, opened, page, thread } = await openTwice();
    await using _ = opened;
    await page.goto(`/t/${thread}`);
    const other = await opened.tab(`/t/${thread}`);
    // The switcher keeps the focus on its button, an editor gives it back to its row.
    await row(page, "Beyond Leucas.").getByRole("button", { name: "Previous version" }).press("Enter");
    await row(page, "How far?").waitFor();
    await expect.poll(() => focused(page)).toBe("Previous version");
    await row(page, "How far?").focus();
    await page.keyboard.press("e");
    const form = page.getByRole("form", { name: "Edit message" });
    await form.getByRole("textbox").fill("How far is it");
    await page.keyboard.press("ArrowLeft");
    // Somebody else turns to the other branch: the message that is edited is in this one alone.
    await row(other, "In the west.").getByRole("button", { name: "Next version" }).click();
    await row(page, "Beyond Leucas.").waitFor();
    await page.getByText("The conversation went on in another branch.").waitFor();
    await page.keyboard.press("x");
    await expect.poll(() => form.getByRole("textbox").inputValue()).toBe("How far is ixt");
    await page.keyboard.press("Control+Enter");
    (await model.asked()).say("Two days.");
    await row(page, "Two days.").waitFor();
    await row(page, "How far is ixt").getByRole("group", { name: "Version 2 of 2" }).waitFor();
    expect(await form.count()).toBe(0);

    await row(page, "How far is ixt").focus();
    await page.keyboard.press("e");
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toBe("You");
    await row(page, "Two days.").getByRole("button", { name: "Regenerate" }).press("Enter");
    (await model.asked()).begin("Three");
    await row(page, "Three").waitFor();
    await expect.poll(() => focused(page)).toBe("held");
    await page.getByRole("button", { name: "Ithaca", exact: true }).click();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Ithaca");
    await page.keyboard.press("b");
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("role"))).toBe("treeitem");
    await page.keyboard.press("b");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Ithaca");
  });

  test("a link leads to another branch for its reader alone, until they make it the active one", async () => {
    const { opened, page, thread, first } = await openTwice();
    await using _ = opened;
    const leaf = async (): Promise<string | null | undefined> =>
      (await opened.koine.ledger.thread(thread))?.activeLeafId;
    const before = await leaf();
    await page.goto(`/t/${thread}?at=${first}`);
    await row(page, "In the west.").waitFor();
    await row(page, "How far?").waitFor();
    await page.getByText("You are looking at another branch.").waitFor();
    expect(await leaf()).toBe(before);
    await page.getByRole("button", { name: "To the active one" }).click();
    await row(page, "Beyond Leucas.").waitFor();
    // The same link again.
    await page.evaluate(() => history.pushState(null, "", location.href));
    await row(page, "In the west.").waitFor();
    await page.getByRole("button", { name: "Make it active" }).click();
    await page.getByText("You are looking at another branch.").waitFor({ state: "detached" });
    await expect.poll(leaf).not.toBe(before);
    await row(page, "How far?").waitFor();
  });

  test("whoever reads while the field has the focus stays where they are; whoever says something is at the end; Back leads to the place", async () => {
    const model = new HeldModel();
    await using opened = await openPage({ config: { providers: { held: model.provider } } });
    const { page, koine } = opened;
    const said = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? user(`Say ${at}.`) : assistant(`Said ${at}.`)));
    const metadata = { page: { model: "held/held" } };
    const { id } = await koine.ledger.createThread({ title: "Long", metadata }, { messages: said });
    await page.goto(`/t/${id}`);
    await page.getByText("Said 39.").waitFor();
    const scroller = page.getByRole("feed").locator("..");
    const place = (): Promise<number> => scroller.evaluate(({ scrollTop }) => scrollTop);
    await page.getByRole("textbox", { name: "Message" }).focus();
    await scroller.evaluate((element) => (element.scrollTop = 700));
    await page.getByRole("button", { name: "Jump to latest" }).waitFor();
    const there = await place();
    await koine.ledger.append(id, [user("From elsewhere.")]);
    await expect
      .poll(() => scroller.evaluate((element) => element.scrollHeight > 0 && element.textContent !== ""))
      .toBe(true);
    await page.getByText("Nobody has been asked").waitFor();
    expect(Math.abs((await place()) - there)).toBeLessThan(60);

    const kept = await page.evaluate(() => document.querySelector("[role=feed]")?.parentElement?.scrollTop);
    await page.getByRole("link", { name: "Inspect" }).click();
    await page.getByRole("feed").waitFor({ state: "detached" });
    await page.goBack();
    await page.getByRole("feed").waitFor();
    await expect.poll(async () => Math.abs((await place()) - (kept ?? 0))).toBeLessThan(3);

    await page.getByRole("textbox", { name: "Message" }).fill("From here.");
    await page.keyboard.press("Enter");
    (await model.asked()).say("Here, too.");
    await page.getByText("Here, too.").waitFor();
    const left = (): Promise<number> =>
      scroller.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
    await expect.poll(left).toBeLessThan(3);
  });
});
