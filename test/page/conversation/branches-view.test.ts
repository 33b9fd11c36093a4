// Tests branches in a real browser: regenerating, editing, forking and switching in one tab while another follows, and
// the branch tree.
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { assistant, user } from "../../../src/model/index.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { ManualModel } from "../../server/tasks/support.ts";
import { openPage } from "../support/open-page.ts";

const row = (page: Page, text: string): Locator => page.getByRole("article").filter({ hasText: text });

async function createThread({ ledger }: KoineServer): Promise<string> {
  const { threadId } = await ledger.record({
    thread: { id: ledger.newId(), title: "Corinth" },
    input: { messages: [user("Where is Corinth?")] },
    messages: [assistant("On the isthmus.")],
    metadata: { provider: "manual", model: "manual" },
  });
  return threadId;
}

/** Opens a conversation with one answer, and a model that the test controls. */
async function openWithThread() {
  const model = new ManualModel();
  const config = { providers: { manual: model.provider }, tasks: { model: "manual/manual" } };
  const opened = await openPage({ config });
  const thread = await createThread(opened.koine);
  await opened.page.goto(`/t/${thread}`);
  await row(opened.page, "On the isthmus.").waitFor();
  return { model, opened, page: opened.page, thread };
}

async function press(article: Locator, button: string): Promise<void> {
  await article.hover();
  await article.getByRole("button", { name: button, exact: true }).click();
}

async function choose(page: Page, article: Locator, item: string): Promise<void> {
  await press(article, "More actions");
  await page.getByRole("menuitem", { name: item }).click();
}

