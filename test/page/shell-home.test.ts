// A newcomer's first minutes: what the empty page says to paste is taken from it and run as it stands, with the real SDKs.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openPage, type OpenPage } from "./support/open-page.ts";

let opened: OpenPage;
let folder: string;
beforeAll(async () => {
  // Inside the project, where the SDKs are found.
  folder = mkdtempSync(fileURLToPath(new URL("../../node_modules/.cache/koine-snippets-", import.meta.url)));
  opened = await openPage({ context: { permissions: ["clipboard-read", "clipboard-write"] } });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await opened[Symbol.asyncDispose]();
});

/** Runs a program of the page, and gives what it printed. */
async function run(code: string, name: string): Promise<string> {
  if (name === "curl")
    return execFileSync("sh", ["-c", code], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const file = join(folder, `${name.replace(" ", "-")}.mjs`);
  writeFileSync(file, code);
  const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
  try {
    await import(/* @vite-ignore */ pathToFileURL(file).href);
    return printed.mock.calls.flat().join("\n");
  } finally {
    printed.mockRestore();
  }
}

/** The program as one would copy it. */
async function copied(page: Page, tab: string): Promise<string> {
  await page.getByRole("tab", { name: tab, exact: true }).click();
  await page.getByRole("button", { name: "Copy the program" }).click();
  await page.getByRole("status", { name: "Notes" }).getByText("Copied").waitFor();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text).toBe(await page.getByLabel(/^Program for/).textContent());
  return text;
}

test("an empty page tells what to do, and waits for the first call", async () => {
  const { page } = opened;
  await page.getByRole("heading", { name: "Point an SDK at Koine" }).waitFor();
  await page.getByText("Waiting for the first call").waitFor();
  await page.getByText("No conversations yet").waitFor();
  expect(await page.title()).toBe("Koine");
});

test.each([
  ["OpenAI", "Say hello from the OpenAI SDK"],
  ["Anthropic", "Say hello from the Anthropic SDK"],
  ["Google", "Say hello from the Google SDK"],
  ["AI SDK", "Say hello from the AI SDK"],
  ["curl", "Say hello from curl"],
])("the program for %s runs as it was copied, and its conversation appears by itself", async (tab, said) => {
  const { page } = opened;
  const printed = await run(await copied(page, tab), tab);
  expect(printed).toContain("hello");
  const list = page.getByRole("list", { name: "Conversations", exact: true });
  await list.getByRole("link", { name: said }).waitFor();
  await page.getByText("It works: a conversation has arrived.").waitFor();
});

test("what has arrived is a click away, and the programs stay reachable", async () => {
  const { page } = opened;
  const row = page.getByRole("link", { name: /Say hello from curl.* tokens/ });
  await row.click();
  await page.waitForURL(/\/t\/\w+$/);
  await expect.poll(() => row.getAttribute("aria-current")).toBe("page");
  await expect.poll(() => page.title()).toBe("Say hello from curl · Koine");
  await page.getByRole("link", { name: "Connect an SDK" }).click();
  await page.getByRole("heading", { name: "Connect an SDK" }).waitFor();
  await expect.poll(() => page.title()).toBe("Koine");
});
