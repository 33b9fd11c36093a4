// Tests the home view: its programs are copied from the page and executed with the real SDKs.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openPage, type OpenPage } from "../support/open-page.ts";

/** Polls, because the page updates asynchronously. */
const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read);

let opened: OpenPage;
let folder: string;
beforeAll(async () => {
  // Inside the project, so that the SDKs can be imported.
  folder = mkdtempSync(fileURLToPath(new URL("../../../node_modules/.cache/koine-snippets-", import.meta.url)));
  opened = await openPage({ context: { permissions: ["clipboard-read", "clipboard-write"] } });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await opened[Symbol.asyncDispose]();
});

/** Runs a program of the page, and returns its output. */
async function runProgram(code: string, name: string): Promise<string> {
  // Asynchronous, because the server runs in this process.
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

/** Copies the program of a tab. */
async function copyProgram(page: Page, tab: string): Promise<string> {
  await page.getByRole("tab", { name: tab, exact: true }).click();
  await page.getByRole("button", { name: "Copy the code" }).click();
  await page.getByRole("status", { name: "Notes" }).getByText("Copied").waitFor();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text).toBe(await page.getByLabel(/^Program for/).textContent());
  return text;
}

test("an empty page shows the first steps, and waits for the first call", async () => {
  const { page } = opened;
  await page.getByRole("heading", { name: "Connect an SDK to Koine" }).waitFor();
  await page.getByText("Waiting for the first call").waitFor();
  await page.getByText("No conversations yet").waitFor();
  expect(await page.title()).toBe("Koine");
});

const TABS = ["OpenAI", "Anthropic", "Google", "AI SDK", "curl"];

test.each(TABS)("the program for %s runs as copied", async (tab) => {
  expect(await runProgram(await copyProgram(opened.page, tab), tab)).toContain("hello");
});

test("each of these conversations appears automatically, with a link", async () => {
  const { page } = opened;
  const list = page.getByRole("list", { name: "Conversations", exact: true });
  for (const tab of TABS) await list.getByRole("link", { name: `Say hello from ${readSdkName(tab)}` }).waitFor();
  await page.getByText("The first call has arrived.").waitFor();
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

const readSdkName = (tab: string): string => (tab === "curl" ? tab : `the ${tab.replace(" SDK", "")} SDK`);
