// The inspector in a real browser: a recorded conversation and its calls in every dialect, and the code to ask again, which
// is run as it was copied.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { assistant, system, user } from "../../src/model/index.ts";
import type { OpenPage } from "./support/open-page.ts";
import { openPage } from "./support/open-page.ts";

let opened: OpenPage;
let page: Page;
let folder: string;
let threadId = "";
beforeAll(async () => {
  // Inside the project, where the SDKs are found.
  folder = mkdtempSync(fileURLToPath(new URL("../../node_modules/.cache/koine-code-", import.meta.url)));
  opened = await openPage({ context: { permissions: ["clipboard-read", "clipboard-write"] } });
  ({ page } = opened);
  threadId = await talk(opened.koine.url);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await opened[Symbol.asyncDispose]();
});

const TOOL = { name: "tide", input_schema: { type: "object", properties: { gauge: { type: "integer" } } } };

/** A call with a tool, and its result, over Anthropic's protocol. Gives the thread. */
async function talk(url: string): Promise<string> {
  // Digits that a JavaScript program would round; written by hand, because it would round them.
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

const loaded = (): Promise<void> => page.getByRole("status").getByText("4 columns").waitFor();

test("a conversation is shown in every dialect, with what each would lose", async () => {
  await page.goto(`/t/${threadId}/inspect`);
  await loaded();
  const chat = page.getByRole("region", { name: "OpenAI Chat Completions" });
  for (const name of ["Canonical", "Anthropic Messages", "Gemini generateContent"]) {
    await page.getByRole("tree", { name, exact: true }).getByText("9007199254740993").first().waitFor();
  }
  await chat.getByRole("treeitem", { name: /Loss error-unsaid/ }).click();
  const canonical = page.getByRole("tree", { name: "Canonical" });
  await canonical.getByRole("treeitem", { name: /error-unsaid.*Chat/ }).waitFor();
});

test("a call shows what was asked, what was answered, and what happened on the wire", async () => {
  const show = page.getByRole("combobox", { name: "Show" });
  await show.selectOption({ index: 1 });
  await loaded();
  const facts = page.getByRole("region", { name: "What happened" });
  await facts.getByText("demo, koine", { exact: true }).waitFor();
  expect(await facts.textContent()).toMatch(/Asked in\s*Anthropic Messages.*Client\s*a pilot.*Attempt 1\s*demo, koine/);
  const canonical = page.getByRole("tree", { name: "Canonical" });
  await canonical.getByText('"tools"').waitFor();
  await page.getByRole("radio", { name: "What was answered" }).check();
  await canonical.getByText('"finishReason"').waitFor();
  await page
    .getByRole("tree", { name: "OpenAI Chat Completions" })
    .getByText('"tool_calls"', { exact: true })
    .first()
    .waitFor();
});

/** Runs code of the page, and gives what it printed. */
async function run(code: string, name: string): Promise<string> {
  // Not at once: the server that it calls is in this process.
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

test("a call is code for every SDK, and each runs as it was copied", async () => {
  await page.getByRole("combobox", { name: "Show" }).selectOption({ index: 2 });
  await page.getByRole("radio", { name: "What was asked" }).check();
  await loaded();
  await page.getByRole("button", { name: "Copy as code" }).click();
  const dialog = page.getByRole("dialog", { name: "Ask it again, as code" });
  // The one in whose words it was asked, which loses nothing; others say what they lose.
  await dialog.getByRole("tab", { name: "@anthropic-ai/sdk", selected: true }).waitFor();
  const unsaid = dialog.getByRole("region", { name: "What this code does not say" });
  expect(await unsaid.count()).toBe(0);
  await dialog.getByRole("tab", { name: "openai, Chat", exact: true }).click();
  await unsaid.getByText("error-unsaid").waitFor();
  for (const name of ["curl", "openai, Chat", "openai, Responses", "@anthropic-ai/sdk", "@google/genai", "ai"]) {
    await dialog.getByRole("tab", { name, exact: true }).click();
    await dialog.getByRole("button", { name: `Copy ${name}`, exact: true }).click();
    const code = await dialog.getByLabel(`Code for ${name}`, { exact: true }).textContent();
    expect(code).toContain("9007199254740993");
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(code);
    // The demo model repeats what its tool said.
    expect([name, await run(code ?? "", name)]).toStrictEqual([name, expect.stringContaining("gauge is silent")]);
  }
  await page.keyboard.press("Escape");
});

test("an address names a branch by its last message; on phones columns are tabs", async () => {
  const { ledger } = opened.koine;
  const tree = await ledger.tree(threadId);
  const question = tree.messages.find(({ role }) => role === "user");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/t/${threadId}/inspect?at=${question?.id}`);
  await loaded();
  await page.getByRole("tab", { name: "Gemini" }).click();
  const gemini = page.getByRole("tree", { name: "Gemini generateContent" });
  await gemini.getByText("call tide").waitFor();
  expect(await gemini.getByText("gauge is silent").count()).toBe(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("of a long conversation the end is shown, and more of it on demand; its code is of all of it", async () => {
  const { ledger } = opened.koine;
  const { id } = await ledger.createThread({ title: "Long" });
  await ledger.append(id, [
    system("Count."),
    ...Array.from({ length: 450 }, (_, at) => (at % 2 === 0 ? user(`Question ${at}`) : assistant(`Answer ${at}`))),
  ]);
  await page.goto(`/t/${id}/inspect`);
  await page.getByText("The instructions, and the last 200 of 451 messages").waitFor();
  await loaded();
  await page.getByRole("tree", { name: "Canonical" }).getByText('"system"').waitFor();
  await page.getByRole("button", { name: "Copy as code" }).click();
  const dialog = page.getByRole("dialog", { name: "Ask it again, as code" });
  await dialog.getByRole("button", { name: "Copy curl" }).click();
  const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toContain('"Question 448"');
  for (const words of ["Count.", "Question 0", "Answer 1", "Question 248"])
    expect(await copied()).toContain(`"${words}"`);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "200 more" }).click();
  await page.getByText("the last 400 of 451 messages").waitFor();
  await page.getByRole("button", { name: "50 more" }).click();
  await expect.poll(() => page.getByText(/of 451 messages/).count()).toBe(0);
});
