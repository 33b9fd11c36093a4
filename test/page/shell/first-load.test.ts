// Tests that the built page opens in a real browser under its content security policy.
import { expect, test } from "vitest";
import { openPage } from "../support/open-page.ts";

test("the page opens without errors", async () => {
  await using opened = await openPage();
  await opened.page.getByRole("main").waitFor();
  expect(await opened.page.title()).toBe("Koine");
});
