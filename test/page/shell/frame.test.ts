// Tests the page frame in a real browser: tokens, themes, shortcuts, URLs, network failures and narrow screens.
import { createHash } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Message } from "../../../src/model/index.ts";
import { listSeriousFindings } from "../support/axe.ts";
import { openPage, type OpenPage } from "../support/open-page.ts";

/** Polls, because the page updates asynchronously. */
const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read);

const userMessage = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });

test("a server with tenants requires a token; wrong ones are rejected, a right one is stored, and removing it removes all data", async () => {
  const token = "koine_of_the_harbour_master";
  const other = "koine_of_the_lighthouse_keeper";
  const tenantOf = (secret: string) => ({
    tokens: [{ hash: `sha256:${createHash("sha256").update(secret).digest("hex")}`, name: "page" }],
  });
  await using opened = await openPage({ config: { tenants: { port: tenantOf(token), light: tenantOf(other) } } });
  const { page, koine, pageErrors } = opened;
  const reply = await fetch(`${koine.url}/v1/threads`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "For the port alone" }),
  });
  expect(reply.status).toBe(201);
  const dialog = page.getByRole("dialog", { name: "This server requires a token" });
  const field = dialog.getByLabel("Token");
  await field.waitFor();
  expect(await listSeriousFindings(page)).toStrictEqual([]);
  await eventually(() => field.evaluate((each) => each === document.activeElement)).toBe(true);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByText("The conversations could not be loaded").waitFor();
  // The server was reached, although it rejects requests without a token.
  expect(await page.getByText("The server cannot be reached").count()).toBe(0);
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("menuitem", { name: "Use a token…" }).click();
  const tokenDialog = page.getByRole("dialog", { name: "Use a token" });
  await tokenDialog.getByLabel("Token").fill("tök€n");
  await page.keyboard.press("Enter");
  await tokenDialog.getByText("A token consists of Latin letters").waitFor();
  await page.reload();
  await field.waitFor();
  await page.keyboard.type("koine_of_somebody_else");
  await page.keyboard.press("Enter");
  await dialog.getByText("The server rejects this token.").waitFor();
  await field.fill(token);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("link", { name: "For the port alone" }).waitFor();
  await dialog.waitFor({ state: "detached" });
  expect(page.url()).not.toContain("koine_");
  // Programs read the token from a variable.
  expect(await page.getByLabel("Program for OpenAI").textContent()).toContain("apiKey: process.env.KOINE_TOKEN");
  await page.reload();
  await page.getByRole("link", { name: "For the port alone" }).click();
  await page.getByRole("textbox", { name: "Message" }).fill("Words of the port's");
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("menuitem", { name: "Remove the token" }).click();
  await dialog.waitFor();
  const seen = (): Promise<string> =>
    page.evaluate(() => [document.title, document.body.textContent, JSON.stringify(sessionStorage)].join());
  await eventually(seen).not.toMatch(/port/);
  await field.fill(other);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "This conversation does not exist" }).waitFor();
  await page.getByText("No conversations yet").waitFor();
  expect(await seen()).not.toMatch(/port/);
  await page.close();
  // The browser logs rejected requests; nothing else may be logged.
  expect(pageErrors.splice(0).filter((each) => !/40[14]/.test(each))).toStrictEqual([]);
});

