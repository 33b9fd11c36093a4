// Every view, in both colour schemes and at both widths, as axe sees it: nothing serious.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OpenPage } from "./support/open-page.ts";
import { openPage } from "./support/open-page.ts";
import { VIEW_NAMES, viewsOf } from "./support/views.ts";
import type { Story } from "./support/story.ts";
import { StoryClock, storyConfig, tellStory } from "./support/story.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Grave enough to keep somebody from using the page. */
const SERIOUS = new Set<string | null | undefined>(["serious", "critical"]);

let opened: OpenPage;
let story: Story;
beforeAll(async () => {
  const clock = new StoryClock();
  // The page's policy lets no foreign script in; axe is one.
  opened = await openPage({ config: storyConfig(), options: { clock: clock.read }, context: { bypassCSP: true } });
  story = await tellStory(opened.koine, clock);
  await opened.context.addInitScript(AXE);
});
afterAll(() => opened[Symbol.asyncDispose]());

/** What axe finds, one line each. */
async function findings(page: Page): Promise<string[]> {
  // axe is there by the script that was added.
  const found = await page.evaluate(() => (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run());
  const serious = found.violations.filter(({ impact }) => SERIOUS.has(impact));
  expect(found.passes.length).toBeGreaterThan(5);
  return serious.flatMap(({ id, help, nodes }) => nodes.map(({ target }) => `${id}: ${help} (${target.join(" ")})`));
}

describe.each([
  ["wide", 1440, 900],
  ["narrow", 390, 844],
])("%s", (_, width, height) => {
  test.each(VIEW_NAMES)("%s has no serious finding, light or dark", async (name) => {
    const { page } = opened;
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: "light" });
    await viewsOf(story)[name].open(page);
    expect(await findings(page)).toStrictEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await findings(page)).toStrictEqual([]);
  });
});
