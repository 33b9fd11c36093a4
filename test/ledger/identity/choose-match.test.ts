// Tests the choice among several conversations with the same content: the client's own first, regardless of the number
// of others.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { assistant, image, type Message, reasoning, text, user } from "../../../src/index.ts";
import type { Ledger } from "../../../src/ledger/index.ts";
import { type OpenLedger, STORES } from "../support/stores.ts";

/** More than are compared. */
const MANY = 70;
const TALK = [user("Hi."), assistant("Hello!")];
const NEXT = [...TALK, user("So?")];

describe.each(STORES)("$name", (store) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  beforeEach(async () => {
    let time = Date.parse("2026-01-02T03:04:05Z");
    opened = await store.open({ clock: () => time++ });
    ledger = opened.ledger;
  });
  afterEach(() => opened.close());

  async function threadOf(scope: string, messages: readonly Message[] = TALK): Promise<string> {
    const { id } = await ledger.createThread({ scope });
    await ledger.append(id, messages);
    return id;
  }

  test("the caller's own thread is found among any number of newer ones of other scopes", async () => {
    const own = await threadOf("ann");
    for (let count = 0; count < MANY; count++) await threadOf("bob");
    expect((await ledger.findThread(NEXT, { scope: "ann" })).threadId).toBe(own);
    // Also if the longest match is searched among several.
    const edited = [...NEXT, assistant("What?"), user("Nothing."), assistant("I see.")];
    expect(await ledger.findThread(edited, { scope: "ann" })).toMatchObject({ threadId: own, known: 2 });
  });

  test("a longer match in another scope wins over a shorter one in the caller's own", async () => {
    await threadOf("ann");
    const longer = await threadOf("bob", [...NEXT, assistant("So what?")]);
    const history = [...NEXT, assistant("So what?"), user("Nothing.")];
    expect(await ledger.findThread(history, { scope: "ann" })).toMatchObject({ threadId: longer, known: 4 });
  });

  test("the active path wins over any number of newer equal answers beside it", async () => {
    const { id: threadId } = await ledger.createThread();
    const [question, answer] = await ledger.append(threadId, TALK);
    for (let count = 0; count < MANY; count++) {
      await ledger.append(threadId, TALK.slice(1), { parentMessageId: question?.id ?? null });
    }
    await ledger.select(threadId, answer?.id ?? null);
    expect((await ledger.findThread(NEXT)).parentMessageId).toBe(answer?.id);
  });

  test("the client's media distinguish an answer from any number of others with equal text", async () => {
    const picture = (at: number): Message =>
      assistant([text("Here."), image({ data: Buffer.from(`picture ${at}`).toString("base64") })]);
    const { id: threadId } = await ledger.createThread();
    const [question, answer] = await ledger.append(threadId, [user("Draw!"), picture(-1)]);
    for (let at = 0; at < MANY; at++) {
      await ledger.append(threadId, [picture(at)], { parentMessageId: question?.id ?? null });
    }
    await ledger.select(threadId, answer?.id ?? null);
    const { parentMessageId, messages } = await ledger.findThread([user("Draw!"), picture(-1), user("More!")]);
    expect([parentMessageId, messages[1]]).toStrictEqual([answer?.id, picture(-1)]);
  });

  test("within its scope, a caller never receives another scope's messages", async () => {
    const secret = [user("Hi."), assistant([reasoning("Ann is rich."), text("Hello!")])];
    const ann = await threadOf("ann", secret);
    const { id: unscoped } = await ledger.createThread();
    await ledger.append(unscoped, secret);
    const bob = await ledger.findThread(NEXT, { scope: "bob", within: "scope" });
    expect(bob).toStrictEqual({ threadId: null, parentMessageId: null, known: 0, messages: NEXT, restored: false });
    const own = await ledger.findThread(NEXT, { scope: "ann", within: "scope" });
    expect([own.threadId, own.messages[1]]).toStrictEqual([ann, secret[1]]);
    // Also if several positions are looked up at once.
    const edited = [...NEXT, assistant("What?"), user("Nothing."), assistant("I see.")];
    expect((await ledger.findThread(edited, { scope: "bob", within: "scope" })).threadId).toBeNull();
    expect((await ledger.findThread(edited, { scope: "ann", within: "scope" })).threadId).toBe(ann);
    // By default, a scope only decides between equal matches.
    expect((await ledger.findThread(NEXT, { scope: "bob", within: "tenant" })).known).toBe(2);
  });

  test("`within` a scope requires a scope", async () => {
    await expect(ledger.findThread(TALK, { within: "scope" })).rejects.toMatchObject({
      code: "invalid-input",
      path: "scope",
    });
    const wrong = { within: "user" as "scope" };
    await expect(ledger.findThread(TALK, wrong)).rejects.toMatchObject({ code: "invalid-input", path: "within" });
  });
});
