// Tests tasks in a real browser: approvals, the queue, failures, and a killed server.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { demo } from "../../../src/client/index.ts";
import { startMcpHttp } from "../../agent/support/mcp-http.ts";
import { spawnKoine } from "../../server/support/start-koine.ts";
import { ManualModel, toMessageLines } from "../../server/tasks/support.ts";
import { listSeriousFindings } from "../support/axe.ts";
import { sharedBrowser } from "../support/chromium.ts";
import { openPage } from "../support/open-page.ts";

const messageField = (page: Page): Locator => page.getByRole("textbox", { name: "Message", exact: true });
const queuePanel = (page: Page): Locator => page.getByRole("region", { name: "Queued messages" });
const status = (page: Page): Locator => page.getByRole("status", { name: "Task" });
const approvalCard = (page: Page, tool: string): Locator =>
  page.getByRole("region", { name: `${tool} needs approval` });

async function sendMessage(page: Page, text: string): Promise<void> {
  await messageField(page).fill(text);
  await messageField(page).press("Enter");
}

/** Starts a task in the page. */
async function startTask(page: Page, model: string, text: string): Promise<void> {
  await page.getByText("Task", { exact: true }).first().click();
  const picker = page.getByRole("combobox", { name: "Model" });
  await picker.fill(model);
  await picker.press("Enter");
  await page.getByRole("textbox", { name: "First message" }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

/** Delays each event that requests an approval, so that the page receives one after the other. */
function separateApprovalEvents(page: Page): Promise<void> {
  return page.evaluate(() => {
    const fetch = window.fetch.bind(window);
    window.fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (typeof input !== "string" || !input.includes("/v1/events") || response.body === null) return response;
      let incomplete = "";
      const delayApprovals = new TransformStream<string, string>({
        transform: async (text, controller) => {
          const events = `${incomplete}${text}`.split("\n\n");
          incomplete = events.pop() ?? "";
          for (const event of events) {
            if (event.includes('"task.calling"')) await new Promise((resolve) => setTimeout(resolve, 400));
            controller.enqueue(`${event}\n\n`);
          }
        },
      });
      const body = response.body
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(delayApprovals)
        .pipeThrough(new TextEncoderStream());
      return new Response(body, response);
    };
  });
}

test("tool calls wait for an approval over a reload and in every tab; a denial sends its reason to the model", async () => {
  const mcp = await startMcpHttp();
  const model = new ManualModel();
  await using opened = await openPage({
    path: "/new",
    config: { providers: { test: model.provider }, tasks: { mcpServers: { tools: { url: mcp.url } } } },
  });
  const { page } = opened;
  await startTask(page, "test/manual", "Say something twice.");
  const first = await model.nextCall();
  await status(page).getByText("Working…").waitFor();
  first.call(["echo", { text: "one" }]);
  await status(page).getByText("Waiting for you", { exact: false }).waitFor();
  await page.getByRole("alert").getByText("echo waits for your approval.").waitFor();
  await page.reload();
  await approvalCard(page, "echo").getByText('{"text":"one"}').waitFor();
  // The tool call's own card has the buttons, too.
  await expect.poll(() => page.getByRole("group", { name: "Allow echo?" }).count()).toBe(2);
  expect(await listSeriousFindings(page)).toStrictEqual([]);
  const other = await opened.openTab(page.url());
  await approvalCard(other, "echo").getByRole("button", { name: "Approve" }).press("Enter");
  const second = await model.nextCall();
  expect(toMessageLines(second.request).at(-1)).toBe("tool: ←one");
  await approvalCard(page, "echo").waitFor({ state: "detached" });

  second.call(["fail", {}]);
  await approvalCard(page, "fail").getByRole("button", { name: "Deny" }).click();
  await page.keyboard.type("Not today.");
  await page.keyboard.press("Enter");
  const third = await model.nextCall();
  expect(toMessageLines(third.request).at(-1)).toContain("Not today.");
  await approvalCard(other, "fail").waitFor({ state: "detached" });
  third.complete("Understood.");
  await status(other).getByText("Ready.", { exact: false }).waitFor();
  await mcp.stop();
});

test("messages to a task at work wait in the server's queue, and return to the draft when it is stopped", async () => {
  const mcp = await startMcpHttp();
  const model = new ManualModel();
  await using opened = await openPage({
    path: "/new",
    config: {
      providers: { demo: demo(), test: model.provider },
      tasks: { mcpServers: { tools: { url: mcp.url } } },
    },
  });
  const { page } = opened;
  await page.getByText("Task", { exact: true }).first().click();
  await page.getByText("so demo/koine can only answer in text", { exact: false }).waitFor();
  await page.getByText("Run without asking").click();
  await startTask(page, "test/manual", "Go.");
  const first = await model.nextCall();
  await sendMessage(page, "Steer left.");
  await page.getByText("Follow up", { exact: true }).click();
  await sendMessage(page, "And then rest.");
  await queuePanel(page).getByText("And then rest.").waitFor();
  await expect
    .poll(() => queuePanel(page).getByRole("listitem").allInnerTexts())
    .toMatchObject([
      expect.stringMatching(/Steer\s+Steer left\./),
      expect.stringMatching(/Follow up\s+And then rest\./),
    ]);
  expect(await page.getByRole("article").getByText("Steer left.").count()).toBe(0);
  first.call(["echo", { text: "x" }]);
  const second = await model.nextCall();
  expect(toMessageLines(second.request).slice(-2)).toStrictEqual(["tool: ←x", "user: Steer left."]);
  await page.getByRole("article").getByText("Steer left.").waitFor();
  await expect.poll(() => queuePanel(page).getByRole("listitem").count()).toBe(1);
  await page.locator("input[type=file]").setInputFiles([
    { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("A") },
    { name: "dot.png", mimeType: "image/png", buffer: Buffer.from("png") },
  ]);
  await page.getByRole("button", { name: "Remove dot.png" }).waitFor();
  await sendMessage(page, "With files.");
  await queuePanel(page).getByText("With files. (with a file)", { exact: false }).waitFor();
  await messageField(page).fill("A draft.");
  await messageField(page).press("Escape");
  await status(page).getByText("Stopped.", { exact: false }).waitFor();
  expect(second.signal.aborted).toBe(true);
  await expect
    .poll(() => messageField(page).inputValue())
    .toBe("And then rest.\n\na.txt:\n\nA\n\nWith files.\n\nA draft.");
  await page.getByRole("button", { name: "Remove image" }).waitFor();
  await queuePanel(page).waitFor({ state: "detached" });

  await messageField(page).press("Enter");
  (await model.nextCall()).fail("invalid-request");
  await status(page).getByText("Failed (invalid-request): It was made to fail", { exact: false }).waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  const last = await model.nextCall();
  expect(toMessageLines(last.request).at(-1)).toBe("user: Continue.");
  last.complete("Done.");
  await status(page).getByText("Ready.", { exact: false }).waitFor();
  await mcp.stop();
});

test("the composer stays visible with many pending calls; queued messages can be recalled, and a lost reply loses no message", async () => {
  const mcp = await startMcpHttp();
  const model = new ManualModel();
  await using opened = await openPage({
    path: "/new",
    config: { providers: { test: model.provider }, tasks: { mcpServers: { tools: { url: mcp.url } } } },
  });
  const { page } = opened;
  await separateApprovalEvents(page);
  await startTask(page, "test/manual", "Do it.");
  const first = await model.nextCall();
  await sendMessage(page, "Rather not.");
  await sendMessage(page, "Important text.");
  await queuePanel(page).getByText("Important text.").waitFor();
  await queuePanel(page).getByRole("button", { name: "Remove and edit" }).first().click();
  await expect.poll(() => messageField(page).inputValue()).toBe("Rather not.");
  await expect.poll(() => queuePanel(page).getByRole("listitem").count()).toBe(1);
  first.call(...Array.from({ length: 5 }, (_, at): [string, object] => ["echo", { text: `${at} words`.repeat(60) }]));
  await expect.poll(() => approvalCard(page, "echo").count()).toBe(5);
  // The last announcement names all calls, although each arrived after the announcement of the previous one.
  const announcement = page.getByRole("alert").getByText("for your approval.");
  await expect
    .poll(() => announcement.allInnerTexts())
    .toStrictEqual(["echo, echo, echo, echo, echo wait for your approval."]);
  for (const [width, height] of [
    [1440, 900],
    [720, 450],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    const box = await page.getByRole("button", { name: "Stop" }).boundingBox();
    expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
    const approvals = await page.getByRole("group", { name: "Waiting for approval" }).boundingBox();
    expect(approvals?.height).toBeLessThanOrEqual(0.41 * height);
  }
  await page.route("**/cancel", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await page.getByRole("button", { name: "Stop" }).click();
  await status(page).getByText("Stopped.", { exact: false }).waitFor();
  await announcement.waitFor({ state: "detached" });
  await expect.poll(() => messageField(page).inputValue()).toBe("Important text.\n\nRather not.");
  await expect.poll(() => messageField(page).evaluate((element) => element === document.activeElement)).toBe(true);
  opened.pageErrors.splice(0);
  await mcp.stop();
});

test("B96: after the server is killed and restarted during a task, task and page continue", async () => {
  const folder = mkdtempSync(join(tmpdir(), "koine-page-"));
  const ledger = { url: `sqlite:${join(folder, "koine.db")}`, leaseMs: 1000, sync: "normal" } as const;
  const first = await spawnKoine({ ledger });
  const context = await (await sharedBrowser()).newContext({ baseURL: first.url, reducedMotion: "reduce" });
  context.setDefaultTimeout(20_000);
  try {
    const page = await context.newPage();
    await page.goto("/new");
    await startTask(page, "demo/koine", "slow long 8");
    await page.getByText("The tide", { exact: false }).first().waitFor();
    await first.kill();
    await using _ = await spawnKoine({ ledger, port: Number(new URL(first.url).port) });
    await status(page).getByText("Ready.", { exact: false }).waitFor();
    const answer = "The tide comes in and the boats lift";
    await page.getByText(answer, { exact: false }).waitFor();
    await sendMessage(page, "say Still here.");
    await page.getByText("Still here.", { exact: true }).first().waitFor();
  } finally {
    await context.close();
    await first.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
