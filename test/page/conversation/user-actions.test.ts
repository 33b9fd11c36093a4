// Tests user actions in a conversation: shortcuts, edits while other tabs act, links to other branches, focus and
// scroll position.
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { assistant, user } from "../../../src/model/index.ts";
import { ManualModel } from "../../server/tasks/support.ts";
import { openPage } from "../support/open-page.ts";

const row = (page: Page, text: string): Locator => page.getByRole("article").filter({ hasText: text });
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.tagName ?? "");

/** Opens a conversation whose first message has two answers; the second is active. */
async function openWithTwoAnswers() {
  const model = new ManualModel();
  const opened = await openPage({
    config: { providers: { manual: model.provider }, tasks: { model: "manual/manual" } },
  });
  const { ledger } = opened.koine;
  const thread = await ledger.createThread({ title: "Ithaca", metadata: { page: { model: "manual/manual" } } });
  const [question] = await ledger.append(thread.id, [user("Where is Ithaca?")]);
  const [first] = await ledger.append(thread.id, [assistant("In the west.")]);
  await ledger.append(thread.id, [user("How far?")]);
  await ledger.select(thread.id, question?.id ?? "");
  await ledger.append(thread.id, [assistant("Beyond Leucas.")]);
  return { model, opened, page: opened.page, thread: thread.id, first: first?.id ?? "" };
}

describe("a user", () => {
  test("a shortcut regenerates a missing answer, never the answer before it; single-key shortcuts can be disabled", async () => {
    const { model, opened, page, thread } = await openWithTwoAnswers();
    await using _ = opened;
    await page.goto(`/t/${thread}`);
    const field = page.getByRole("textbox", { name: "Message" });
    await field.fill("And how wide?");
    await field.press("Enter");
    const failed = await model.nextCall();
    // The shortcut has no effect while an answer is live.
    await page.getByText("Waiting for the answer").waitFor();
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
    await page.getByRole("menuitem", { name: "Keyboard shortcuts" }).click();
    await page.getByRole("checkbox", { name: "Single-key shortcuts" }).check();
    await page.keyboard.press("Escape");
    expect(model.count).toBe(1);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press("r");
    (await model.nextCall()).complete("A day's walk.");
    await row(page, "A day's walk.").waitFor();
    expect(await row(page, "And how wide?").count()).toBe(1);
    expect(await row(page, "Beyond Leucas.").count()).toBe(1);
  });

  test("an open editor stays when another tab switches branches; the focus stays where the user acted", async () => {
    const { model, opened, page, thread } = await openWithTwoAnswers();
    await using _ = opened;
    await page.goto(`/t/${thread}`);
    const other = await opened.openTab(`/t/${thread}`);
    // The switcher keeps the focus on its button, an editor returns it to its row.
    await row(page, "Beyond Leucas.").getByRole("button", { name: "Previous version" }).press("Enter");
    await row(page, "How far?").waitFor();
    await expect.poll(() => focused(page)).toBe("Previous version");
    await row(page, "How far?").focus();
    await page.keyboard.press("e");
    const form = page.getByRole("form", { name: "Edit message" });
    await form.getByRole("textbox").fill("How far is it");
    await page.keyboard.press("ArrowLeft");
    // Another tab switches to the branch without the edited message.
    await row(other, "In the west.").getByRole("button", { name: "Next version" }).click();
    await row(page, "Beyond Leucas.").waitFor();
    await page.getByText("The conversation went on in another branch.").waitFor();
    await page.keyboard.press("x");
    await expect.poll(() => form.getByRole("textbox").inputValue()).toBe("How far is ixt");
    await page.keyboard.press("Control+Enter");
    (await model.nextCall()).complete("Two days.");
    await row(page, "Two days.").waitFor();
    await row(page, "How far is ixt").getByRole("group", { name: "Version 2 of 2" }).waitFor();
    expect(await form.count()).toBe(0);

    await row(page, "How far is ixt").focus();
    await page.keyboard.press("e");
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toBe("You");
    await row(page, "Two days.").getByRole("button", { name: "Regenerate" }).press("Enter");
    (await model.nextCall()).begin("Three");
    await row(page, "Three").waitFor();
    await expect.poll(() => focused(page)).toBe("manual");
    await page.getByRole("button", { name: "Ithaca", exact: true }).click();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Ithaca");
    await page.keyboard.press("b");
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("role"))).toBe("treeitem");
    await page.keyboard.press("b");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Ithaca");
  });

  test("a link shows another branch without selecting it", async () => {
    const { opened, page, thread, first } = await openWithTwoAnswers();
    await using _ = opened;
    const leaf = async (): Promise<string | null | undefined> =>
      (await opened.koine.ledger.thread(thread))?.activeLeafId;
    const before = await leaf();
    await page.goto(`/t/${thread}?at=${first}`);
    await row(page, "In the west.").waitFor();
    await row(page, "How far?").waitFor();
    await page.getByText("You are viewing an inactive branch.").waitFor();
    expect(await leaf()).toBe(before);
    await page.getByRole("button", { name: "Show the active branch" }).click();
    await row(page, "Beyond Leucas.").waitFor();
    // Follows the same link again.
    await page.evaluate(() => history.pushState(null, "", location.href));
    await row(page, "In the west.").waitFor();
    await page.getByRole("button", { name: "Make this branch active" }).click();
    await page.getByText("You are viewing an inactive branch.").waitFor({ state: "detached" });
    await expect.poll(leaf).not.toBe(before);
    await row(page, "How far?").waitFor();
  });

  test("typing keeps the scroll position, sending scrolls to the end, and Back restores the position", async () => {
    const model = new ManualModel();
    await using opened = await openPage({ config: { providers: { manual: model.provider } } });
    const { page, koine } = opened;
    const messages = Array.from({ length: 40 }, (_, at) =>
      at % 2 === 0 ? user(`Say ${at}.`) : assistant(`Said ${at}.`),
    );
    const metadata = { page: { model: "manual/manual" } };
    const { id } = await koine.ledger.createThread({ title: "Long", metadata }, { messages });
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
    await page.getByText("No answer to this message was requested").waitFor();
    expect(Math.abs((await place()) - there)).toBeLessThan(60);

    const scrollTop = await page.evaluate(() => document.querySelector("[role=feed]")?.parentElement?.scrollTop);
    await page.getByRole("link", { name: "Inspect" }).click();
    await page.getByRole("feed").waitFor({ state: "detached" });
    await page.goBack();
    await page.getByRole("feed").waitFor();
    await expect.poll(async () => Math.abs((await place()) - (scrollTop ?? 0))).toBeLessThan(3);

    await page.getByRole("textbox", { name: "Message" }).fill("From here.");
    await page.keyboard.press("Enter");
    (await model.nextCall()).complete("Here, too.");
    await page.getByText("Here, too.").waitFor();
    const left = (): Promise<number> =>
      scroller.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
    await expect.poll(left).toBeLessThan(3);
  });
});
