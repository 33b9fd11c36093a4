// The frame around the views: tokens, colours, keys, addresses, the network, and the width of a phone.
import { createHash } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Message } from "../../src/model/index.ts";
import { seriousFindings } from "./support/axe.ts";
import { openPage, type OpenPage } from "./support/open-page.ts";

/** The page needs a moment; how long is the machine's to say. */
const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 10_000 });

const said = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });

test("a server with tenants asks for a token, tells of a wrong one, keeps a right one and forgets it, with all that it showed", async () => {
  const token = "koine_of_the_harbour_master";
  const other = "koine_of_the_lighthouse_keeper";
  const tenantOf = (secret: string) => ({
    tokens: [{ hash: `sha256:${createHash("sha256").update(secret).digest("hex")}`, name: "page" }],
  });
  await using opened = await openPage({
    config: {
      tenants: new Map([
        ["port", tenantOf(token)],
        ["light", tenantOf(other)],
      ]),
    },
  });
  const { page, koine, complaints } = opened;
  const reply = await fetch(`${koine.url}/v1/threads`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "For the port alone" }),
  });
  expect(reply.status).toBe(201);
  const dialog = page.getByRole("dialog", { name: "This server asks for a token" });
  const field = dialog.getByLabel("Token");
  await field.waitFor();
  expect(await seriousFindings(page)).toStrictEqual([]);
  await eventually(() => field.evaluate((each) => each === document.activeElement)).toBe(true);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByText("The conversations could not be loaded").waitFor();
  // A server that wants a token has been reached.
  expect(await page.getByText("The server cannot be reached").count()).toBe(0);
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("menuitem", { name: "Use a token…" }).click();
  const asked = page.getByRole("dialog", { name: "Use a token" });
  await asked.getByLabel("Token").fill("tök€n");
  await page.keyboard.press("Enter");
  await asked.getByText("A token has Latin letters").waitFor();
  await page.reload();
  await field.waitFor();
  await page.keyboard.type("koine_of_somebody_else");
  await page.keyboard.press("Enter");
  await dialog.getByText("The server does not know this token.").waitFor();
  await field.fill(token);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("link", { name: "For the port alone" }).waitFor();
  await dialog.waitFor({ state: "detached" });
  expect(page.url()).not.toContain("koine_");
  // Programs to copy read it from a variable.
  expect(await page.getByLabel("Program for OpenAI").textContent()).toContain("apiKey: process.env.KOINE_TOKEN");
  await page.reload();
  await page.getByRole("link", { name: "For the port alone" }).click();
  await page.getByRole("textbox", { name: "Message" }).fill("Words of the port's");
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("menuitem", { name: "Forget the token" }).click();
  await dialog.waitFor();
  const seen = (): Promise<string> =>
    page.evaluate(() => [document.title, document.body.textContent, JSON.stringify(sessionStorage)].join());
  await eventually(seen).not.toMatch(/port/);
  await field.fill(other);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "This conversation is not here" }).waitFor();
  await page.getByText("No conversations yet").waitFor();
  expect(await seen()).not.toMatch(/port/);
  await page.close();
  // What the browser writes down of refusals; nothing else.
  expect(complaints.splice(0).filter((each) => !/40[14]/.test(each))).toStrictEqual([]);
});

describe("without tokens", () => {
  let opened: OpenPage;
  let page: Page;
  beforeAll(async () => {
    opened = await openPage({ context: { colorScheme: "light" } });
    ({ page } = opened);
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  test("colours are chosen, kept over a reload and follow in other tabs", async () => {
    const back = (of: Page): Promise<string> => of.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const choose = async (name: string): Promise<void> => {
      await page.getByRole("button", { name: "Settings" }).press("ArrowDown");
      await page.getByRole("menuitemradio", { name }).click();
    };
    await page.getByRole("heading", { level: 1 }).waitFor();
    const light = await back(page);
    const other = await opened.tab();
    await choose("Dark");
    await eventually(() => back(page)).not.toBe(light);
    const dark = await back(page);
    await eventually(() => back(other)).toBe(dark);
    await other.close();
    await page.reload();
    await eventually(() => back(page)).toBe(dark);
    await choose("Colours of the system");
    await eventually(() => back(page)).toBe(light);
    await page.emulateMedia({ colorScheme: "dark" });
    await eventually(() => back(page)).toBe(dark);
  });

  test("keys lead to the view, to help and to a new conversation", async () => {
    await page.goto("/");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the view");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keys" });
    expect(await keys.textContent()).toContain("Search conversations");
    // A dialog has the keys to itself.
    await page.keyboard.press("n");
    await page.keyboard.press("Escape");
    await keys.waitFor({ state: "detached" });
    expect(new URL(page.url()).pathname).toBe("/");
    await page.keyboard.press("n");
    await page.waitForURL("**/new");
    await eventually(() => page.title()).toBe("New conversation · Koine");
    await page.goBack();
    await page.getByRole("heading", { name: "Point an SDK at Koine" }).waitFor();
  });

  test("a view that cannot be loaded says so, and the rest of the page goes on", async () => {
    await opened.context.route(/translate-view.*\.js$/, (route) => route.abort());
    await page.getByRole("link", { name: "Translate", exact: true }).click();
    await page.getByRole("heading", { name: "This part of the page could not be loaded" }).waitFor();
    await page.getByRole("link", { name: "Connect an SDK" }).click();
    await page.getByRole("heading", { name: "Point an SDK at Koine" }).waitFor();
    expect(opened.complaints.splice(0).length).toBeGreaterThan(0);
  });

  test("a server that cannot be reached is told of, and what happened meanwhile is there when it is back", async () => {
    await opened.context.route("**/v1/events", (route) => route.abort("connectionrefused"));
    await page.reload();
    await page.getByText("The server cannot be reached. Trying again…").waitFor();
    await opened.koine.ledger.createThread({ title: "Made meanwhile" }, { messages: [said("Ahoy")] });
    await opened.context.unroute("**/v1/events");
    await page.getByRole("link", { name: "Made meanwhile" }).first().waitFor();
    await page.getByText("The server cannot be reached").waitFor({ state: "detached" });
    expect(opened.complaints.splice(0).filter((each) => !each.includes("ERR_CONNECTION_REFUSED"))).toStrictEqual([]);
  });

  test("five windows of one browser go on, though it has six connections for all of them", async () => {
    const { id } = await opened.koine.ledger.createThread(
      { title: "Seen from all sides" },
      { messages: [said("Ahoy")] },
    );
    const others = await Promise.all(Array.from({ length: 4 }, () => opened.tab(`/t/${id}`)));
    for (const each of others) await each.getByRole("article").getByText("Ahoy").waitFor();
    await opened.koine.ledger.append(id, [said("Ahoy again")]);
    for (const each of others) await each.getByRole("article").getByText("Ahoy again").waitFor();
    for (const each of others) await each.close();
    await opened.koine.ledger.purge({ what: "thread", threadId: id });
  });

  test("on a phone the beginning is the list, and elsewhere a drawer", async () => {
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
    // What lies below cannot be reached meanwhile.
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
