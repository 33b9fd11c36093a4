// Tests blank turns, media made by the assistant, and call ids that are used more than once.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  assistant,
  developer,
  image,
  type Message,
  reasoning,
  system,
  text,
  toolCall,
  toolResult,
  user,
} from "../../../src/index.ts";
import type { Ledger } from "../../../src/ledger/index.ts";
import { selectNewMessages, receiveRequest } from "../support/resend-history.ts";
import { type OpenLedger, STORES } from "../support/stores.ts";

const thought = assistant([reasoning("Hm.")]);
const drawn = (what: string): Message => assistant([image({ data: Buffer.from(what).toString("base64") })]);
const shown = (what: string): Message => assistant([text("Here."), ...drawn(what).parts]);

describe.each(STORES)("$name", (store) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  beforeEach(async () => {
    // A clock that always advances: ids of one millisecond do not show which of two threads is newer.
    let time = Date.parse("2026-01-02T03:04:05Z");
    opened = await store.open({ clock: () => time++ });
    ledger = opened.ledger;
  });
  afterEach(() => opened.close());

  async function stored(...messages: Message[]): Promise<string[]> {
    const { id } = await ledger.createThread();
    // One by one: each append continues the stored messages.
    const ids: string[] = [];
    for (const message of messages) for (const each of await ledger.append(id, [message])) ids.push(each.id);
    return ids;
  }

  const BLANK_ANSWERS: readonly [what: string, message: Message][] = [
    ["only reasoning", thought],
    ["only media", drawn("a cat")],
    ["only an opaque part", assistant([{ type: "opaque", dialect: "x", value: 1 }])],
    ["only white space", assistant(" \n")],
    ["no part", assistant([])],
  ];

  test.each(BLANK_ANSWERS)("an answer with %s alone is no match", async (_, silent) => {
    await stored(user("Go."), silent);
    for (const [, other] of BLANK_ANSWERS) {
      const history = [user("Go."), other, user("So?")];
      expect(await ledger.findThread(history)).toMatchObject({ threadId: null, known: 0, messages: history });
    }
  });

  test.each(BLANK_ANSWERS)("B11: a client may drop an answer with %s, and it is restored", async (_, silent) => {
    const ids = await stored(user("One."), silent, user("Two."), assistant("Three."));
    const whole = [user("One."), silent, user("Two."), assistant("Three."), user("Four.")];
    const short = whole.filter((message) => message !== silent);
    for (const history of [whole, short]) {
      const { messages, known, parentMessageId } = await ledger.findThread(history);
      expect([known, parentMessageId]).toStrictEqual([history.length - 1, ids[3]]);
      expect(messages).toStrictEqual(whole);
    }
    // If the client merged two messages into one, the blank message has no position any more.
    const joined = [user("One.Two."), assistant("Three."), user("Four.")];
    expect(await ledger.findThread(joined)).toMatchObject({ known: 2, messages: joined });
  });

  test.each(BLANK_ANSWERS)("B97: a retry with %s after a known answer stores nothing twice", async (_, silent) => {
    await stored(user("Hi."), assistant("Hello!"));
    const talk = [user("Hi."), assistant("Hello!"), user("Go."), silent];
    expect((await receiveRequest(ledger, talk)).written).toHaveLength(2);
    expect((await receiveRequest(ledger, talk)).written).toStrictEqual([]);
    expect((await receiveRequest(ledger, [...talk, user("On.")])).written).toHaveLength(1);
    const again = await receiveRequest(ledger, [...talk, user("On."), user("And on.")]);
    expect([again.known, again.written.length]).toStrictEqual([5, 1]);
    const [thread] = await ledger.threads();
    expect((await ledger.tree(thread?.id ?? "")).messages).toHaveLength(6);
  });

  test("messages beyond the stored ones are new, even if they are blank", async () => {
    const ids = await stored(user("Hi."), assistant("Hello!"), user("Go."));
    const history = [user("Hi."), assistant("Hello!"), user("Go."), thought];
    const match = await ledger.findThread(history);
    expect([match.known, match.parentMessageId]).toStrictEqual([3, ids[2]]);
    expect(selectNewMessages(history, match)).toStrictEqual([thought]);
  });

  test("white space and reasoning before an answer are part of it", async () => {
    const ids = await stored(user("Go."), thought, assistant("\n"), assistant("Gone."));
    for (const history of [
      [user("Go."), assistant("\nGone."), user("So?")],
      [user("Go."), thought, assistant("\nGo"), assistant("ne."), user("So?")],
    ]) {
      const { parentMessageId, messages } = await ledger.findThread(history);
      expect(parentMessageId).toBe(ids[3]);
      expect(messages).toStrictEqual([user("Go."), thought, assistant("\n"), assistant("Gone."), user("So?")]);
    }
    expect((await ledger.findThread([user("Go."), assistant("Gone."), user("So?")])).known).toBe(0);
  });

  test("B90: an interrupted turn of reasoning only is not restored", async () => {
    const { id: threadId } = await ledger.createThread();
    await ledger.append(threadId, [user("One.")]);
    const run = await ledger.beginRun({ threadId });
    const start = { kind: "start", payload: { modelId: "m", requestId: "r" } } as const;
    await run.append([start, { kind: "thinking", payload: { textDelta: "Hm" } }]);
    const [partial] = (await run.cancel()).messages;
    await ledger.append(threadId, [user("Two."), assistant("Three.")], { parentMessageId: partial?.id ?? null });
    const history = [user("One."), user("Two."), assistant("Three."), user("Four.")];
    expect(await ledger.findThread(history)).toMatchObject({ threadId, known: 3, messages: history });
  });

  test("of two answers that differ in their media only, the one that the client sends is matched", async () => {
    const [, cat] = await stored(user("Draw!"), shown("a cat"));
    const [, dog] = await stored(user("Draw!"), shown("a dog"));
    for (const [what, id] of [
      ["a cat", cat],
      ["a dog", dog],
    ] as const) {
      const { parentMessageId, messages } = await ledger.findThread([user("Draw!"), shown(what), user("More!")]);
      expect([parentMessageId, messages[1]]).toStrictEqual([id, shown(what)]);
    }
    const other = [user("Draw!"), shown("a cow"), user("More!")];
    expect(await ledger.findThread(other)).toMatchObject({ known: 0, messages: other });
    // A client that drops images matches any.
    const { known, messages } = await ledger.findThread([user("Draw!"), assistant("Here."), user("More!")]);
    expect([known, messages[1]]).toStrictEqual([2, shown("a dog")]);
  });

  test("different media end the match before them", async () => {
    const ids = await stored(
      user("Hi."),
      assistant("Hello!"),
      user("Draw!"),
      shown("a cat"),
      user("Ok."),
      assistant("!"),
    );
    const history = [user("Hi."), assistant("Hello!"), user("Draw!"), shown("a dog"), user("Ok."), assistant("!")];
    const match = await ledger.findThread(history);
    expect([match.known, match.parentMessageId]).toStrictEqual([3, ids[2]]);
    expect(match.messages).toStrictEqual(history);
    // Also if they are the only content.
    await stored(user("A."), assistant("B."), user("Draw!"), drawn("a cat"), user("Ok."), assistant("!"));
    const silent = [user("A."), assistant("B."), user("Draw!"), drawn("a dog"), user("Ok."), assistant("!")];
    expect(await ledger.findThread(silent)).toMatchObject({ known: 3, messages: silent });
    expect((await ledger.findThread(silent.with(3, drawn("a cat")))).known).toBe(6);
  });

  test("media that cannot be compared are taken from the client", async () => {
    await stored(user("Draw!"), shown("a cat"));
    const history = [
      user("Draw!"),
      assistant([text("Here."), image({ url: "https://img.example/1.png" })]),
      user("More!"),
    ];
    expect(await ledger.findThread(history)).toMatchObject({ known: 2, messages: history });
  });

  test.each(["", "call_0"])(
    'B11: results of calls that share the id "%s" answer the stored calls in order',
    async (id) => {
      const calls = [1, 2, 3].map((n) => toolCall(`toolu_${n}`, "look", { n }));
      await stored(user("Go."), assistant(calls));
      const theirs = calls.map((call) => ({ ...call, toolCallId: id }));
      const results = theirs.map((call, at) => toolResult(call, `Result ${at}.`));
      const expected = calls.map((call, at) => toolResult(call, `Result ${at}.`));
      const { messages } = await ledger.findThread([user("Go."), assistant(theirs), ...results]);
      expect(messages.slice(2)).toStrictEqual(expected);
      const joined: Message = { role: "tool", parts: results.flatMap(({ parts }) => parts) };
      const whole = await ledger.findThread([user("Go."), assistant(theirs), joined]);
      expect(whole.messages[2]?.parts).toStrictEqual(expected.flatMap(({ parts }) => parts));
    },
  );

  test("instructions within a conversation are one turn, for both roles", async () => {
    const ids = await stored(
      user("Hi."),
      assistant("Yes?"),
      system("A."),
      developer("B."),
      user("So?"),
      assistant("!"),
    );
    for (const notes of [[system("A."), system("B.")], [developer("A."), system("B.")], [system("A.B.")]]) {
      const history = [user("Hi."), assistant("Yes?"), ...notes, user("So?"), assistant("!"), user("Ok.")];
      expect(await ledger.findThread(history)).toMatchObject({ known: history.length - 1, parentMessageId: ids[5] });
    }
    // A retry finds them too.
    await receiveRequest(ledger, [user("Hi."), assistant("Yes?"), developer("C."), system("D.")]);
    expect((await ledger.findThread([user("Hi."), assistant("Yes?"), system("C."), developer("D.")])).known).toBe(4);
  });
});