describe("branches", () => {
  test("B93: regenerating adds a sibling answer; the selected one persists and other tabs follow it", async () => {
    const { model, opened, page, thread } = await openWithThread();
    await using _ = opened;
    const other = await opened.openTab(`/t/${thread}`);
    await press(row(page, "On the isthmus."), "Regenerate");
    const pendingCall = await model.nextCall();
    pendingCall.begin("Between two");
    await row(page, "Between two").getByRole("group", { name: "Version 2 of 2" }).waitFor();
    // The previous answer can be shown while the new one streams.
    await press(row(page, "Between two"), "Previous version");
    await row(page, "On the isthmus.").getByRole("group", { name: "Version 1 of 2" }).waitFor();
    await press(row(page, "On the isthmus."), "Next version");
    pendingCall.complete(" seas.");
    await row(page, "Between two seas.").getByRole("button", { name: "Regenerate" }).waitFor();
    await row(other, "Between two seas.").waitFor();
    expect(await row(page, "On the isthmus.").count()).toBe(0);

    await row(page, "Between two seas.").focus();
    await page.keyboard.press("[");
    await row(page, "On the isthmus.").waitFor();
    await row(other, "On the isthmus.").getByRole("group", { name: "Version 1 of 2" }).waitFor();
    await page.reload();
    await row(page, "On the isthmus.").getByRole("group", { name: "Version 1 of 2" }).waitFor();
    expect((await opened.koine.ledger.transcript(thread)).length).toBe(2);
  });

  test("a message is edited in place in one tab while another tab switches branches", async () => {
    const { model, opened, page, thread } = await openWithThread();
    await using _ = opened;
    const other = await opened.openTab(`/t/${thread}`);
    await press(row(page, "Where is Corinth?"), "Edit");
    const field = page.getByRole("form", { name: "Edit message" }).getByRole("textbox");
    await field.fill("Where is Delphi?");
    await page.keyboard.press("Escape");
    await row(page, "Where is Corinth?").waitFor();
    await press(row(page, "Where is Corinth?"), "Edit");
    await page.keyboard.press("Control+Enter");
    (await model.nextCall()).complete("On a mountain.");
    await row(page, "Where is Delphi?").getByRole("group", { name: "Version 2 of 2" }).waitFor();
    await row(page, "On a mountain.").waitFor();
    await row(other, "On a mountain.").waitFor();

    await press(row(other, "Where is Delphi?"), "Previous version");
    await row(other, "On the isthmus.").waitFor();
    await row(page, "On the isthmus.").waitFor();
    // Saves without requesting an answer.
    await press(row(page, "Where is Corinth?"), "Edit");
    await field.fill("Where was Corinth?");
    await page.getByRole("button", { name: "Save only" }).click();
    await row(other, "Where was Corinth?").getByRole("group", { name: "Version 3 of 3" }).waitFor();
    expect(await page.getByRole("article").count()).toBe(1);
    expect(model.count).toBe(1);
  });

  test("the tree shows replaced and interrupted branches, supports keys and restores branches; a fork is independent", async () => {
    const { model, opened, page, thread } = await openWithThread();
    await using _ = opened;
    await page.keyboard.press("r");
    const pendingCall = await model.nextCall();
    pendingCall.begin("Near Ath");
    await row(page, "Near Ath").waitFor();
    const [run] = await opened.koine.ledger.runs(thread, { live: true });
    await fetch(`${opened.koine.url}/v1/runs/${run?.id}/cancel`, { method: "POST" });
    await page.keyboard.press("b");
    const tree = page.getByRole("tree");
    await tree.getByRole("treeitem", { name: /interrupted.*Near Ath/ }).waitFor();
    // The active branch has not changed.
    await row(page, "On the isthmus.").waitFor();
    const inTree = (): Promise<boolean> =>
      page.evaluate(() => document.activeElement?.matches("[role=treeitem]") === true);
    await expect.poll(inTree).toBe(true);

    // In the tree, letters change nothing; in a row they do, once while the key is down.
    await page.keyboard.press("r");
    await row(page, "On the isthmus.").focus();
    await page.keyboard.down("r");
    await page.keyboard.down("r");
    await page.keyboard.up("r");
    (await model.nextCall()).complete("By the gulf.");
    await row(page, "By the gulf.").getByRole("group", { name: "Version 3 of 3" }).waitFor();
    expect(model.count).toBe(2);
    const replaced = tree.getByRole("treeitem", { name: /replaced.*On the isthmus\./ });
    await replaced.getByRole("button", { name: "Restore" }).click();
    await row(page, "On the isthmus.").waitFor();
    expect(await tree.getByRole("treeitem", { name: /On the isthmus\./, selected: true }).count()).toBe(1);

    await tree.getByRole("treeitem", { name: /On the isthmus\./ }).focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-level"))).toBe("2");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await row(page, "By the gulf.").waitFor();

    await choose(page, row(page, "By the gulf."), "Fork from here");
    await expect.poll(() => new URL(page.url()).pathname).not.toBe(`/t/${thread}`);
    await row(page, "By the gulf.").waitFor();
    expect(await page.getByRole("group", { name: /^Version/ }).count()).toBe(0);
    expect((await opened.koine.ledger.tree(thread)).messages).toHaveLength(4);
  });

  test("a failed answer shows its error and a retry button; the run dialog shows the provider", async () => {
    const { model, opened, page } = await openWithThread();
    await using _ = opened;
    await choose(page, row(page, "Where is Corinth?"), "Request another answer");
    (await model.nextCall()).fail("invalid-request");
    await page.getByText("The new answer failed. It was made to fail: invalid-request.").waitFor();
    await row(page, "On the isthmus.").waitFor();
    await press(row(page, "Where is Corinth?"), "Edit");
    await page.getByRole("form", { name: "Edit message" }).getByRole("textbox").fill("And Argos?");
    await page.getByRole("button", { name: "Save and ask" }).click();
    (await model.nextCall()).fail("invalid-request");
    const failure = page.getByRole("article", { name: "No answer" });
    await failure.getByText("It was made to fail").waitFor();
    await failure.getByRole("button", { name: "Retry" }).click();
    (await model.nextCall()).complete("South of Corinth.");
    await row(page, "South of Corinth.").waitFor();
    expect(await failure.count()).toBe(0);
    await choose(page, row(page, "South of Corinth."), "Show run");
    const dialog = page.getByRole("dialog", { name: "Run" });
    await dialog.getByText("finished").waitFor();
    expect(await dialog.getByRole("definition").allInnerTexts()).toContain("manual");
    await dialog.getByText("No losses").waitFor();
  });
});
