// Tests the inspector in a real browser: a recorded conversation in every dialect, and its code, which is executed as
// copied.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { assistant, system, user } from "../../../src/model/index.ts";
import type { OpenPage } from "../support/open-page.ts";
import { openPage } from "../support/open-page.ts";

let opened: OpenPage;
let page: Page;
let folder: string;
let threadId = "";
beforeAll(async () => {
  // Inside the project, so that the SDKs can be imported.
  folder = mkdtempSync(fileURLToPath(new URL("../../../node_modules/.cache/koine-code-", import.meta.url)));
  opened = await openPage({ context: { permissions: ["clipboard-read", "clipboard-write"] } });
  ({ page } = opened);
  threadId = await recordConversation(opened.koine.url);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await opened[Symbol.asyncDispose]();
});

const TOOL = { name: "tide", input_schema: { type: "object", properties: { gauge: { type: "integer" } } } };

/** Records a call with a tool and its result over the Anthropic protocol; returns the thread id. */
async function recordConversation(url: string): Promise<string> {
  // Digits that JavaScript would round, so the JSON is written by hand.
  const question = 'call tide {\\"gauge\\":9007199254740993}';
  const head = `{"model":"demo/koine","max_tokens":512,"system":"It's a pilot's \\"log\\".","tools":[${JSON.stringify(TOOL)}]`;
  const ask = async (messages: string): Promise<[body: string, thread: string]> => {
    const response = await fetch(`${url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "a pilot" },
      body: `${head},"messages":${messages}}`,
    });
    return [await response.text(), response.headers.get("x-koine-thread") ?? ""];
  };
  const [first] = await ask(`[{"role":"user","content":"${question}"}]`);
  const content = /"content":(\[.*?\]),"stop_reason"/s.exec(first)?.[1] ?? "";
  const id =
    /"id":"([^"]+)","name":"tide"/.exec(first)?.[1] ?? /"type":"tool_use","id":"([^"]+)"/.exec(first)?.[1] ?? "";
  expect(first).toContain("9007199254740993");
  const result = `{"type":"tool_result","tool_use_id":"${id}","is_error":true,"content":"The gauge is silent."}`;
  const [, thread] = await ask(
    `[{"role":"user","content":"${question}"},{"role":"assistant","content":${content}},{"role":"user","content":[${result}]}]`,
  );
  return thread;
}

const waitForColumns = (): Promise<void> => page.getByRole("status").getByText("4 columns").waitFor();

test("a conversation is shown in every dialect with its losses", async () => {
  await page.goto(`/t/${threadId}/inspect`);
  await waitForColumns();
  const chat = page.getByRole("region", { name: "OpenAI Chat Completions" });
  for (const name of ["Canonical", "Anthropic Messages", "Gemini generateContent"]) {
    await page.getByRole("tree", { name, exact: true }).getByText("9007199254740993").first().waitFor();
  }
  await chat.getByRole("treeitem", { name: /Loss error-flag-unsupported/ }).click();
  const canonical = page.getByRole("tree", { name: "Canonical" });
  await canonical.getByRole("treeitem", { name: /error-flag-unsupported.*Chat/ }).waitFor();
});

test("a call shows its request, its answer and its details", async () => {
  const show = page.getByRole("combobox", { name: "Show" });
  await show.selectOption({ index: 1 });
  await waitForColumns();
  const facts = page.getByRole("region", { name: "Call details" });
  await facts.getByText("demo, koine", { exact: true }).waitFor();
  expect(await facts.textContent()).toMatch(/Dialect\s*Anthropic Messages.*Client\s*a pilot.*Attempt 1\s*demo, koine/);
  const canonical = page.getByRole("tree", { name: "Canonical" });
  await canonical.getByText('"tools"').waitFor();
  await page.getByRole("radio", { name: "Answer" }).check();
  await canonical.getByText('"finishReason"').waitFor();
  await page
    .getByRole("tree", { name: "OpenAI Chat Completions" })
    .getByText('"tool_calls"', { exact: true })
    .first()
    .waitFor();
});

/** Runs code of the page, and returns its output. */
async function runProgram(code: string, name: string): Promise<string> {
  // Asynchronous, because the server runs in this process.
  if (name === "curl") return (await promisify(execFile)("sh", ["-c", code])).stdout;
  const file = join(folder, `${name.replaceAll(/\W/g, "-")}.mjs`);
  writeFileSync(file, code);
  const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
  try {
    await import(/* @vite-ignore */ pathToFileURL(file).href);
    return JSON.stringify(printed.mock.calls);
  } finally {
    printed.mockRestore();
  }
}

test("a call is shown as code for every SDK, and each program runs as copied", async () => {
  await page.getByRole("combobox", { name: "Show" }).selectOption({ index: 2 });
  await page.getByRole("radio", { name: "Request" }).check();
  await waitForColumns();
  await page.getByRole("button", { name: "Copy as code" }).click();
  const dialog = page.getByRole("dialog", { name: "Request as code" });
  // The dialect of the call has no losses; others list theirs.
  await dialog.getByRole("tab", { name: "@anthropic-ai/sdk", selected: true }).waitFor();
  const lossRegion = dialog.getByRole("region", { name: "Not included in this code" });
  expect(await lossRegion.count()).toBe(0);
  await dialog.getByRole("tab", { name: "openai, Chat", exact: true }).click();
  await lossRegion.getByText("error-flag-unsupported").waitFor();
  for (const name of ["curl", "openai, Chat", "openai, Responses", "@anthropic-ai/sdk", "@google/genai", "ai"]) {
    await dialog.getByRole("tab", { name, exact: true }).click();
    await dialog.getByRole("button", { name: `Copy ${name}`, exact: true }).click();
    const code = await dialog.getByLabel(`Code for ${name}`, { exact: true }).textContent();
    expect(code).toContain("9007199254740993");
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(code);
    // The demo model repeats its tool result.
    expect([name, await runProgram(code ?? "", name)]).toStrictEqual([
      name,
      expect.stringContaining("gauge is silent"),
    ]);
  }
  await page.keyboard.press("Escape");
});

test("a URL selects a branch by its last message; on narrow screens columns are tabs", async () => {
  const { ledger } = opened.koine;
  const tree = await ledger.tree(threadId);
  const question = tree.messages.find(({ role }) => role === "user");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/t/${threadId}/inspect?at=${question?.id}`);
  await waitForColumns();
  await page.getByRole("tab", { name: "Gemini" }).click();
  const gemini = page.getByRole("tree", { name: "Gemini generateContent" });
  await gemini.getByText("call tide").waitFor();
  expect(await gemini.getByText("gauge is silent").count()).toBe(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("a long conversation shows its end, and more on request; its code covers all of it", async () => {
  const { ledger } = opened.koine;
  const { id } = await ledger.createThread({ title: "Long" });
  await ledger.append(id, [
    system("Count."),
    ...Array.from({ length: 450 }, (_, at) => (at % 2 === 0 ? user(`Question ${at}`) : assistant(`Answer ${at}`))),
  ]);
  await page.goto(`/t/${id}/inspect`);
  await page.getByText("The instructions and the last 200 of 451 messages").waitFor();
  await waitForColumns();
  await page.getByRole("tree", { name: "Canonical" }).getByText('"system"').waitFor();
  await page.getByRole("button", { name: "Copy as code" }).click();
  const dialog = page.getByRole("dialog", { name: "Request as code" });
  await dialog.getByRole("button", { name: "Copy curl" }).click();
  const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toContain('"Question 448"');
  for (const text of ["Count.", "Question 0", "Answer 1", "Question 248"])
    expect(await copied()).toContain(`"${text}"`);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "200 more" }).click();
  await page.getByText("the last 400 of 451 messages").waitFor();
  await page.getByRole("button", { name: "50 more" }).click();
  await expect.poll(() => page.getByText(/of 451 messages/).count()).toBe(0);
});
