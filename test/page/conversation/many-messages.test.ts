// Tests a conversation of 5,000 messages: only the rows around the viewport are rendered.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { assistant, type Message, user } from "../../../src/model/index.ts";
import { openPage } from "../support/open-page.ts";

const COUNT = 5000;
/** More rows than the viewport and its overscan can contain. */
const MOST_ROWS = 40;

/** Messages of very different lengths, each unique. */
function createMessage(at: number): Message {
  const content = `Number ${at}. ${"The harbour lies to the south of the old town. ".repeat((at * 7) % 23)}`;
  return at % 2 === 0 ? user(content) : assistant(content);
}

/** Counts points down the middle of the list without a message. */
function countBlanks(page: Page): Promise<number> {
  return page.getByRole("feed").evaluate((feed) => {
    const { left, width, top, bottom } = (feed.parentElement ?? feed).getBoundingClientRect();
    const { top: first, bottom: last } = feed.getBoundingClientRect();
    let count = 0;
    // The list has padding at both ends.
    for (let y = Math.max(top, first + 16) + 2; y < Math.min(bottom, last - 40) - 2; y += 20) {
      const found = document.elementFromPoint(left + width / 2, y);
      if (found?.closest("article, button") === null) count++;
    }
    return count;
  });
}

/** True if all visible rows show their bodies. */
function isFilled(page: Page): Promise<boolean> {
  return page.getByRole("feed").evaluate((feed) => feed.querySelector("[data-filled=false]") === null);
}

describe("5,000 messages", () => {
  test("open at the end, at the top and at a link, scroll without blanks, and render few rows at once", async () => {
    await using opened = await openPage();
    const { page, koine } = opened;
    const { ledger } = koine;
    const thread = await ledger.createThread({ title: "The long talk" });
    const ids: string[] = [];
    for (let at = 0; at < COUNT; at += 1000) {
      const appended = await ledger.append(
        thread.id,
        Array.from({ length: 1000 }, (_, more) => createMessage(at + more)),
      );
      ids.push(...appended.map(({ id }) => id));
    }
    const rows = page.getByRole("article");
    const named = (at: number) => page.getByText(new RegExp(`^Number ${at}\\.`));

    await page.goto(`/t/${thread.id}`);
    await named(COUNT - 1).waitFor();
    await expect.poll(() => isFilled(page)).toBe(true);
    expect(await named(COUNT - 1).isVisible()).toBe(true);
    expect(await rows.count()).toBeLessThan(MOST_ROWS);

    const scroller = page.getByRole("feed").locator("..");
    // Scrolls up through rows that were never rendered: the position does not jump, and nothing is blank.
    await page.mouse.move(900, 400);
    for (let turn = 0; turn < 12; turn++) {
      await page.mouse.wheel(0, -500);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      expect(await countBlanks(page)).toBe(0);
    }
    await scroller.evaluate((element) => (element.scrollTop = 0));
    await named(0).waitFor();
    await expect.poll(() => isFilled(page)).toBe(true);
    expect(await countBlanks(page)).toBe(0);
    expect(await rows.count()).toBeLessThan(MOST_ROWS);

    const middle = 2501;
    await page.goto(`/t/${thread.id}?at=${ids[middle]}`);
    await named(middle).waitFor();
    await expect.poll(() => isFilled(page)).toBe(true);
    const [top, frame] = await Promise.all([rows.filter({ has: named(middle) }).boundingBox(), scroller.boundingBox()]);
    expect(Math.abs((top?.y ?? 0) - (frame?.y ?? 0))).toBeLessThan(40);

    // Moves by keys, then back to the end.
    await rows.filter({ has: named(middle) }).focus();
    for (const key of ["j", "j", "k"]) await page.keyboard.press(key);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent.includes("Number 2502.")))
      .toBe(true);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await named(COUNT - 1).waitFor();
    expect(await rows.count()).toBeLessThan(MOST_ROWS);

    // The tree folds the whole conversation into one gap.
    await page.keyboard.press("b");
    await page.getByRole("treeitem", { name: `${COUNT - 2} messages` }).waitFor();
  });
});
