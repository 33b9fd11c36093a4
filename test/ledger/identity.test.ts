// Histories that clients resend: recognised, written once, branched where they were edited, and given back in full.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  assistant,
  image,
  type Message,
  parseJson,
  type Part,
  reasoning,
  stringifyJson,
  system,
  text,
  toolCall,
  toolResult,
  user,
} from "../../src/index.ts";
import { got, type Ledger, type LedgerError, type LedgerProblem } from "../../src/ledger/index.ts";
import { exchange, newOf, receive } from "./support/resend.ts";
import { textsOf } from "./support/runs.ts";
import { frozen, unstored } from "./support/scope.ts";
import { type OpenLedger, STORES } from "./support/stores.ts";

const seal = { dialect: "anthropic", kind: "signature", value: "EqQBCkYIBRgC" };

/** An answer as a provider gives it, and what is left of it where only standard fields are echoed. */
function thoughtful(said: string, ...calls: Part[]): Message {
  return assistant([reasoning(`Thinking of: ${said}`, { seals: [seal] }), text(said), ...calls]);
}
function echo({ parts }: Message): Message {
  return assistant(parts.filter(({ type }) => type === "text" || type === "tool-call").map((part) => ({ ...part })));
}

describe.each(STORES)("$name", (store) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  let problems: LedgerProblem[];
  beforeEach(async () => {
    problems = [];
    // A clock that never stands still: which of two threads is newer, ids of one millisecond do not tell.
    let time = Date.parse("2026-01-02T03:04:05Z");
    const clock = (): number => time++;
    opened = await store.open({ clock, blobThreshold: 2000, onProblem: (problem) => problems.push(problem) });
    ledger = opened.ledger;
  });
  afterEach(() => opened.close());

  /** A conversation of two rounds, as the client has it afterwards. */
  async function talk(scope?: string): Promise<{ threadId: string; given: Message[] }> {
    const given: Message[] = [user("Hi.")];
    const { threadId } = await exchange(ledger, given, thoughtful("Hello!"), scope);
    given.push(assistant("Hello!"), user("How are you?"));
    await exchange(ledger, given, thoughtful("Fine."), scope);
    given.push(assistant("Fine."));
    return { threadId, given };
  }

  const rounds = store.name === "postgres" ? 50 : 200;
  test.each([rounds])(
    "B97: an agent that resends its whole history %i times writes each message once",
    async (count) => {
      const given: Message[] = [system("Be brief."), user(`Count to ${count}.`)];
      for (let step = 1; step <= count; step++) {
        const call = toolCall(`call_${step}`, "count", { step });
        const { known, written } = await exchange(ledger, given, thoughtful(`Step ${step}.`, call));
        expect([known, written.length]).toStrictEqual(step === 1 ? [0, 2] : [given.length - 1, 1]);
        given[0] = system(`Be brief. Step ${step}.`);
        given.push(echo(thoughtful(`Step ${step}.`, call)), toolResult(call, `${step} of ${count}`));
      }
      await receive(ledger, given);
      const [thread, ...others] = await ledger.threads();
      expect(others).toStrictEqual([]);
      const { messages } = await ledger.tree(thread?.id ?? "");
      expect(messages.length).toBe(given.length);
      const transcript = await ledger.transcript(thread?.id ?? "");
      expect(transcript.map(({ role }) => role)).toStrictEqual(given.map(({ role }) => role));
    },
  );

  test("a history without an assistant's turn is new, even if it is stored", async () => {
    await talk();
    expect(await ledger.recognise([user("Hi.")])).toStrictEqual({
      threadId: null,
      parentMessageId: null,
      known: 0,
      messages: [user("Hi.")],
      restored: false,
    });
    expect((await ledger.recognise([])).known).toBe(0);
    expect((await ledger.recognise([system("Be brief.")])).threadId).toBeNull();
  });

  const plain = assistant([text("Look."), toolCall("call_1", "look", { at: "sky" })]);
  const RESTORED: readonly [what: string, answer: Message, echo: Message, restored: boolean][] = [
    ["all that was said", plain, plain, false],
    ["all of it without the id", { ...plain, id: "msg_1" }, plain, false],
    ["all of it with its id", { ...plain, id: "msg_1" }, { ...plain, id: "msg_1" }, false],
    ["another id", { ...plain, id: "msg_1" }, { ...plain, id: "msg_2" }, true],
    [
      "a thought without its seal",
      thoughtful("Look."),
      assistant([reasoning("Thinking of: Look."), text("Look.")]),
      true,
    ],
    ["no thought", thoughtful("Look."), assistant("Look."), true],
    ["other call ids", plain, assistant([text("Look."), toolCall("other", "look", { at: "sky" })]), true],
    ["white space at the end", assistant("Look.\n"), assistant("Look."), true],
    ["residue of its own", assistant("Look."), { ...assistant("Look."), extra: { d: { tone: "dry" } } }, true],
    ["fields that are empty", assistant("Look."), { ...assistant("Look."), extra: { d: { refusal: null } } }, false],
  ];
  test.each(RESTORED)(
    "B11: a client that echoes %s is told whether anything was restored",
    async (_, answer, echoed, restored) => {
      const given = [system("Be brief."), user("Hi.")];
      await exchange(ledger, given, answer);
      const again = await ledger.recognise([...given, echoed, user("Well?")]);
      expect([again.known, again.restored]).toStrictEqual([3, restored]);
    },
  );

  test("B11: what the client dropped comes back, and what is the client's stays the client's", async () => {
    const call = toolCall("toolu_1", "look", { at: "sky" }, { inputText: '{ "at": "sky" }' });
    const search = toolCall("srv_1", "web_search", { query: "sky" }, { executor: "provider" });
    const found = { ...toolResult(search, { pages: 3 }).parts[0] } as Part;
    const answer = thoughtful("Let me look.", search, found, call);
    await exchange(ledger, [system("Old."), user("Look up!")], answer);
    const question: Message = { ...user([text("Look up!", { cache: { ttl: "5m" } })]), name: "ann" };
    const given = [system("New."), question, echo(assistant([text("Let me look."), call])), toolResult(call, "Blue.")];
    const { messages, known } = await ledger.recognise(frozen(given));
    expect(known).toBe(3);
    expect(messages).toStrictEqual([system("New."), question, answer, toolResult(call, "Blue.")]);
  });

  test("B23: exact arguments come back, also those whose digits the client lost", async () => {
    const exact = assistant([toolCall("call_1", "look", parseJson('{"id":12345678901234567890}'))]);
    await exchange(ledger, [user("Look!")], exact);
    const lossy = JSON.parse(JSON.stringify(exact)) as Message;
    const { messages } = await ledger.recognise([user("Look!"), lossy, user("And?")]);
    expect(stringifyJson(messages[1])).toContain('{"id":12345678901234567890}');
  });

  test("B11: results answer the stored calls, whatever ids the client was given", async () => {
    const calls = [toolCall("toolu_1", "look", { at: 1 }), toolCall("toolu_2", "run", "ls", { format: "text" })];
    await exchange(ledger, [user("Go.")], assistant(calls));
    const theirs = [toolCall("call_a", "look", { at: 1 }), toolCall("call_b", "run", { value: "ls" })];
    const results = theirs.map((each, at) => toolResult({ ...each, toolName: "" }, `Result ${at}.`));
    const given = [user("Go."), assistant(theirs), ...results.toReversed()];
    const first = await receive(ledger, given);
    expect(newOf(given, first)).toStrictEqual([
      toolResult({ toolCallId: "toolu_2", toolName: "run", format: "text" }, "Result 1."),
      toolResult({ toolCallId: "toolu_1", toolName: "look" }, "Result 0."),
    ]);
    // Once more, and further: what is known answers the stored calls, too.
    const again = await ledger.recognise([user("Go."), assistant(theirs), ...results, assistant("Done."), user("Ok.")]);
    expect(again.known).toBe(4);
    expect(again.messages.slice(2, 4)).toStrictEqual(newOf(given, first).toReversed());
  });

  test("an id that the client uses again for a call of its own is its own again", async () => {
    await exchange(ledger, [user("Go.")], assistant([toolCall("toolu_1", "look", {})]));
    const call = toolCall("call_0", "look", {});
    const given = [
      user("Go."),
      assistant([call]),
      toolResult(call, "One."),
      assistant([toolCall("call_0", "listen", {})]),
      toolResult(toolCall("call_0", "listen", {}), "Two."),
    ];
    const { messages } = await ledger.recognise(given);
    expect(messages[2]).toStrictEqual(toolResult({ toolCallId: "toolu_1", toolName: "look" }, "One."));
    expect(messages.slice(3)).toStrictEqual(given.slice(3));
  });

  test("an edit in the middle makes a branch where it stands, and the old one stays", async () => {
    const { threadId, given } = await talk();
    const edited = given.with(2, user("How old are you?"));
    const { known, parentMessageId, ...received } = await exchange(
      ledger,
      [...edited, user("And?")],
      assistant("New."),
    );
    expect([received.threadId, known]).toStrictEqual([threadId, 2]);
    expect(textsOf(received.written)).toStrictEqual(["How old are you?", "Fine.", "And?"]);
    const { messages } = await ledger.tree(threadId);
    expect(messages.filter((message) => message.parentMessageId === parentMessageId)).toHaveLength(2);
    const transcript = await ledger.transcript(threadId);
    expect(textsOf(transcript.map(echo))).toStrictEqual(["Hi.", "Hello!", "How old are you?", "Fine.", "And?", "New."]);
    // Both go on from where they are.
    expect(await ledger.recognise([...given, user("So?")])).toMatchObject({ threadId, known: 4 });
    expect(await ledger.recognise([...edited, user("And?"), assistant("New."), user("So?")])).toMatchObject({
      known: 6,
    });
  });

  test("an edited answer makes a branch after the user's words, which are not written again", async () => {
    const { threadId, given } = await talk();
    const { known, parentMessageId } = await ledger.recognise(given.with(3, assistant("Great.")));
    const transcript = await ledger.transcript(threadId);
    expect([known, parentMessageId]).toStrictEqual([3, transcript[2]?.id]);
  });

  test("a retry finds what the first attempt wrote", async () => {
    const { given } = await talk();
    const again = [...given, user("So?"), user("Well?")];
    const first = await receive(ledger, again);
    const second = await receive(ledger, again);
    expect(textsOf(first.written)).toStrictEqual(["So?", "Well?"]);
    expect([second.written, second.known, second.parentMessageId]).toStrictEqual([[], 6, first.written[1]?.id]);
    // And with one more word in the same turn, only that is new.
    expect(textsOf((await receive(ledger, [...again, user("Hm?")])).written)).toStrictEqual(["Hm?"]);
  });

  test("B25: results that were stored as they came are known in any order and in one message", async () => {
    const calls = ["a", "b", "c"].map((id) => toolCall(id, "look", { id }));
    const { threadId } = await exchange(ledger, [user("Go.")], assistant(calls));
    const [a, b, c] = calls.map((each) => toolResult(each, `Seen ${each.toolCallId}.`)) as [Message, Message, Message];
    for (const each of [c, a, b]) await ledger.append(threadId, [each]);
    const asked = [user("Go."), assistant(calls)];
    const joined: Message = { role: "tool", parts: [a, b, c].flatMap(({ parts }) => parts) };
    for (const results of [[a, b, c], [b, a, c], [joined]]) {
      const given = [...asked, ...results];
      expect((await ledger.recognise(given)).known).toBe(given.length);
    }
    expect((await ledger.recognise([...asked, c, a])).known).toBe(4);
    await ledger.append(threadId, [assistant("All seen.")]);
    expect((await ledger.recognise([...asked, joined, assistant("All seen."), user("Ok.")])).known).toBe(4);
  });

  test("a turn that the client cuts in another way is the same turn", async () => {
    await exchange(ledger, [user("Hi."), user("There.")], assistant([text("Hel"), text("lo!")]));
    await exchange(ledger, [user("Hi.There."), assistant("Hello!"), user("So?")], assistant("So what?"));
    const given = [user([text("Hi."), text("There.")]), assistant("Hel"), assistant("lo!"), user("So?")];
    const { known, messages } = await ledger.recognise([...given, assistant("So what?"), user("Nothing.")]);
    expect(known).toBe(5);
    expect(messages).toStrictEqual([
      given[0],
      assistant([text("Hel"), text("lo!")]),
      user("So?"),
      assistant("So what?"),
      user("Nothing."),
    ]);
  });

  test("the first of two answers in a row is known where only it is stored", async () => {
    const { threadId } = await exchange(ledger, [user("Hi.")], assistant("Hello!"));
    const given = [user("Hi."), assistant("Hello!"), assistant("Anybody?"), user("Yes.")];
    expect(await ledger.recognise(given)).toMatchObject({ threadId, known: 2 });
  });

  test("cache breakpoints are the client's, also on what the assistant said", async () => {
    const marked = assistant([text("One."), text("Two.", { cache: { ttl: "1h" } }), ...thoughtful("Three.").parts]);
    await exchange(ledger, [user("Count.")], marked);
    const given = [user("Count."), assistant([text("One.", { cache: {} }), text("Two."), text("Three.")]), user("On.")];
    const { messages } = await ledger.recognise(given);
    const breakpoints = messages[1]?.parts.map(({ cache }) => cache);
    expect(breakpoints).toStrictEqual([{}, undefined, undefined, undefined]);
    const joined = [user("Count."), assistant([text("One.Two."), text("Three.", { cache: {} })]), user("On.")];
    const other = (await ledger.recognise(joined)).messages[1]?.parts.map(({ cache }) => cache);
    expect(other).toStrictEqual([undefined, {}, undefined, undefined]);
  });

  test("B97: long texts and media are restored from where they are stored once", async () => {
    const [long, data] = ["Long. ".repeat(1000), "iVBORw0KGgoA".repeat(400)];
    const { blob } = await ledger.putBlob(Buffer.from(data, "base64"));
    const answer = assistant([text(long), image({ data }), toolCall("call_1", "save", { text: long })]);
    // What only the ledger can find is given in full.
    await exchange(ledger, [user([image({ blob })])], assistant(answer.parts.with(1, image({ blob }))));
    const given = [user([image({ data })]), echo(answer), toolResult(toolCall("call_1", "save", {}), long)];
    const { messages, known } = await ledger.recognise(given);
    expect(known).toBe(2);
    expect(messages[1]).toStrictEqual(answer);
    await receive(ledger, given);
    expect((await ledger.recognise(given)).known).toBe(3);
  });

  test("never across tenants", async () => {
    const { given } = await talk();
    const other = ledger.forTenant("other");
    expect(await other.recognise([...given, user("So?")])).toMatchObject({ threadId: null, known: 0 });
    await exchange(other, [user("Hi.")], assistant("Hello!"));
    expect(await other.recognise([...given, user("So?")])).toMatchObject({ known: 2 });
  });

  test("of several matches the longest wins, then the caller's own scope, then the newest", async () => {
    const ann = await talk("ann");
    // The same words, in threads of their own.
    const copy = async (scope: string, given: readonly Message[]): Promise<string> => {
      const { id } = await ledger.createThread({ scope });
      await ledger.append(id, given);
      return id;
    };
    const bob = await copy("bob", ann.given);
    const cid = await copy("cid", ann.given.slice(0, 2));
    const next = [...ann.given, user("So?")];
    const threadOf = async (scope?: string): Promise<string | null> =>
      (await ledger.recognise(next, scope === undefined ? {} : { scope })).threadId;
    expect(await threadOf("ann")).toBe(ann.threadId);
    expect(await threadOf("bob")).toBe(bob);
    expect(await threadOf()).toBe(bob);
    expect(await threadOf("cid")).toBe(bob);
    expect((await ledger.recognise(ann.given.slice(0, 2), { scope: "cid" })).threadId).toBe(cid);
  });

  test("of several matches in a thread the active path wins over the newest", async () => {
    const { threadId, given } = await talk();
    const transcript = await ledger.transcript(threadId);
    const [, first, , last] = transcript;
    const branch = await ledger.append(threadId, given.slice(2), { parentMessageId: first?.id ?? null });
    const next = [...given, user("So?")];
    expect((await ledger.recognise(next)).parentMessageId).toBe(branch[1]?.id);
    await ledger.select(threadId, last?.id ?? null);
    expect((await ledger.recognise(next)).parentMessageId).toBe(last?.id);
    // Also for what is known beyond the answer.
    await ledger.append(threadId, [user("So?")]);
    await ledger.append(threadId, [user("So?")], { parentMessageId: branch[1]?.id ?? null });
    await ledger.select(threadId, (await ledger.tree(threadId)).messages.at(-2)?.id ?? null);
    expect((await ledger.recognise(next)).parentMessageId).toBe((await ledger.transcript(threadId)).at(-1)?.id);
  });

  test("among many short conversations that are alike, the long one is found", async () => {
    const { threadId, given } = await talk();
    for (let count = 0; count < 70; count++) {
      const { id } = await ledger.createThread();
      await ledger.append(id, given.slice(0, 2));
    }
    const edited = [...given, user("So?"), assistant("What?"), user("Nothing."), assistant("I see.")];
    expect(await ledger.recognise(edited)).toMatchObject({ threadId, known: 4 });
  });

  test("B90: a partial answer that the client resends is known where it is stored, beside the active path", async () => {
    const { threadId, given } = await talk();
    await ledger.append(threadId, [user("Tell me a story.")]);
    const run = await ledger.beginRun({ threadId });
    const start = { kind: "start", payload: { modelId: "m", requestId: "r" } } as const;
    await run.append([start, { kind: "text", payload: { textDelta: "Once upon" } }]);
    const { messages } = await run.cancel();
    const resent = [...given, user("Tell me a story."), assistant("Once upon"), user("Go on.")];
    expect(await ledger.recognise(resent)).toMatchObject({ threadId, parentMessageId: messages[0]?.id, known: 6 });
  });

  test("B91: where a stored answer cannot be read, the client's own words stand", async () => {
    const { threadId, given } = await talk();
    const key = { tenant: ledger.tenant, threadId };
    const [, , , last] = await ledger.transcript(threadId);
    const row = await opened.store.reads.message(key, last?.id ?? "");
    if (row === undefined) throw new Error("There is no such row.");
    await opened.store.write(function* damage(tx) {
      yield* got(tx.deleteMessages(key, [row.id]));
      yield* got(tx.insertMessages([{ ...row, body: row.body.slice(0, 20) }]));
    });
    const { messages, known } = await ledger.recognise([...given, user("So?")]);
    expect([known, problems.length]).toStrictEqual([4, 1]);
    expect(messages).toStrictEqual([given[0], thoughtful("Hello!"), given[2], given[3], user("So?")]);
  });

  test("B91: where the path is torn, what stands behind the gap is restored", async () => {
    const { threadId, given } = await talk();
    const [, gone] = await ledger.transcript(threadId);
    const key = { tenant: ledger.tenant, threadId };
    await opened.store.write((tx) => got(tx.deleteMessages(key, [gone?.id ?? ""])));
    const { messages, known } = await ledger.recognise([...given, user("So?")]);
    expect(known).toBe(4);
    expect(messages).toStrictEqual([...given.slice(0, 3), thoughtful("Fine."), user("So?")]);
  });

  test("what comes back can be appended elsewhere as it is", async () => {
    const { given } = await talk();
    const { messages } = await ledger.recognise([...given, user("So?")]);
    const { id } = await ledger.createThread();
    expect((await ledger.append(id, messages)).map(unstored)).toStrictEqual(messages);
  });

  test("what is no list of messages is refused with its place", async () => {
    const refused = async (value: unknown): Promise<LedgerError> =>
      ledger.recognise(value as Message[]).then(
        () => Promise.reject(new Error("It was taken.")),
        (error: unknown) => error as LedgerError,
      );
    expect(await refused(undefined)).toMatchObject({ code: "invalid-input", path: "/messages" });
    expect(await refused([user("Hi."), { role: "user" }])).toMatchObject({
      code: "invalid-input",
      path: "/messages/1",
    });
    await expect(ledger.recognise([], { scope: "" })).rejects.toMatchObject({ code: "invalid-input", path: "scope" });
  });
});
