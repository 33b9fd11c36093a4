// Takes screenshots of every view at two widths and in both color schemes, from a server with sample data:
// docs/screenshots/<view>-<width>-<scheme>.png. `--out dir` sets the folder, `--view name` selects one view.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { launch } from "../test/page/support/chromium.ts";
import { openPage } from "../test/page/support/open-page.ts";
import { STORY_NOW, StoryClock, storyConfig, playStory } from "../test/page/support/story.ts";
import { VIEW_NAMES, createViews } from "../test/page/support/views.ts";

const { values } = parseArgs({
  options: {
    out: { type: "string", default: fileURLToPath(new URL("../docs/screenshots", import.meta.url)) },
    view: { type: "string" },
  },
});
const SIZES = { 1440: { width: 1440, height: 900 }, 390: { width: 390, height: 844 } };

mkdirSync(values.out, { recursive: true });
const clock = new StoryClock();
const browser = await launch();
const opened = await openPage({ browser, config: storyConfig(), options: { clock: clock.read } });
const views = createViews(await playStory(opened.koine, clock));
const { page } = opened;
await page.clock.setFixedTime(STORY_NOW);
for (const name of VIEW_NAMES.filter((each) => values.view === undefined || each === values.view)) {
  for (const [width, size] of Object.entries(SIZES)) {
    await page.setViewportSize(size);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await views[name].open(page);
      // The pause is needed, because syntax colors and model names are loaded shortly after the view.
      await page.waitForTimeout(600);
      await page.screenshot({ path: join(values.out, `${name}-${width}-${colorScheme}.png`), animations: "disabled" });
    }
  }
  console.log(name);
}
await opened[Symbol.asyncDispose]();
await browser.close();
