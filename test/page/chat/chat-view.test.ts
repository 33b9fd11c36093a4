// Tests chats in a real browser: starting with any model, stopping, follow-ups, steering, files, and failing models.
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { demo } from "../../../src/client/index.ts";
import type { StoredMessage } from "../../../src/model/index.ts";
import { ManualModel, toMessageLines } from "../../server/tasks/support.ts";
import { type OpenPage, openPage } from "../support/open-page.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const messageField = (page: Page): Locator => page.getByRole("textbox", { name: "Message", exact: true });
const queuePanel = (page: Page): Locator => page.getByRole("region", { name: "Queued messages" });
const stopButton = (page: Page): Locator => page.getByRole("button", { name: "Stop" });

function openWithModel(model: ManualModel, path = "/new"): Promise<OpenPage> {
  return openPage({ path, config: { providers: { demo: demo(), test: model.provider } } });
}

/** Sends the first message of a chat with the test's model. */
async function startChat(page: Page, text: string): Promise<void> {
  const model = page.getByRole("combobox", { name: "Model" });
  await model.fill("test/manual");
  await model.press("Enter");
  await page.getByRole("textbox", { name: "First message" }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

async function sendMessage(page: Page, text: string): Promise<void> {
  await messageField(page).fill(text);
  await messageField(page).press("Enter");
}

/** Returns the id of the shown thread. */
function readThreadId(page: Page): string {
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}

async function readTranscript({ koine, page }: OpenPage): Promise<StoredMessage[]> {
  return koine.ledger.transcript(readThreadId(page));
}

async function readRoles(opened: OpenPage): Promise<string[]> {
  return (await readTranscript(opened)).map(({ role }) => role);
}

test("a chat starts with the demo model and its settings, and a stopped answer is stored as interrupted", async () => {
  await using opened = await openPage({ path: "/new" });
  const { page, koine } = opened;
  await expect.poll(() => page.getByRole("combobox", { name: "Model" }).inputValue()).toBe("demo/koine");
  await page.getByText("System prompt", { exact: true }).click();
  await page.getByRole("textbox", { name: "System prompt" }).fill("Be brief.");
  await page.getByText("Settings", { exact: true }).click();
  await page.getByRole("textbox", { name: "Temperature" }).fill("warm");
  await page.getByText("Enter a number of at least 0, such as 0.7.").waitFor();
  await page.getByRole("textbox", { name: "Temperature" }).fill("0.5");
  await page.getByRole("button", { name: "help what it can do" }).click();
  const first = page.getByRole("textbox", { name: "First message" });
  await expect.poll(() => first.inputValue()).toBe("help");
  await first.press("Enter");
  await page.getByText("a small script, not a language model", { exact: false }).first().waitFor();
  const [run] = await koine.ledger.runs(readThreadId(page));
  const request = await page.request.get(`/v1/runs/${run?.id}/request`);
  expect(await request.json()).toMatchObject({ request: { sampling: { temperature: 0.5 } } });
  // The text is shown while it streams; the answer is stored at its end.
  await expect.poll(() => readRoles(opened)).toStrictEqual(["system", "user", "assistant"]);

  await sendMessage(page, "slow long 400");
  await page.getByText("The tide comes in", { exact: false }).first().waitFor();
  await messageField(page).press("Escape");
  await page.getByText("Interrupted", { exact: false }).first().waitFor();
  await stopButton(page).waitFor({ state: "detached" });
  const { messages } = await koine.ledger.tree(readThreadId(page));
  expect(messages.at(-1)).toMatchObject({ role: "assistant", metadata: { interrupted: true } });
});

test("while an answer streams, a follow-up waits for it over a reload, and a steering message replaces it", async () => {
  const model = new ManualModel();
  await using opened = await openWithModel(model);
  const { page } = opened;
  await startChat(page, "First.");
  const first = await model.nextCall();
  first.begin("One");
  await sendMessage(page, "Second.");
  await sendMessage(page, "Third.");
  await queuePanel(page).getByText("Third.").waitFor();
  // A queued message has no bubble.
  expect(await page.getByRole("article").getByText("Second.").count()).toBe(0);
  await messageField(page).fill("A draft.");
  await page.reload();
  await queuePanel(page).getByText("Second.").waitFor();
  await expect.poll(() => messageField(page).inputValue()).toBe("A draft.");
  await queuePanel(page).getByRole("button", { name: "Remove and edit" }).nth(1).click();
  await expect.poll(() => messageField(page).inputValue()).toBe("Third.\n\nA draft.");
  // Follow-ups are sent while another view is shown, too.
  await page.getByRole("link", { name: "Translate" }).click();
  first.complete(" is done.");
  const second = await model.nextCall();
  await page.goBack();
  expect(toMessageLines(second.request)).toStrictEqual(["user: First.", "assistant: One is done.", "user: Second."]);
  await queuePanel(page).waitFor({ state: "detached" });
  second.begin("Two");
  await page.getByText("Two", { exact: true }).first().waitFor();
  await page.getByText("Steer", { exact: true }).click();
  await sendMessage(page, "Rather this.");
  const third = await model.nextCall();
  await expect.poll(() => second.signal.aborted).toBe(true);
  expect(toMessageLines(third.request).slice(-2)).toStrictEqual(["user: Second.", "user: Rather this."]);
  third.complete("As you like.");
  await page.getByText("As you like.").first().waitFor();
  await expect.poll(() => readRoles(opened)).toStrictEqual(["user", "assistant", "user", "user", "assistant"]);
});

test("images and texts reach the model as parts with their data, however they were attached", async () => {
  const model = new ManualModel();
  await using opened = await openWithModel(model);
  const { page } = opened;
  await page.locator("input[type=file]").setInputFiles([
    { name: "dot.png", mimeType: "image/png", buffer: Buffer.from(PIXEL, "base64") },
    { name: "all.zip", mimeType: "application/zip", buffer: Buffer.from([0x50, 0x4b, 3, 4, 0, 255]) },
  ]);
  const files = page.getByRole("list", { name: "Attached files" });
  await files.getByText("dot.png").waitFor();
  await page.getByRole("alert").getByText("“all.zip” is neither", { exact: false }).waitFor();
  for (const name of ["pasted.txt", "dropped.md"]) {
    await page.getByRole("textbox", { name: "First message" }).evaluate((element, named) => {
      const data = new DataTransfer();
      data.items.add(new File([`From ${named}`], named, { type: "text/plain" }));
      const how = { bubbles: true, cancelable: true };
      element.dispatchEvent(
        named.startsWith("pasted")
          ? new ClipboardEvent("paste", { ...how, clipboardData: data })
          : new DragEvent("drop", { ...how, dataTransfer: data }),
      );
    }, name);
    await files.getByText(name).waitFor();
  }
  await files.getByRole("button", { name: "Remove pasted.txt" }).click();
  await startChat(page, "What is this?");
  const request = await model.nextCall();
  expect(request.request.messages[0]?.parts).toMatchObject([
    { type: "image", mimeType: "image/png", data: PIXEL },
    { type: "file", name: "dropped.md", text: "From dropped.md" },
    { type: "text", text: "What is this?" },
  ]);
  request.complete("A dot.");
  await page.getByText("A dot.").first().waitFor();
  await expect.poll(() => messageField(page).evaluate((element) => element === document.activeElement)).toBe(true);
});

test("errors are shown next to their cause, typed text is preserved, and another model can answer the next message", async () => {
  const model = new ManualModel();
  await using opened = await openWithModel(model);
  const { page, koine } = opened;
  const picker = page.getByRole("combobox", { name: "Model" });
  await picker.fill("nobody/nothing");
  await picker.press("Enter");
  await page.getByRole("textbox", { name: "First message" }).fill("Hello?");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("alert").getByText("nobody/nothing", { exact: false }).waitFor();
  opened.pageErrors.splice(0);
  await expect.poll(() => page.getByRole("textbox", { name: "First message" }).inputValue()).toBe("Hello?");
  expect(await koine.ledger.threads({ limit: 5 })).toStrictEqual([]);
  await startChat(page, "Hello?");
  (await model.nextCall()).fail("invalid-request");
  await page.getByText("It was made to fail: invalid-request.", { exact: false }).first().waitFor();
  await page.getByRole("button", { name: "Retry" }).click();
  (await model.nextCall()).complete("Hello!");
  await page.getByText("Hello!").first().waitFor();

  const next = page.getByRole("combobox", { name: "Model for the next answer" });
  await next.click();
  await page.getByRole("option", { name: "demo/koine" }).click();
  // Enter that ends an input method's composition sends nothing; Shift+Enter inserts a line break.
  await messageField(page).fill("say A");
  await messageField(page).dispatchEvent("keydown", { key: "Enter", isComposing: true });
  await messageField(page).press("Shift+Enter");
  await messageField(page).pressSequentially("B");
  await messageField(page).press("Enter");
  await expect.poll(async () => (await readTranscript(opened)).at(-1)?.metadata).toMatchObject({ provider: "demo" });
  const [question, answer] = (await readTranscript(opened)).slice(-2);
  expect([question?.parts, answer?.parts]).toMatchObject([[{ text: "say A\nB" }], [{ text: "A\nB" }]]);
  await page.reload();
  await messageField(page).waitFor();
  await expect.poll(() => next.inputValue()).toBe("demo/koine");
  const refusal = { error: { code: "unavailable", message: "The disk is full." } };
  await page.route("**/messages", (route) => route.fulfill({ status: 503, json: refusal }));
  await sendMessage(page, "Still there?");
  await page.getByRole("alert").getByText("The disk is full.").waitFor();
  await expect.poll(() => messageField(page).inputValue()).toBe("Still there?");
  opened.pageErrors.splice(0);
});
