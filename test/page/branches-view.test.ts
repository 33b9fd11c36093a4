// Branches as a reader makes and walks them: regenerated, edited, forked, switched in one tab and followed in another,
// replaced and restored; and the tree that shows them all.
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { assistant, user } from "../../src/model/index.ts";
import type { KoineServer } from "../../src/server/server.ts";
import { HeldModel } from "../server/tasks/support.ts";
import { openPage } from "./support/open-page.ts";

const row = (page: Page, text: string): Locator => page.getByRole("article").filter({ hasText: text });

async function seed({ ledger }: KoineServer): Promise<string> {
  const { threadId } = await ledger.record({
    thread: { id: ledger.newId(), title: "Corinth" },
    input: { messages: [user("Where is Corinth?")] },
    messages: [assistant("On the isthmus.")],
    metadata: { provider: "held", model: "held" },
  });
  return threadId;
}

/** A model that the test speaks for, and a conversation with one answer. */
async function openSeeded() {
  const model = new HeldModel();
  const config = { providers: { held: model.provider }, tasks: { model: "held/held" } };
  const opened = await openPage({ config });
  const thread = await seed(opened.koine);
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
  test("B93: an answer is regenerated beside the former one; the choice between them persists, and another tab follows it", async () => {
    const { model, opened, page, thread } = await openSeeded();
    await using _ = opened;
    const other = await opened.tab(`/t/${thread}`);
    await press(row(page, "On the isthmus."), "Regenerate");
    const asked = await model.asked();
    asked.begin("Between two");
    await row(page, "Between two").getByRole("group", { name: "Version 2 of 2" }).waitFor();
    // While it is written, the former answer is one step away.
    await press(row(page, "Between two"), "Previous version");
    await row(page, "On the isthmus.").getByRole("group", { name: "Version 1 of 2" }).waitFor();
    await press(row(page, "On the isthmus."), "Next version");
    asked.say(" seas.");
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

  test("a message is edited in its place, by one tab while the other switches", async () => {
    const { model, opened, page, thread } = await openSeeded();
    await using _ = opened;
    const other = await opened.tab(`/t/${thread}`);
    await press(row(page, "Where is Corinth?"), "Edit");
    const field = page.getByRole("form", { name: "Edit message" }).getByRole("textbox");
    await field.fill("Where is Delphi?");
    await page.keyboard.press("Escape");
    await row(page, "Where is Corinth?").waitFor();
    await press(row(page, "Where is Corinth?"), "Edit");
    await page.keyboard.press("Control+Enter");
    (await model.asked()).say("On a mountain.");
    await row(page, "Where is Delphi?").getByRole("group", { name: "Version 2 of 2" }).waitFor();
    await row(page, "On a mountain.").waitFor();
    await row(other, "On a mountain.").waitFor();

    await press(row(other, "Where is Delphi?"), "Previous version");
    await row(other, "On the isthmus.").waitFor();
    await row(page, "On the isthmus.").waitFor();
    // Without asking: the words alone change.
    await press(row(page, "Where is Corinth?"), "Edit");
    await field.fill("Where was Corinth?");
    await page.getByRole("button", { name: "Save only" }).click();
    await row(other, "Where was Corinth?").getByRole("group", { name: "Version 3 of 3" }).waitFor();
    expect(await page.getByRole("article").count()).toBe(1);
    expect(model.count).toBe(1);
  });

  test("the tree shows replaced and interrupted branches in words, is walked by keys, and restores; a fork goes on by itself", async () => {
    const { model, opened, page, thread } = await openSeeded();
    await using _ = opened;
    await page.keyboard.press("r");
    const asked = await model.asked();
    asked.begin("Near Ath");
    await row(page, "Near Ath").waitFor();
    const [run] = await opened.koine.ledger.runs(thread, { live: true });
    await fetch(`${opened.koine.url}/v1/runs/${run?.id}/cancel`, { method: "POST" });
    await page.keyboard.press("b");
    const tree = page.getByRole("tree");
    await tree.getByRole("treeitem", { name: /interrupted.*Near Ath/ }).waitFor();
    // What is active stayed so.
    await row(page, "On the isthmus.").waitFor();
    const inTree = (): Promise<boolean> =>
      page.evaluate(() => document.activeElement?.matches("[role=treeitem]") === true);
    await expect.poll(inTree).toBe(true);

    // From the tree nothing is changed by a letter; from the row it is, once however long it is pressed.
    await page.keyboard.press("r");
    await row(page, "On the isthmus.").focus();
    await page.keyboard.down("r");
    await page.keyboard.down("r");
    await page.keyboard.up("r");
    (await model.asked()).say("By the gulf.");
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

  test("why there is no answer is told where it would stand, and it is asked for again; a run tells who was asked", async () => {
    const { model, opened, page } = await openSeeded();
    await using _ = opened;
    await choose(page, row(page, "Where is Corinth?"), "Answer this again");
    (await model.asked()).fail("invalid-request");
    await page.getByText("There is no other answer. It was made to fail: invalid-request.").waitFor();
    await row(page, "On the isthmus.").waitFor();
    await press(row(page, "Where is Corinth?"), "Edit");
    await page.getByRole("form", { name: "Edit message" }).getByRole("textbox").fill("And Argos?");
    await page.getByRole("button", { name: "Save and ask" }).click();
    (await model.asked()).fail("invalid-request");
    const failure = page.getByRole("article", { name: "No answer" });
    await failure.getByText("It was made to fail").waitFor();
    await failure.getByRole("button", { name: "Retry" }).click();
    (await model.asked()).say("South of Corinth.");
    await row(page, "South of Corinth.").waitFor();
    expect(await failure.count()).toBe(0);
    await choose(page, row(page, "South of Corinth."), "Show run");
    const dialog = page.getByRole("dialog", { name: "Run" });
    await dialog.getByText("finished").waitFor();
    expect(await dialog.getByRole("definition").allInnerTexts()).toContain("held");
    await dialog.getByText("Nothing was lost").waitFor();
  });
});
