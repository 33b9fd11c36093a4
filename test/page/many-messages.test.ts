// A conversation of 5,000 messages: only what is around the reader is in the page, wherever they go.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { assistant, type Message, user } from "../../src/model/index.ts";
import { openPage } from "./support/open-page.ts";

const COUNT = 5000;
/** More rows than a window, and what is drawn around it, can hold. */
const MOST_ROWS = 40;

/** Of very different lengths; each can be told from the others. */
function saying(at: number): Message {
  const words = `Number ${at}. ${"The harbour lies to the south of the old town. ".repeat((at * 7) % 23)}`;
  return at % 2 === 0 ? user(words) : assistant(words);
}

/** Points down the middle of the list where no message is drawn. */
function blanks(page: Page): Promise<number> {
  return page.getByRole("feed").evaluate((feed) => {
    const { left, width, top, bottom } = (feed.parentElement ?? feed).getBoundingClientRect();
    const { top: first, bottom: last } = feed.getBoundingClientRect();
    let count = 0;
    // The list begins and ends with some room.
    for (let y = Math.max(top, first + 16) + 2; y < Math.min(bottom, last - 40) - 2; y += 20) {
      const found = document.elementFromPoint(left + width / 2, y);
      if (found?.closest("article, button") === null) count++;
    }
    return count;
  });
}

/** Whether everything in sight is there in full. */
function isFilled(page: Page): Promise<boolean> {
  return page.getByRole("feed").evaluate((feed) => feed.querySelector("[data-filled=false]") === null);
}

describe("5,000 messages", () => {
  test("open at the end, at the top and at a link in the middle, are scrolled without blanks, and few are drawn at once", async () => {
    await using opened = await openPage();
    const { page, koine } = opened;
    const { ledger } = koine;
    const thread = await ledger.createThread({ title: "The long talk" });
    const ids: string[] = [];
    for (let at = 0; at < COUNT; at += 1000) {
      const said = await ledger.append(
        thread.id,
        Array.from({ length: 1000 }, (_, more) => saying(at + more)),
      );
      ids.push(...said.map(({ id }) => id));
    }
    const rows = page.getByRole("article");
    const named = (at: number) => page.getByText(new RegExp(`^Number ${at}\\.`));

    await page.goto(`/t/${thread.id}`);
    await named(COUNT - 1).waitFor();
    await expect.poll(() => isFilled(page)).toBe(true);
    expect(await named(COUNT - 1).isVisible()).toBe(true);
    expect(await rows.count()).toBeLessThan(MOST_ROWS);

    const scroller = page.getByRole("feed").locator("..");
    // Up through what was never drawn: the reader's place does not jump, and nothing is blank.
    await page.mouse.move(900, 400);
    for (let turn = 0; turn < 12; turn++) {
      await page.mouse.wheel(0, -500);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      expect(await blanks(page)).toBe(0);
    }
    await scroller.evaluate((element) => (element.scrollTop = 0));
    await named(0).waitFor();
    await expect.poll(() => isFilled(page)).toBe(true);
    expect(await blanks(page)).toBe(0);
    expect(await rows.count()).toBeLessThan(MOST_ROWS);

    const middle = 2501;
    await page.goto(`/t/${thread.id}?at=${ids[middle]}`);
    await named(middle).waitFor();
    await expect.poll(() => isFilled(page)).toBe(true);
    const [top, frame] = await Promise.all([rows.filter({ has: named(middle) }).boundingBox(), scroller.boundingBox()]);
    expect(Math.abs((top?.y ?? 0) - (frame?.y ?? 0))).toBeLessThan(40);

    // By keys from there, and back to the end.
    await rows.filter({ has: named(middle) }).focus();
    for (const key of ["j", "j", "k"]) await page.keyboard.press(key);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent.includes("Number 2502.")))
      .toBe(true);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await named(COUNT - 1).waitFor();
    expect(await rows.count()).toBeLessThan(MOST_ROWS);

    // The tree of it is one stretch.
    await page.keyboard.press("b");
    await page.getByRole("treeitem", { name: `${COUNT - 2} messages` }).waitFor();
  });
});
