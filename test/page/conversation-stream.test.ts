// A conversation that streams in front of its reader: asked for elsewhere, reloaded and cut off midway, and always the same
// text in the end.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import OpenAI from "openai";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { HeldModel } from "../server/tasks/support.ts";
import { sharedBrowser } from "./support/chromium.ts";
import { openPage } from "./support/open-page.ts";

type Chat = OpenAI.ChatCompletionMessageParam;

/** Somebody elsewhere, with the official SDK. */
function somebody(url: string) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "any" });
  const history: Chat[] = [];
  return {
    /** Says something and reads the answer, word by word. Resolves with it, and the thread that it is in. */
    async ask(content: string, onThread?: (id: string) => void): Promise<{ text: string; thread: string }> {
      history.push({ role: "user", content });
      const asked = client.chat.completions.create({ model: "held/held", messages: history, stream: true });
      const { data, response } = await asked.withResponse();
      const thread = response.headers.get("x-koine-thread") ?? "";
      onThread?.(thread);
      let text = "";
      for await (const { choices } of data) text += choices[0]?.delta.content ?? "";
      history.push({ role: "assistant", content: text });
      return { text, thread };
    },
  };
}

const last = (page: Page, name: string): Locator => page.getByRole("article", { name }).last();

interface Line extends AsyncDisposable {
  url: string;
  /** Every connection breaks, and new ones, too. */
  cut(): void;
  mend(): void;
}

