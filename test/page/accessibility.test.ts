// Every view, in both colour schemes and at both widths, as axe sees it: nothing serious.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seriousFindings } from "./support/axe.ts";
import type { OpenPage } from "./support/open-page.ts";
import { openPage } from "./support/open-page.ts";
import type { Story } from "./support/story.ts";
import { StoryClock, storyConfig, tellStory } from "./support/story.ts";
import { VIEW_NAMES, viewsOf } from "./support/views.ts";

let opened: OpenPage;
let story: Story;
beforeAll(async () => {
  const clock = new StoryClock();
  opened = await openPage({ config: storyConfig(), options: { clock: clock.read } });
  story = await tellStory(opened.koine, clock);
});
afterAll(() => opened[Symbol.asyncDispose]());

describe.each([
  ["wide", 1440, 900],
  ["narrow", 390, 844],
])("%s", (_, width, height) => {
  test.each(VIEW_NAMES)("%s has no serious finding, light or dark", async (name) => {
    const { page } = opened;
    await page.setViewportSize({ width, height });
    await viewsOf(story)[name].open(page);
    expect(await seriousFindings(page)).toStrictEqual([]);
  });
});

test("a page with nothing to show yet has none either", async () => {
  await using empty = await openPage();
  await empty.page.getByRole("heading", { level: 1, name: "Point an SDK at Koine" }).waitFor();
  expect(await seriousFindings(empty.page)).toStrictEqual([]);
});
