// Tasks in a real browser: approvals, the queue, failures, and a server that dies in the middle.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { demo } from "../../src/client/index.ts";
import { startMcpHttp } from "../agent/support/mcp-http.ts";
import { spawnKoine } from "../server/support/koine.ts";
import { HeldModel, toldOf } from "../server/tasks/support.ts";
import { seriousFindings } from "./support/axe.ts";
import { sharedBrowser } from "./support/chromium.ts";
import { openPage } from "./support/open-page.ts";

const field = (page: Page): Locator => page.getByRole("textbox", { name: "Message", exact: true });
const queue = (page: Page): Locator => page.getByRole("region", { name: "Queued messages" });
const status = (page: Page): Locator => page.getByRole("status", { name: "Task" });
const waiting = (page: Page, tool: string): Locator => page.getByRole("region", { name: `${tool} waits` });

async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press("Enter");
}

/** Begins a task, as somebody would who comes to the page. */
async function begin(page: Page, model: string, text: string): Promise<void> {
  await page.getByText("Task", { exact: true }).first().click();
  const picker = page.getByRole("combobox", { name: "Model" });
  await picker.fill(model);
  await picker.press("Enter");
  await page.getByRole("textbox", { name: "First message" }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

test("tools wait for somebody over a reload, in every tab; what is allowed runs, and what is denied tells the model why", async () => {
  const mcp = await startMcpHttp();
  const model = new HeldModel();
  await using opened = await openPage({
    path: "/new",
    config: { providers: { test: model.provider }, tasks: { mcpServers: [{ name: "tools", url: mcp.url }] } },
  });
  const { page } = opened;
  await begin(page, "test/held", "Say something twice.");
  const first = await model.asked();
  await status(page).getByText("Working…").waitFor();
  first.call(["echo", { text: "one" }]);
  await status(page).getByText("Waiting for you", { exact: false }).waitFor();
  await page.getByRole("alert").getByText("echo waits for your approval.").waitFor();
  await page.reload();
  await waiting(page, "echo").getByText('{"text":"one"}').waitFor();
  // Beside the call itself, too.
  await expect.poll(() => page.getByRole("group", { name: "Allow echo?" }).count()).toBe(2);
  expect(await seriousFindings(page)).toStrictEqual([]);
  const other = await opened.tab(page.url());
  await waiting(other, "echo").getByRole("button", { name: "Approve" }).press("Enter");
  const second = await model.asked();
  expect(toldOf(second.request).at(-1)).toBe("tool: ←one");
  await waiting(page, "echo").waitFor({ state: "detached" });

  second.call(["fail", {}]);
  await waiting(page, "fail").getByRole("button", { name: "Deny" }).click();
  await page.keyboard.type("Not today.");
  await page.keyboard.press("Enter");
  const third = await model.asked();
  expect(toldOf(third.request).at(-1)).toContain("Not today.");
  await waiting(other, "fail").waitFor({ state: "detached" });
  third.say("Understood.");
  await status(other).getByText("Ready.", { exact: false }).waitFor();
  await mcp.stop();
});

test("what is said to a task at work waits in the server's queue, and comes back into the field where it is stopped", async () => {
  const mcp = await startMcpHttp();
  const model = new HeldModel();
  await using opened = await openPage({
    path: "/new",
    config: {
      providers: { demo: demo(), test: model.provider },
      tasks: { mcpServers: [{ name: "tools", url: mcp.url }] },
    },
  });
  const { page } = opened;
  await page.getByText("Task", { exact: true }).first().click();
  await page.getByText("so demo/koine can only talk", { exact: false }).waitFor();
  await page.getByText("Run without asking").click();
  await begin(page, "test/held", "Go.");
  const first = await model.asked();
  await say(page, "Steer left.");
  await page.getByText("Follow up", { exact: true }).click();
  await say(page, "And then rest.");
  await queue(page).getByText("And then rest.").waitFor();
  expect(await queue(page).getByRole("listitem").allInnerTexts()).toMatchObject([
    expect.stringMatching(/Steer\s+Steer left\./),
    expect.stringMatching(/Follow up\s+And then rest\./),
  ]);
  expect(await page.getByRole("article").getByText("Steer left.").count()).toBe(0);
  first.call(["echo", { text: "x" }]);
  const second = await model.asked();
  expect(toldOf(second.request).slice(-2)).toStrictEqual(["tool: ←x", "user: Steer left."]);
  await page.getByRole("article").getByText("Steer left.").waitFor();
  await expect.poll(() => queue(page).getByRole("listitem").count()).toBe(1);
  await page.locator("input[type=file]").setInputFiles([
    { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("A") },
    { name: "dot.png", mimeType: "image/png", buffer: Buffer.from("png") },
  ]);
  await page.getByRole("button", { name: "Remove dot.png" }).waitFor();
  await say(page, "With files.");
  await queue(page).getByText("With files. (with a file)", { exact: false }).waitFor();
  await field(page).fill("A draft.");
  await field(page).press("Escape");
  await status(page).getByText("Stopped.", { exact: false }).waitFor();
  expect(second.signal.aborted).toBe(true);
  await expect.poll(() => field(page).inputValue()).toBe("And then rest.\n\na.txt:\n\nA\n\nWith files.\n\nA draft.");
  await page.getByRole("button", { name: "Remove image" }).waitFor();
  await queue(page).waitFor({ state: "detached" });

  await field(page).press("Enter");
  (await model.asked()).fail("invalid-request");
  await status(page).getByText("Failed (invalid-request): It was made to fail", { exact: false }).waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  const last = await model.asked();
  expect(toldOf(last.request).at(-1)).toBe("user: Go on.");
  last.say("Done.");
  await status(page).getByText("Ready.", { exact: false }).waitFor();
  await mcp.stop();
});

test("however many calls wait, the composer is on screen; what waits can be taken back, and a lost reply loses nothing", async () => {
  const mcp = await startMcpHttp();
  const model = new HeldModel();
  await using opened = await openPage({
    path: "/new",
    config: { providers: { test: model.provider }, tasks: { mcpServers: [{ name: "tools", url: mcp.url }] } },
  });
  const { page } = opened;
  await begin(page, "test/held", "Do it.");
  const first = await model.asked();
  await say(page, "Rather not.");
  await say(page, "Precious words.");
  await queue(page).getByText("Precious words.").waitFor();
  await queue(page).getByRole("button", { name: "Take back" }).first().click();
  await expect.poll(() => field(page).inputValue()).toBe("Rather not.");
  await expect.poll(() => queue(page).getByRole("listitem").count()).toBe(1);
  first.call(...Array.from({ length: 5 }, (_, at): [string, object] => ["echo", { text: `${at} words`.repeat(60) }]));
  await page.getByRole("alert").getByText("echo, echo, echo, echo, echo wait for your approval.").waitFor();
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
  await expect.poll(() => field(page).inputValue(), { timeout: 5000 }).toBe("Precious words.\n\nRather not.");
  expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(true);
  opened.complaints.splice(0);
  await mcp.stop();
});

test("B96: a server that is killed in the middle of a task and started again goes on, and so does the page by itself", async () => {
  const folder = mkdtempSync(join(tmpdir(), "koine-page-"));
  const ledger = { url: `sqlite:${join(folder, "koine.db")}`, leaseMs: 1000, sync: "normal" } as const;
  const first = await spawnKoine({ ledger });
  const context = await (await sharedBrowser()).newContext({ baseURL: first.url, reducedMotion: "reduce" });
  context.setDefaultTimeout(20_000);
  try {
    const page = await context.newPage();
    await page.goto("/new");
    await begin(page, "demo/koine", "slow long 8");
    await page.getByText("The tide", { exact: false }).first().waitFor();
    await first.kill();
    await using _ = await spawnKoine({ ledger, port: Number(new URL(first.url).port) });
    await status(page).getByText("Ready.", { exact: false }).waitFor();
    const answer = "The tide comes in and the boats lift";
    await page.getByText(answer, { exact: false }).waitFor();
    await say(page, "say Still here.");
    await page.getByText("Still here.", { exact: true }).first().waitFor();
  } finally {
    await context.close();
    await first.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