describe("without tokens", () => {
  let opened: OpenPage;
  let page: Page;
  beforeAll(async () => {
    opened = await openPage({ context: { colorScheme: "light" } });
    ({ page } = opened);
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  test("the theme is chosen, survives a reload and applies to other tabs", async () => {
    const back = (of: Page): Promise<string> => of.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const choose = async (name: string): Promise<void> => {
      await page.getByRole("button", { name: "Settings" }).press("ArrowDown");
      await page.getByRole("menuitemradio", { name }).click();
    };
    await page.getByRole("heading", { level: 1 }).waitFor();
    const light = await back(page);
    const other = await opened.openTab();
    await choose("Dark");
    await eventually(() => back(page)).not.toBe(light);
    const dark = await back(page);
    await eventually(() => back(other)).toBe(dark);
    await other.close();
    await page.reload();
    await eventually(() => back(page)).toBe(dark);
    await choose("System colors");
    await eventually(() => back(page)).toBe(light);
    await page.emulateMedia({ colorScheme: "dark" });
    await eventually(() => back(page)).toBe(dark);
  });

  test("shortcuts open the content, the help and a new conversation", async () => {
    await page.goto("/");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    expect(await keys.textContent()).toContain("Search conversations");
    // A dialog handles its own keys.
    await page.keyboard.press("n");
    await page.keyboard.press("Escape");
    await keys.waitFor({ state: "detached" });
    expect(new URL(page.url()).pathname).toBe("/");
    await page.keyboard.press("n");
    await page.waitForURL("**/new");
    await eventually(() => page.title()).toBe("New conversation · Koine");
    await page.goBack();
    await page.getByRole("heading", { name: "Connect an SDK to Koine" }).waitFor();
  });

  test("a view that fails to load shows an error, and the rest of the page works", async () => {
    await opened.context.route(/translate-view.*\.js$/, (route) => route.abort());
    await page.getByRole("link", { name: "Translate", exact: true }).click();
    await page.getByRole("heading", { name: "This part of the page could not be loaded" }).waitFor();
    await page.getByRole("link", { name: "Connect an SDK" }).click();
    await page.getByRole("heading", { name: "Connect an SDK to Koine" }).waitFor();
    expect(opened.pageErrors.splice(0).length).toBeGreaterThan(0);
  });

  test("an unreachable server is reported, and missed changes are loaded when it is back", async () => {
    await opened.context.route("**/v1/events", (route) => route.abort("connectionrefused"));
    await page.reload();
    await page.getByText("The server cannot be reached. Retrying…").waitFor();
    await opened.koine.ledger.createThread({ title: "Made meanwhile" }, { messages: [userMessage("Ahoy")] });
    await opened.context.unroute("**/v1/events");
    await page.getByRole("link", { name: "Made meanwhile" }).first().waitFor();
    await page.getByText("The server cannot be reached").waitFor({ state: "detached" });
    expect(opened.pageErrors.splice(0).filter((each) => !each.includes("ERR_CONNECTION_REFUSED"))).toStrictEqual([]);
  });

  test("five tabs of one browser work with its six connections", async () => {
    const { id } = await opened.koine.ledger.createThread(
      { title: "Seen from all sides" },
      { messages: [userMessage("Ahoy")] },
    );
    const others = await Promise.all(Array.from({ length: 4 }, () => opened.openTab(`/t/${id}`)));
    for (const each of others) await each.getByRole("article").getByText("Ahoy").waitFor();
    await opened.koine.ledger.append(id, [userMessage("Ahoy again")]);
    for (const each of others) await each.getByRole("article").getByText("Ahoy again").waitFor();
    for (const each of others) await each.close();
    await opened.koine.ledger.purge({ what: "thread", threadId: id });
  });

  test("on narrow screens the home view is the list, and elsewhere a drawer", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto("/");
    const list = page.getByRole("list", { name: "Conversations", exact: true });
    const link = list.getByRole("link", { name: "Made meanwhile" });
    const opener = page.getByRole("button", { name: "Show conversations" });
    await link.click();
    await page.waitForURL(/\/t\//);
    await eventually(() => link.isVisible()).toBe(false);
    await opener.click();
    await eventually(() => link.isVisible()).toBe(true);
    // The view below the drawer is inert.
    expect(await page.getByRole("main").evaluate((main) => main.closest("[inert]") !== null)).toBe(true);
    await page.keyboard.press("Escape");
    await eventually(() => link.isVisible()).toBe(false);
    await opener.click();
    await page.getByRole("link", { name: "Connect an SDK" }).click();
    await page.getByRole("heading", { name: "Connect an SDK" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await opener.click();
    await page.getByRole("link", { name: "Koine", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Conversations" }).waitFor();
  });
});
