// Chats in a real browser: begun with any model, stopped, followed up and steered, with files, and with models that fail.
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { demo } from "../../src/client/index.ts";
import type { StoredMessage } from "../../src/model/index.ts";
import { HeldModel, toldOf } from "../server/tasks/support.ts";
import { type OpenPage, openPage } from "./support/open-page.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const field = (page: Page): Locator => page.getByRole("textbox", { name: "Message", exact: true });
const queue = (page: Page): Locator => page.getByRole("region", { name: "Queued messages" });
const stopButton = (page: Page): Locator => page.getByRole("button", { name: "Stop" });

function openHeld(model: HeldModel, path = "/new"): Promise<OpenPage> {
  return openPage({ path, config: { providers: { demo: demo(), test: model.provider } } });
}

/** Says the first words of a chat with the held model. */
async function begin(page: Page, text: string): Promise<void> {
  const model = page.getByRole("combobox", { name: "Model" });
  await model.fill("test/held");
  await model.press("Enter");
  await page.getByRole("textbox", { name: "First message" }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press("Enter");
}

/** The thread that the page shows. */
function threadOf(page: Page): string {
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}

async function transcript({ koine, page }: OpenPage): Promise<StoredMessage[]> {
  return koine.ledger.transcript(threadOf(page));
}

test("a chat begins with the demo, with what was set, and what was said before a stop is kept as interrupted", async () => {
  await using opened = await openPage({ path: "/new" });
  const { page, koine } = opened;
  expect(await page.getByRole("combobox", { name: "Model" }).inputValue()).toBe("demo/koine");
  await page.getByText("System prompt", { exact: true }).click();
  await page.getByRole("textbox", { name: "System prompt" }).fill("Be brief.");
  await page.getByText("Settings", { exact: true }).click();
  await page.getByRole("textbox", { name: "Temperature" }).fill("warm");
  await page.getByText("A number from 0 on, such as 0.7.").waitFor();
  await page.getByRole("textbox", { name: "Temperature" }).fill("0.5");
  await page.getByRole("button", { name: "help what it can do" }).click();
  const first = page.getByRole("textbox", { name: "First message" });
  expect(await first.inputValue()).toBe("help");
  await first.press("Enter");
  await page.getByText("a small script, not a language model", { exact: false }).first().waitFor();
  const [run] = await koine.ledger.runs(threadOf(page));
  const asked = await page.request.get(`/v1/runs/${run?.id}/request`);
  expect(await asked.json()).toMatchObject({ request: { sampling: { temperature: 0.5 } } });
  expect((await transcript(opened)).map(({ role }) => role)).toStrictEqual(["system", "user", "assistant"]);

  await say(page, "slow long 400");
  await page.getByText("The tide comes in", { exact: false }).first().waitFor();
  await field(page).press("Escape");
  await page.getByText("Interrupted", { exact: false }).first().waitFor();
  await stopButton(page).waitFor({ state: "detached" });
  const { messages } = await koine.ledger.tree(threadOf(page));
  expect(messages.at(-1)).toMatchObject({ role: "assistant", metadata: { interrupted: true } });
});

test("while an answer streams, a follow-up waits for it over a reload, and what steers takes its place", async () => {
  const model = new HeldModel();
  await using opened = await openHeld(model);
  const { page } = opened;
  await begin(page, "First.");
  const first = await model.asked();
  first.begin("One");
  await say(page, "Second.");
  await say(page, "Third.");
  await queue(page).getByText("Third.").waitFor();
  // No bubble before it is said.
  expect(await page.getByRole("article").getByText("Second.").count()).toBe(0);
  await field(page).fill("A draft.");
  await page.reload();
  await queue(page).getByText("Second.").waitFor();
  expect(await field(page).inputValue()).toBe("A draft.");
  await queue(page).getByRole("button", { name: "Take back" }).nth(1).click();
  expect(await field(page).inputValue()).toBe("Third.\n\nA draft.");
  // It is said whichever view is shown.
  await page.getByRole("link", { name: "Translate" }).click();
  first.say(" is done.");
  const second = await model.asked();
  await page.goBack();
  expect(toldOf(second.request)).toStrictEqual(["user: First.", "assistant: One is done.", "user: Second."]);
  await queue(page).waitFor({ state: "detached" });
  second.begin("Two");
  await page.getByText("Two", { exact: true }).first().waitFor();
  await page.getByText("Steer", { exact: true }).click();
  await say(page, "Rather this.");
  const third = await model.asked();
  expect(second.signal.aborted).toBe(true);
  expect(toldOf(third.request).slice(-2)).toStrictEqual(["user: Second.", "user: Rather this."]);
  third.say("As you like.");
  await page.getByText("As you like.").first().waitFor();
  expect((await transcript(opened)).map(({ role }) => role).join(" ")).toBe("user assistant user user assistant");
});

test("images and texts reach the model as parts with their data, however they were attached", async () => {
  const model = new HeldModel();
  await using opened = await openHeld(model);
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
  await begin(page, "What is this?");
  const asked = await model.asked();
  expect(asked.request.messages[0]?.parts).toMatchObject([
    { type: "image", mimeType: "image/png", data: PIXEL },
    { type: "file", name: "dropped.md", text: "From dropped.md" },
    { type: "text", text: "What is this?" },
  ]);
  asked.say("A dot.");
  await page.getByText("A dot.").first().waitFor();
  expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(true);
});

test("errors are told where they happen, nothing that was typed is lost, and another model answers the next question", async () => {
  const model = new HeldModel();
  await using opened = await openHeld(model);
  const { page, koine } = opened;
  const picker = page.getByRole("combobox", { name: "Model" });
  await picker.fill("nobody/nothing");
  await picker.press("Enter");
  await page.getByRole("textbox", { name: "First message" }).fill("Hello?");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("alert").getByText("nobody/nothing", { exact: false }).waitFor();
  opened.complaints.splice(0);
  expect(await page.getByRole("textbox", { name: "First message" }).inputValue()).toBe("Hello?");
  expect(await koine.ledger.threads({ limit: 5 })).toStrictEqual([]);
  await begin(page, "Hello?");
  (await model.asked()).fail("invalid-request");
  await page.getByText("It was made to fail: invalid-request.", { exact: false }).first().waitFor();
  await page.getByRole("button", { name: "Retry" }).click();
  (await model.asked()).say("Hello!");
  await page.getByText("Hello!").first().waitFor();

  const next = page.getByRole("combobox", { name: "Model for the next answer" });
  await next.click();
  await page.getByRole("option", { name: "demo/koine" }).click();
  // Enter that ends an input method's choice sends nothing; Shift+Enter is a new line.
  await field(page).fill("say A");
  await field(page).dispatchEvent("keydown", { key: "Enter", isComposing: true });
  await field(page).press("Shift+Enter");
  await field(page).pressSequentially("B");
  await field(page).press("Enter");
  await expect.poll(async () => (await transcript(opened)).at(-1)?.metadata).toMatchObject({ provider: "demo" });
  const [question, answer] = (await transcript(opened)).slice(-2);
  expect([question?.parts, answer?.parts]).toMatchObject([[{ text: "say A\nB" }], [{ text: "A\nB" }]]);
  await page.reload();
  await field(page).waitFor();
  expect(await next.inputValue()).toBe("demo/koine");
  const refusal = { error: { code: "unavailable", message: "The disk is full." } };
  await page.route("**/messages", (route) => route.fulfill({ status: 503, json: refusal }));
  await say(page, "Still there?");
  await page.getByRole("alert").getByText("The disk is full.").waitFor();
  await expect.poll(() => field(page).inputValue()).toBe("Still there?");
  opened.complaints.splice(0);
});
