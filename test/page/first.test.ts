// The page is there: from the package's files, under a strict policy, in a real browser.
import { expect, test } from "vitest";
import { openPage } from "./support/open-page.ts";

test("the page opens without a complaint", async () => {
  await using opened = await openPage();
  await opened.page.getByRole("main").waitFor();
  expect(await opened.page.title()).toBe("Koine");
});
