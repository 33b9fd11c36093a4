// A newcomer's first minutes: what the empty page says to paste is taken from it and run as it stands, with the real SDKs.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openPage, type OpenPage } from "./support/open-page.ts";

/** The page needs a moment; how long is the machine's to say. */
const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 10_000 });

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
  // Not at once: the server that it calls is in this process.
  if (name === "curl") return (await promisify(execFile)("sh", ["-c", code])).stdout;
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

const TABS = ["OpenAI", "Anthropic", "Google", "AI SDK", "curl"];

test.each(TABS)("the program for %s runs as it was copied", async (tab) => {
  expect(await run(await copied(opened.page, tab), tab)).toContain("hello");
});

test("each of these conversations appears by itself, and is a click away", async () => {
  const { page } = opened;
  const list = page.getByRole("list", { name: "Conversations", exact: true });
  for (const tab of TABS) await list.getByRole("link", { name: `Say hello from ${sdkOf(tab)}` }).waitFor();
  await page.getByText("It works: a conversation has arrived.").waitFor();
  const row = list.getByRole("link", { name: "Say hello from curl" });
  expect(await row.textContent()).toMatch(/koine.*\d+ tokens/);
  await row.click();
  await page.waitForURL(/\/t\/\w+$/);
  await eventually(() => row.getAttribute("aria-current")).toBe("page");
  await eventually(() => page.title()).toBe("Say hello from curl · Koine");
  await page.getByRole("link", { name: "Connect an SDK" }).click();
  await page.getByRole("heading", { name: "Connect an SDK" }).waitFor();
  await eventually(() => page.title()).toBe("Koine");
});

const sdkOf = (tab: string): string => (tab === "curl" ? tab : `the ${tab.replace(" SDK", "")} SDK`);
