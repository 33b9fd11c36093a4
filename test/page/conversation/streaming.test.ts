// Tests a streaming conversation in a real browser: requested by an SDK, reloaded and disconnected midway.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import OpenAI from "openai";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ManualModel } from "../../server/tasks/support.ts";
import { sharedBrowser } from "../support/chromium.ts";
import { openPage } from "../support/open-page.ts";

type Chat = OpenAI.ChatCompletionMessageParam;

/** An SDK user in another process, with the official OpenAI SDK. */
function createSdkUser(url: string) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "any" });
  const history: Chat[] = [];
  return {
    /** Sends a message and reads the streamed answer; resolves with it and its thread. */
    async ask(content: string, onThread?: (id: string) => void): Promise<{ text: string; thread: string }> {
      history.push({ role: "user", content });
      const request = client.chat.completions.create({ model: "manual/manual", messages: history, stream: true });
      const { data, response } = await request.withResponse();
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

interface NetworkProxy extends AsyncDisposable {
  url: string;
  /** Breaks every connection, and rejects new ones. */
  cut(): void;
  restore(): void;
}

/** Opens a proxy to the server that can be cut. */
async function openProxy(url: string): Promise<NetworkProxy> {
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
  // A TCP server has an address of this type.
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
    restore: () => void (isCut = false),
    [Symbol.asyncDispose]: async () => {
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Remembers the elements of all rows, and counts their mutations. */
async function observeRows(page: Page): Promise<void> {
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

/** Returns which of the remembered elements are still in the page, and the number of mutations. */
function readRowChanges(page: Page): Promise<{ same: boolean[]; changes: number }> {
  return page.evaluate(() => {
    // Set by observeRows.
    const { watched } = window as unknown as { watched: { rows: Element[]; changes: number } };
    const now = new Set(document.querySelectorAll("[role=feed] article"));
    return { same: watched.rows.map((row) => now.has(row)), changes: watched.changes };
  });
}

describe("a conversation that streams", () => {
  test("B100: an answer to an SDK appears as it streams; rows keep their elements while it streams and when it is stored", async () => {
    const model = new ManualModel();
    await using opened = await openPage({ config: { providers: { manual: model.provider } } });
    const { page, koine } = opened;
    const ann = createSdkUser(koine.url);
    const first = ann.ask("How is the weather?");
    (await model.nextCall()).complete("Windy, from the **north**.");
    const { thread } = await first;
    await page.goto(`/t/${thread}`);
    await page.getByText("Windy, from the north.").waitFor();
    await observeRows(page);

    const second = ann.ask("And tomorrow?");
    const request = await model.nextCall();
    request.begin("Calmer");
    await last(page, "manual").getByText("Calmer").waitFor();
    expect(await page.getByRole("status").filter({ hasText: "is answering" }).count()).toBe(1);
    for (const word of [", with", " sun", " in", " the"]) request.begin(word);
    await last(page, "manual").getByText("Calmer, with sun in the").waitFor();
    expect(await readRowChanges(page)).toStrictEqual({ same: [true, true], changes: 0 });

    await observeRows(page);
    request.complete(" **evening**.");
    await second;
    await last(page, "manual").getByRole("button", { name: "Regenerate" }).waitFor();
    await page.getByRole("status").filter({ hasText: "The answer is complete." }).waitFor();
    expect(await last(page, "manual").innerText()).toContain("Calmer, with sun in the evening.");
    // The row of the stored answer is the element that streamed.
    expect((await readRowChanges(page)).same).toStrictEqual([true, true, true, true]);
    expect(await page.getByRole("article").count()).toBe(4);
  });

  test("B96: a reload and a network failure neither lose nor repeat events", async () => {
    const model = new ManualModel();
    await using opened = await openPage({ config: { providers: { manual: model.provider } } });
    const { koine } = opened;
    await using line = await openProxy(koine.url);
    await using context = await (await sharedBrowser()).newContext({ baseURL: line.url });
    const page = await context.newPage();
    const { promise, resolve } = Promise.withResolvers<string>();
    const answer = createSdkUser(koine.url).ask("Tell me all.", resolve);
    const request = await model.nextCall();
    request.begin("One two");
    const thread = await promise;
    await page.goto(`/t/${thread}`);
    await last(page, "manual").getByText("One two", { exact: true }).waitFor();
    await page.reload();
    await last(page, "manual").getByText("One two", { exact: true }).waitFor();
    request.begin(" three");
    await last(page, "manual").getByText("One two three", { exact: true }).waitFor();

    line.cut();
    request.begin(" four");
    request.begin(" five");
    await page
      .getByText(/cannot be reached/)
      .first()
      .waitFor();
    expect(await last(page, "manual").innerText()).not.toContain("four");
    line.restore();
    await last(page, "manual").getByText("One two three four five", { exact: true }).waitFor();
    line.cut();
    request.complete(" six.");
    expect(await answer).toStrictEqual({ text: "One two three four five six.", thread });
    line.restore();
    await last(page, "manual").getByText("One two three four five six.", { exact: true }).waitFor();
    await last(page, "manual").getByRole("button", { name: "Regenerate" }).waitFor();
  });

  test("the list follows an answer only while the user is at the end", async () => {
    const model = new ManualModel();
    await using opened = await openPage({ config: { providers: { manual: model.provider } } });
    const { page, koine } = opened;
    const ann = createSdkUser(koine.url);
    const first = ann.ask("Begin.");
    (await model.nextCall()).complete(Array.from({ length: 60 }, (_, at) => `Line ${at}.`).join("\n\n"));
    const { thread } = await first;
    await page.goto(`/t/${thread}`);
    await page.getByText("Line 59.").waitFor();
    const scroller = page.getByRole("feed").locator("..");
    const left = (): Promise<number> =>
      scroller.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
    const second = ann.ask("Go on.");
    const request = await model.nextCall();
    for (let at = 0; at < 20; at++) request.begin(`More ${at}.\n\n`);
    await page.getByText("More 19.").waitFor();
    await expect.poll(left).toBeLessThan(3);

    // The composer grows, and the end stays visible.
    await page.getByRole("textbox", { name: "Message" }).fill("Some\nmore\nlines\nto\nwrite");
    await expect.poll(left).toBeLessThan(3);
    const place = (): Promise<number> => scroller.evaluate(({ scrollTop }) => scrollTop);
    // By key, by script as find-in-page does, and by wheel: the position of the user is preserved.
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
      for (let more = 0; more < 4; more++) request.begin(`Then ${at} ${more}.\n\n`);
      const last = `Then ${at} 3.`;
      await expect
        .poll(() => scroller.evaluate((element, text) => element.textContent.includes(text), last))
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
    for (let at = 20; at < 40; at++) request.begin(`More ${at}.\n\n`);
    request.complete("The end.");
    await second;
    await expect.poll(() => scroller.evaluate((element) => element.textContent.includes("The end."))).toBe(true);
    expect(await place()).toBe(before);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await expect.poll(left).toBeLessThan(3);
    await page.getByText("The end.").waitFor();
  });
});