/** A way to the server that can be cut. */
async function openLine(url: string): Promise<Line> {
  const { port } = new URL(url);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(Number(port), "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
      if (isCut) socket.destroy();
    }
    near.pipe(far).pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server on a port has an address of this kind.
  const address = server.address() as AddressInfo;
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut: () => {
      isCut = true;
      breakAll();
    },
    mend: () => void (isCut = false),
    [Symbol.asyncDispose]: async () => {
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Puts the elements of all rows aside, and counts what changes in them. */
async function watchRows(page: Page): Promise<void> {
  await page.evaluate(() => {
    const rows = [...document.querySelectorAll("[role=feed] article")];
    const watched = { rows, changes: 0 };
    Object.assign(window, { watched });
    const observer = new MutationObserver((records) => (watched.changes += records.length));
    for (const row of rows) {
      observer.observe(row, { subtree: true, childList: true, attributes: true, characterData: true });
    }
  });
}

/** Which of the rows put aside are still the same elements in the page, and what changed in them. */
function rowsSince(page: Page): Promise<{ same: boolean[]; changes: number }> {
  return page.evaluate(() => {
    // Put there by watchRows.
    const { watched } = window as unknown as { watched: { rows: Element[]; changes: number } };
    const now = new Set(document.querySelectorAll("[role=feed] article"));
    return { same: watched.rows.map((row) => now.has(row)), changes: watched.changes };
  });
}

describe("a conversation that streams", () => {
  test("B100: an answer to somebody's SDK appears word by word; rows stay the same elements while it streams and when it is recorded", async () => {
    const model = new HeldModel();
    await using opened = await openPage({ config: { providers: { held: model.provider } } });
    const { page, koine } = opened;
    const ann = somebody(koine.url);
    const first = ann.ask("How is the weather?");
    (await model.asked()).say("Windy, from the **north**.");
    const { thread } = await first;
    await page.goto(`/t/${thread}`);
    await page.getByText("Windy, from the north.").waitFor();
    await watchRows(page);

    const second = ann.ask("And tomorrow?");
    const asked = await model.asked();
    asked.begin("Calmer");
    await last(page, "held").getByText("Calmer").waitFor();
    expect(await page.getByRole("status").filter({ hasText: "is answering" }).count()).toBe(1);
    for (const word of [", with", " sun", " in", " the"]) asked.begin(word);
    await last(page, "held").getByText("Calmer, with sun in the").waitFor();
    expect(await rowsSince(page)).toStrictEqual({ same: [true, true], changes: 0 });

    await watchRows(page);
    asked.say(" **evening**.");
    await second;
    await last(page, "held").getByRole("button", { name: "Regenerate" }).waitFor();
    await page.getByRole("status").filter({ hasText: "The answer is complete." }).waitFor();
    expect(await last(page, "held").innerText()).toContain("Calmer, with sun in the evening.");
    // The row of the answer is the one that streamed; it gained what a recorded one has.
    expect((await rowsSince(page)).same).toStrictEqual([true, true, true, true]);
    expect(await page.getByRole("article").count()).toBe(4);
  });

  test("B96: a reload and a lost network midway lose nothing and repeat nothing", async () => {
    const model = new HeldModel();
    await using opened = await openPage({ config: { providers: { held: model.provider } } });
    const { koine } = opened;
    await using line = await openLine(koine.url);
    await using context = await (await sharedBrowser()).newContext({ baseURL: line.url });
    const page = await context.newPage();
    const { promise, resolve } = Promise.withResolvers<string>();
    const answer = somebody(koine.url).ask("Tell me all.", resolve);
    const asked = await model.asked();
    asked.begin("One two");
    const thread = await promise;
    await page.goto(`/t/${thread}`);
    await last(page, "held").getByText("One two", { exact: true }).waitFor();
    await page.reload();
    await last(page, "held").getByText("One two", { exact: true }).waitFor();
    asked.begin(" three");
    await last(page, "held").getByText("One two three", { exact: true }).waitFor();

    line.cut();
    asked.begin(" four");
    asked.begin(" five");
    await page
      .getByText(/cannot be reached/)
      .first()
      .waitFor();
    expect(await last(page, "held").innerText()).not.toContain("four");
    line.mend();
    await last(page, "held").getByText("One two three four five", { exact: true }).waitFor();
    line.cut();
    asked.say(" six.");
    expect(await answer).toStrictEqual({ text: "One two three four five six.", thread });
    line.mend();
    await last(page, "held").getByText("One two three four five six.", { exact: true }).waitFor();
    await last(page, "held").getByRole("button", { name: "Regenerate" }).waitFor();
  });

  test("the list follows an answer only while its reader is at the end", async () => {
    const model = new HeldModel();
    await using opened = await openPage({ config: { providers: { held: model.provider } } });
    const { page, koine } = opened;
    const ann = somebody(koine.url);
    const first = ann.ask("Begin.");
    (await model.asked()).say(Array.from({ length: 60 }, (_, at) => `Line ${at}.`).join("\n\n"));
    const { thread } = await first;
    await page.goto(`/t/${thread}`);
    await page.getByText("Line 59.").waitFor();
    const scroller = page.getByRole("feed").locator("..");
    const left = (): Promise<number> =>
      scroller.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
    const second = ann.ask("Go on.");
    const asked = await model.asked();
    for (let at = 0; at < 20; at++) asked.begin(`More ${at}.\n\n`);
    await page.getByText("More 19.").waitFor();
    await expect.poll(left).toBeLessThan(3);

    // What stands below the list grows, and the end stays in sight.
    await page.getByRole("textbox", { name: "Message" }).fill("Some\nmore\nlines\nto\nwrite");
    await expect.poll(left).toBeLessThan(3);
    const place = (): Promise<number> => scroller.evaluate(({ scrollTop }) => scrollTop);
    // By a key, by a script as a search in the page does, and by a wheel: wherever the reader goes, they stay.
    const goes: (() => Promise<unknown>)[] = [
      () => scroller.evaluate((element) => (element.scrollTop = 0)),
      async () => {
        await page.getByRole("article").last().focus();
        await page.keyboard.press("Home");
        await expect.poll(place).toBe(0);
      },
      () => page.getByText("Line 20.").evaluate((element) => element.scrollIntoView()),
    ];
    for (const [at, go] of goes.entries()) {
      await go();
      const there = await place();
      for (let more = 0; more < 4; more++) asked.begin(`Then ${at} ${more}.\n\n`);
      const last = `Then ${at} 3.`;
      await expect
        .poll(() => scroller.evaluate((element, words) => element.textContent.includes(words), last))
        .toBe(true);
      expect(await place()).toBe(there);
      await page.getByRole("button", { name: "Jump to latest" }).click();
      await page.getByText(`Then ${at} 3.`).waitFor();
      await expect.poll(left).toBeLessThan(3);
    }

    await page.mouse.move(900, 400);
    await page.mouse.wheel(0, -600);
    await page.getByRole("button", { name: "Jump to latest" }).waitFor();
    const before = await place();
    for (let at = 20; at < 40; at++) asked.begin(`More ${at}.\n\n`);
    asked.say("The end.");
    await second;
    await expect.poll(() => scroller.evaluate((element) => element.textContent.includes("The end."))).toBe(true);
    expect(await place()).toBe(before);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await expect.poll(left).toBeLessThan(3);
    await page.getByText("The end.").waitFor();
  });
});
