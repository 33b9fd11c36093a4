// Tests every view with axe, in both color schemes and at both widths.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listSeriousFindings } from "../support/axe.ts";
import type { OpenPage } from "../support/open-page.ts";
import { openPage } from "../support/open-page.ts";
import type { Story } from "../support/story.ts";
import { StoryClock, storyConfig, playStory } from "../support/story.ts";
import { VIEW_NAMES, createViews } from "../support/views.ts";

let opened: OpenPage;
let story: Story;
beforeAll(async () => {
  const clock = new StoryClock();
  opened = await openPage({ config: storyConfig(), options: { clock: clock.read } });
  story = await playStory(opened.koine, clock);
});
afterAll(() => opened[Symbol.asyncDispose]());

describe.each([
  ["wide", 1440, 900],
  ["narrow", 390, 844],
])("%s", (_, width, height) => {
  test.each(VIEW_NAMES)("%s has no serious accessibility finding, light or dark", async (name) => {
    const { page } = opened;
    await page.setViewportSize({ width, height });
    await createViews(story)[name].open(page);
    expect(await listSeriousFindings(page)).toStrictEqual([]);
  });
});

test("an empty page has no serious accessibility finding", async () => {
  await using empty = await openPage();
  await empty.page.getByRole("heading", { level: 1, name: "Connect an SDK to Koine" }).waitFor();
  expect(await listSeriousFindings(empty.page)).toStrictEqual([]);
});
