// Turns that say nothing of their own, media that the assistant made, and ids that name more than one call.
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
} from "../../src/index.ts";
import type { Ledger } from "../../src/ledger/index.ts";
import { newOf, receive } from "./support/resend.ts";
import { type OpenLedger, STORES } from "./support/stores.ts";

const thought = assistant([reasoning("Hm.")]);
const drawn = (what: string): Message => assistant([image({ data: Buffer.from(what).toString("base64") })]);
const shown = (what: string): Message => assistant([text("Here."), ...drawn(what).parts]);

describe.each(STORES)("$name", (store) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  beforeEach(async () => {
    // A clock that never stands still: which of two threads is newer, ids of one millisecond do not tell.
    let time = Date.parse("2026-01-02T03:04:05Z");
    opened = await store.open({ clock: () => time++ });
    ledger = opened.ledger;
  });
  afterEach(() => opened.close());

  async function stored(...messages: Message[]): Promise<string[]> {
    const { id } = await ledger.createThread();
    // One by one: each builds on what is stored.
    const ids: string[] = [];
    for (const message of messages) for (const each of await ledger.append(id, [message])) ids.push(each.id);
    return ids;
  }

  const SILENT: readonly [what: string, message: Message][] = [
    ["only reasoning", thought],
    ["only media", drawn("a cat")],
    ["only what one dialect has", assistant([{ type: "opaque", dialect: "x", value: 1 }])],
    ["only white space", assistant(" \n")],
    ["no part", assistant([])],
  ];

  test.each(SILENT)("an answer with %s is no match by itself", async (_, silent) => {
    await stored(user("Go."), silent);
    for (const [, other] of SILENT) {
      const given = [user("Go."), other, user("So?")];
      expect(await ledger.recognise(given)).toMatchObject({ threadId: null, known: 0, messages: given });
    }
  });

  test.each(SILENT)("B11: a client may leave out an answer with %s, and it comes back", async (_, silent) => {
    const ids = await stored(user("One."), silent, user("Two."), assistant("Three."));
    const whole = [user("One."), silent, user("Two."), assistant("Three."), user("Four.")];
    const short = whole.filter((message) => message !== silent);
    for (const given of [whole, short]) {
      const { messages, known, parentMessageId } = await ledger.recognise(given);
      expect([known, parentMessageId]).toStrictEqual([given.length - 1, ids[3]]);
      expect(messages).toStrictEqual(whole);
    }
    // Where the client has made one message of two, it has no place any more.
    const joined = [user("One.Two."), assistant("Three."), user("Four.")];
    expect(await ledger.recognise(joined)).toMatchObject({ known: 2, messages: joined });
  });

  test.each(SILENT)("B97: a retry with %s behind a known answer writes nothing twice", async (_, silent) => {
    await stored(user("Hi."), assistant("Hello!"));
    const talk = [user("Hi."), assistant("Hello!"), user("Go."), silent];
    expect((await receive(ledger, talk)).written).toHaveLength(2);
    expect((await receive(ledger, talk)).written).toStrictEqual([]);
    expect((await receive(ledger, [...talk, user("On.")])).written).toHaveLength(1);
    const again = await receive(ledger, [...talk, user("On."), user("And on.")]);
    expect([again.known, again.written.length]).toStrictEqual([5, 1]);
    const [thread] = await ledger.threads();
    expect((await ledger.tree(thread?.id ?? "")).messages).toHaveLength(6);
  });

  test("what the client has beyond what is stored is new, even if it says nothing", async () => {
    const ids = await stored(user("Hi."), assistant("Hello!"), user("Go."));
    const given = [user("Hi."), assistant("Hello!"), user("Go."), thought];
    const recognised = await ledger.recognise(given);
    expect([recognised.known, recognised.parentMessageId]).toStrictEqual([3, ids[2]]);
    expect(newOf(given, recognised)).toStrictEqual([thought]);
  });

  test("white space and thoughts before an answer are part of it", async () => {
    const ids = await stored(user("Go."), thought, assistant("\n"), assistant("Gone."));
    for (const given of [
      [user("Go."), assistant("\nGone."), user("So?")],
      [user("Go."), thought, assistant("\nGo"), assistant("ne."), user("So?")],
    ]) {
      const { parentMessageId, messages } = await ledger.recognise(given);
      expect(parentMessageId).toBe(ids[3]);
      expect(messages).toStrictEqual([user("Go."), thought, assistant("\n"), assistant("Gone."), user("So?")]);
    }
    expect((await ledger.recognise([user("Go."), assistant("Gone."), user("So?")])).known).toBe(0);
  });

  test("B90: a partial turn of mere thoughts does not come back", async () => {
    const { id: threadId } = await ledger.createThread();
    await ledger.append(threadId, [user("One.")]);
    const run = await ledger.beginRun({ threadId });
    const start = { kind: "start", payload: { modelId: "m", requestId: "r" } } as const;
    await run.append([start, { kind: "thinking", payload: { textDelta: "Hm" } }]);
    const [partial] = (await run.cancel()).messages;
    await ledger.append(threadId, [user("Two."), assistant("Three.")], { parentMessageId: partial?.id ?? null });
    const given = [user("One."), user("Two."), assistant("Three."), user("Four.")];
    expect(await ledger.recognise(given)).toMatchObject({ threadId, known: 3, messages: given });
  });

  test("of two answers that differ in their media alone, the client's is the one that it sends", async () => {
    const [, cat] = await stored(user("Draw!"), shown("a cat"));
    const [, dog] = await stored(user("Draw!"), shown("a dog"));
    for (const [what, id] of [
      ["a cat", cat],
      ["a dog", dog],
    ] as const) {
      const { parentMessageId, messages } = await ledger.recognise([user("Draw!"), shown(what), user("More!")]);
      expect([parentMessageId, messages[1]]).toStrictEqual([id, shown(what)]);
    }
    const other = [user("Draw!"), shown("a cow"), user("More!")];
    expect(await ledger.recognise(other)).toMatchObject({ known: 0, messages: other });
    // A client that leaves them out means any.
    const { known, messages } = await ledger.recognise([user("Draw!"), assistant("Here."), user("More!")]);
    expect([known, messages[1]]).toStrictEqual([2, shown("a dog")]);
  });

  test("other media end the match before them", async () => {
    const ids = await stored(
      user("Hi."),
      assistant("Hello!"),
      user("Draw!"),
      shown("a cat"),
      user("Ok."),
      assistant("!"),
    );
    const given = [user("Hi."), assistant("Hello!"), user("Draw!"), shown("a dog"), user("Ok."), assistant("!")];
    const recognised = await ledger.recognise(given);
    expect([recognised.known, recognised.parentMessageId]).toStrictEqual([3, ids[2]]);
    expect(recognised.messages).toStrictEqual(given);
    // Also where they are all that was said.
    await stored(user("A."), assistant("B."), user("Draw!"), drawn("a cat"), user("Ok."), assistant("!"));
    const silent = [user("A."), assistant("B."), user("Draw!"), drawn("a dog"), user("Ok."), assistant("!")];
    expect(await ledger.recognise(silent)).toMatchObject({ known: 3, messages: silent });
    expect((await ledger.recognise(silent.with(3, drawn("a cat")))).known).toBe(6);
  });

  test("media that cannot be compared are the client's", async () => {
    await stored(user("Draw!"), shown("a cat"));
    const given = [
      user("Draw!"),
      assistant([text("Here."), image({ url: "https://img.example/1.png" })]),
      user("More!"),
    ];
    expect(await ledger.recognise(given)).toMatchObject({ known: 2, messages: given });
  });

  test.each(["", "call_0"])(
    'B11: results of calls that share the id "%s" answer the stored calls in order',
    async (id) => {
      const calls = [1, 2, 3].map((n) => toolCall(`toolu_${n}`, "look", { n }));
      await stored(user("Go."), assistant(calls));
      const theirs = calls.map((call) => ({ ...call, toolCallId: id }));
      const results = theirs.map((call, at) => toolResult(call, `Result ${at}.`));
      const expected = calls.map((call, at) => toolResult(call, `Result ${at}.`));
      const { messages } = await ledger.recognise([user("Go."), assistant(theirs), ...results]);
      expect(messages.slice(2)).toStrictEqual(expected);
      const joined: Message = { role: "tool", parts: results.flatMap(({ parts }) => parts) };
      const whole = await ledger.recognise([user("Go."), assistant(theirs), joined]);
      expect(whole.messages[2]?.parts).toStrictEqual(expected.flatMap(({ parts }) => parts));
    },
  );

  test("instructions within a conversation are one turn, of whichever of the two roles", async () => {
    const ids = await stored(
      user("Hi."),
      assistant("Yes?"),
      system("A."),
      developer("B."),
      user("So?"),
      assistant("!"),
    );
    for (const notes of [[system("A."), system("B.")], [developer("A."), system("B.")], [system("A.B.")]]) {
      const given = [user("Hi."), assistant("Yes?"), ...notes, user("So?"), assistant("!"), user("Ok.")];
      expect(await ledger.recognise(given)).toMatchObject({ known: given.length - 1, parentMessageId: ids[5] });
    }
    // A retry finds them, too.
    await receive(ledger, [user("Hi."), assistant("Yes?"), developer("C."), system("D.")]);
    expect((await ledger.recognise([user("Hi."), assistant("Yes?"), system("C."), developer("D.")])).known).toBe(4);
  });
});
