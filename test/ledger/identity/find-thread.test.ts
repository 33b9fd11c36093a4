// Tests histories that clients resend: matched, stored once, branched where they were edited, and restored.
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
} from "../../../src/index.ts";
import type { Ledger, LedgerProblem } from "../../../src/ledger/index.ts";
import { wait } from "../../../src/ledger/store/index.ts";
import { exchange, selectNewMessages, receiveRequest } from "../support/resend-history.ts";
import { createAdvancingClock, readTexts } from "../support/runs.ts";
import { deepFreeze, toUnstoredMessage } from "../support/scope.ts";
import { createSealedAnswer, toEcho } from "../support/sealed-answer.ts";
import { type OpenLedger, STORES } from "../support/stores.ts";

describe.each(STORES)("$name", (store) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  let problems: LedgerProblem[];
  beforeEach(async () => {
    problems = [];
    const clock = createAdvancingClock();
    opened = await store.open({ clock, blobThreshold: 2000, onProblem: (problem) => problems.push(problem) });
    ({ ledger } = opened);
  });
  afterEach(() => opened.close());

  /** A conversation of two rounds, as the client has it afterwards. */
  async function talk(scope?: string): Promise<{ threadId: string; history: Message[] }> {
    const history: Message[] = [user("Hi.")];
    const { threadId } = await exchange(ledger, history, createSealedAnswer("Hello!"), scope);
    history.push(assistant("Hello!"), user("How are you?"));
    await exchange(ledger, history, createSealedAnswer("Fine."), scope);
    history.push(assistant("Fine."));
    return { threadId, history };
  }

  const rounds = store.name === "postgres" ? 50 : 200;
  test.each([rounds])(
    "B97: an agent that resends its whole history %i times writes each message once",
    async (count) => {
      const history: Message[] = [system("Be brief."), user(`Count to ${count}.`)];
      for (let step = 1; step <= count; step++) {
        const call = toolCall(`call_${step}`, "count", { step });
        const { known, written } = await exchange(ledger, history, createSealedAnswer(`Step ${step}.`, call));
        expect([known, written.length]).toStrictEqual(step === 1 ? [0, 2] : [history.length - 1, 1]);
        history[0] = system(`Be brief. Step ${step}.`);
        history.push(toEcho(createSealedAnswer(`Step ${step}.`, call)), toolResult(call, `${step} of ${count}`));
      }
      await receiveRequest(ledger, history);
      const [thread, ...others] = await ledger.threads();
      expect(others).toStrictEqual([]);
      const { messages } = await ledger.tree(thread?.id ?? "");
      expect(messages.length).toBe(history.length);
      const transcript = await ledger.transcript(thread?.id ?? "");
      expect(transcript.map(({ role }) => role)).toStrictEqual(history.map(({ role }) => role));
    },
  );

  test("a history without an assistant's turn is new, even if it is stored", async () => {
    await talk();
    expect(await ledger.findThread([user("Hi.")])).toStrictEqual({
      threadId: null,
      parentMessageId: null,
      known: 0,
      messages: [user("Hi.")],
      restored: false,
    });
    expect((await ledger.findThread([])).known).toBe(0);
    expect((await ledger.findThread([system("Be brief.")])).threadId).toBeNull();
  });

  const plain = assistant([text("Look."), toolCall("call_1", "look", { at: "sky" })]);
  const RESTORED: readonly [what: string, answer: Message, echo: Message, restored: boolean][] = [
    ["the complete answer", plain, plain, false],
    ["the complete answer without its id", { ...plain, id: "msg_1" }, plain, false],
    ["the complete answer with its id", { ...plain, id: "msg_1" }, { ...plain, id: "msg_1" }, false],
    ["another id", { ...plain, id: "msg_1" }, { ...plain, id: "msg_2" }, true],
    [
      "reasoning without its seal",
      createSealedAnswer("Look."),
      assistant([reasoning("Thinking of: Look."), text("Look.")]),
      true,
    ],
    ["no reasoning", createSealedAnswer("Look."), assistant("Look."), true],
    ["other call ids", plain, assistant([text("Look."), toolCall("other", "look", { at: "sky" })]), true],
    ["white space at the end", assistant("Look.\n"), assistant("Look."), true],
    ["additional residue", assistant("Look."), { ...assistant("Look."), extra: { d: { tone: "dry" } } }, true],
    ["empty fields", assistant("Look."), { ...assistant("Look."), extra: { d: { refusal: null } } }, false],
  ];
  test.each(RESTORED)(
    "B11: for a client that echoes %s, `restored` is set correctly",
    async (_, answer, echoed, restored) => {
      const history = [system("Be brief."), user("Hi.")];
      await exchange(ledger, history, answer);
      const again = await ledger.findThread([...history, echoed, user("Well?")]);
      expect([again.known, again.restored]).toStrictEqual([3, restored]);
    },
  );

  test("B11: data that the client dropped is restored, and the client's own content is unchanged", async () => {
    const call = toolCall("toolu_1", "look", { at: "sky" }, { inputText: '{ "at": "sky" }' });
    const search = toolCall("srv_1", "web_search", { query: "sky" }, { executor: "provider" });
    const result = { ...toolResult(search, { pages: 3 }).parts[0] } as Part;
    const answer = createSealedAnswer("Let me look.", search, result, call);
    await exchange(ledger, [system("Old."), user("Look up!")], answer);
    const question: Message = { ...user([text("Look up!", { cache: { ttl: "5m" } })]), name: "ann" };
    const history = [
      system("New."),
      question,
      toEcho(assistant([text("Let me look."), call])),
      toolResult(call, "Blue."),
    ];
    const { messages, known } = await ledger.findThread(deepFreeze(history));
    expect(known).toBe(3);
    expect(messages).toStrictEqual([system("New."), question, answer, toolResult(call, "Blue.")]);
  });

  test("B23: exact arguments are restored, also those whose digits the client lost", async () => {
    const exact = assistant([toolCall("call_1", "look", parseJson('{"id":12345678901234567890}'))]);
    await exchange(ledger, [user("Look!")], exact);
    const lossy = JSON.parse(JSON.stringify(exact)) as Message;
    const { messages } = await ledger.findThread([user("Look!"), lossy, user("And?")]);
    expect(stringifyJson(messages[1])).toContain('{"id":12345678901234567890}');
  });

  test("B11: results refer to the stored calls, regardless of the client's ids", async () => {
    const calls = [toolCall("toolu_1", "look", { at: 1 }), toolCall("toolu_2", "run", "ls", { format: "text" })];
    await exchange(ledger, [user("Go.")], assistant(calls));
    const theirs = [toolCall("call_a", "look", { at: 1 }), toolCall("call_b", "run", { value: "ls" })];
    const results = theirs.map((each, at) => toolResult({ ...each, toolName: "" }, `Result ${at}.`));
    const history = [user("Go."), assistant(theirs), ...results.toReversed()];
    const first = await receiveRequest(ledger, history);
    expect(selectNewMessages(history, first)).toStrictEqual([
      toolResult({ toolCallId: "toolu_2", toolName: "run", format: "text" }, "Result 1."),
      toolResult({ toolCallId: "toolu_1", toolName: "look" }, "Result 0."),
    ]);
    // Again and further: known results refer to the stored calls too.
    const again = await ledger.findThread([
      user("Go."),
      assistant(theirs),
      ...results,
      assistant("Done."),
      user("Ok."),
    ]);
    expect(again.known).toBe(4);
    expect(again.messages.slice(2, 4)).toStrictEqual(selectNewMessages(history, first).toReversed());
  });

  test("an id that the client reuses for its own call is no longer mapped", async () => {
    await exchange(ledger, [user("Go.")], assistant([toolCall("toolu_1", "look", {})]));
    const call = toolCall("call_0", "look", {});
    const history = [
      user("Go."),
      assistant([call]),
      toolResult(call, "One."),
      assistant([toolCall("call_0", "listen", {})]),
      toolResult(toolCall("call_0", "listen", {}), "Two."),
    ];
    const { messages } = await ledger.findThread(history);
    expect(messages[2]).toStrictEqual(toolResult({ toolCallId: "toolu_1", toolName: "look" }, "One."));
    expect(messages.slice(3)).toStrictEqual(history.slice(3));
  });

  test("an edit in the middle creates a branch at its position, and the old branch stays", async () => {
    const { threadId, history } = await talk();
    const edited = history.with(2, user("How old are you?"));
    const { known, parentMessageId, ...received } = await exchange(
      ledger,
      [...edited, user("And?")],
      assistant("New."),
    );
    expect([received.threadId, known]).toStrictEqual([threadId, 2]);
    expect(readTexts(received.written)).toStrictEqual(["How old are you?", "Fine.", "And?"]);
    const { messages } = await ledger.tree(threadId);
    expect(messages.filter((message) => message.parentMessageId === parentMessageId)).toHaveLength(2);
    const transcript = await ledger.transcript(threadId);
    expect(readTexts(transcript.map(toEcho))).toStrictEqual([
      "Hi.",
      "Hello!",
      "How old are you?",
      "Fine.",
      "And?",
      "New.",
    ]);
    // Both continue from their leaf.
    expect(await ledger.findThread([...history, user("So?")])).toMatchObject({ threadId, known: 4 });
    expect(await ledger.findThread([...edited, user("And?"), assistant("New."), user("So?")])).toMatchObject({
      known: 6,
    });
  });

  test("an edited answer creates a branch after the user message, which is not written again", async () => {
    const { threadId, history } = await talk();
    const { known, parentMessageId } = await ledger.findThread(history.with(3, assistant("Great.")));
    const transcript = await ledger.transcript(threadId);
    expect([known, parentMessageId]).toStrictEqual([3, transcript[2]?.id]);
  });

  test("a retry finds the messages of the first attempt", async () => {
    const { history } = await talk();
    const again = [...history, user("So?"), user("Well?")];
    const first = await receiveRequest(ledger, again);
    const second = await receiveRequest(ledger, again);
    expect(readTexts(first.written)).toStrictEqual(["So?", "Well?"]);
    expect([second.written, second.known, second.parentMessageId]).toStrictEqual([[], 6, first.written[1]?.id]);
    // With one more message in the same turn, only that one is new.
    expect(readTexts((await receiveRequest(ledger, [...again, user("Hm?")])).written)).toStrictEqual(["Hm?"]);
  });

  test("B25: results that were stored one by one are known in any order and in one message", async () => {
    const calls = ["a", "b", "c"].map((id) => toolCall(id, "look", { id }));
    const { threadId } = await exchange(ledger, [user("Go.")], assistant(calls));
    const [a, b, c] = calls.map((each) => toolResult(each, `Seen ${each.toolCallId}.`)) as [Message, Message, Message];
    for (const each of [c, a, b]) await ledger.append(threadId, [each]);
    const question = [user("Go."), assistant(calls)];
    const joined: Message = { role: "tool", parts: [a, b, c].flatMap(({ parts }) => parts) };
    for (const results of [[a, b, c], [b, a, c], [joined]]) {
      const history = [...question, ...results];
      expect((await ledger.findThread(history)).known).toBe(history.length);
    }
    expect((await ledger.findThread([...question, c, a])).known).toBe(4);
    await ledger.append(threadId, [assistant("All seen.")]);
    expect((await ledger.findThread([...question, joined, assistant("All seen."), user("Ok.")])).known).toBe(4);
  });

  test("a turn that the client divides differently is the same turn", async () => {
    await exchange(ledger, [user("Hi."), user("There.")], assistant([text("Hel"), text("lo!")]));
    await exchange(ledger, [user("Hi.There."), assistant("Hello!"), user("So?")], assistant("So what?"));
    const history = [user([text("Hi."), text("There.")]), assistant("Hel"), assistant("lo!"), user("So?")];
    const { known, messages } = await ledger.findThread([...history, assistant("So what?"), user("Nothing.")]);
    expect(known).toBe(5);
    expect(messages).toStrictEqual([
      history[0],
      assistant([text("Hel"), text("lo!")]),
      user("So?"),
      assistant("So what?"),
      user("Nothing."),
    ]);
  });

  test("the first of two answers in a row is matched if only it is stored", async () => {
    const { threadId } = await exchange(ledger, [user("Hi.")], assistant("Hello!"));
    const history = [user("Hi."), assistant("Hello!"), assistant("Anybody?"), user("Yes.")];
    expect(await ledger.findThread(history)).toMatchObject({ threadId, known: 2 });
  });

  test("cache breakpoints are the client's, also on assistant messages", async () => {
    const marked = assistant([
      text("One."),
      text("Two.", { cache: { ttl: "1h" } }),
      ...createSealedAnswer("Three.").parts,
    ]);
    await exchange(ledger, [user("Count.")], marked);
    const history = [
      user("Count."),
      assistant([text("One.", { cache: {} }), text("Two."), text("Three.")]),
      user("On."),
    ];
    const { messages } = await ledger.findThread(history);
    const breakpoints = messages[1]?.parts.map(({ cache }) => cache);
    expect(breakpoints).toStrictEqual([{}, undefined, undefined, undefined]);
    const joined = [user("Count."), assistant([text("One.Two."), text("Three.", { cache: {} })]), user("On.")];
    const other = (await ledger.findThread(joined)).messages[1]?.parts.map(({ cache }) => cache);
    expect(other).toStrictEqual([undefined, {}, undefined, undefined]);
  });

  test("B97: long texts and media are restored from their blobs", async () => {
    const [long, data] = ["Long. ".repeat(1000), "iVBORw0KGgoA".repeat(400)];
    const { blob } = await ledger.putBlob(Buffer.from(data, "base64"));
    const answer = assistant([text(long), image({ data }), toolCall("call_1", "save", { text: long })]);
    // Data that only the ledger has is restored.
    await exchange(ledger, [user([image({ blob })])], assistant(answer.parts.with(1, image({ blob }))));
    const history = [user([image({ data })]), toEcho(answer), toolResult(toolCall("call_1", "save", {}), long)];
    const { messages, known } = await ledger.findThread(history);
    expect(known).toBe(2);
    expect(messages[1]).toStrictEqual(answer);
    await receiveRequest(ledger, history);
    expect((await ledger.findThread(history)).known).toBe(3);
  });

  test("a match never crosses tenants", async () => {
    const { history } = await talk();
    const other = ledger.forTenant("other");
    expect(await other.findThread([...history, user("So?")])).toMatchObject({ threadId: null, known: 0 });
    await exchange(other, [user("Hi.")], assistant("Hello!"));
    expect(await other.findThread([...history, user("So?")])).toMatchObject({ known: 2 });
  });

  test("of several matches the longest wins, then the caller's own scope, then the newest", async () => {
    const ann = await talk("ann");
    // The same content in separate threads.
    const copy = async (scope: string, history: readonly Message[]): Promise<string> => {
      const { id } = await ledger.createThread({ scope });
      await ledger.append(id, history);
      return id;
    };
    const bob = await copy("bob", ann.history);
    const cid = await copy("cid", ann.history.slice(0, 2));
    const next = [...ann.history, user("So?")];
    const threadOf = async (scope?: string): Promise<string | null> =>
      (await ledger.findThread(next, scope === undefined ? {} : { scope })).threadId;
    expect(await threadOf("ann")).toBe(ann.threadId);
    expect(await threadOf("bob")).toBe(bob);
    expect(await threadOf()).toBe(bob);
    expect(await threadOf("cid")).toBe(bob);
    expect((await ledger.findThread(ann.history.slice(0, 2), { scope: "cid" })).threadId).toBe(cid);
  });

  test("of several matches in a thread the active path wins over the newest", async () => {
    const { threadId, history } = await talk();
    const transcript = await ledger.transcript(threadId);
    const [, first, , last] = transcript;
    const branch = await ledger.append(threadId, history.slice(2), { parentMessageId: first?.id ?? null });
    const next = [...history, user("So?")];
    expect((await ledger.findThread(next)).parentMessageId).toBe(branch[1]?.id);
    await ledger.select(threadId, last?.id ?? null);
    expect((await ledger.findThread(next)).parentMessageId).toBe(last?.id);
    // Also for known messages after the answer.
    await ledger.append(threadId, [user("So?")]);
    await ledger.append(threadId, [user("So?")], { parentMessageId: branch[1]?.id ?? null });
    await ledger.select(threadId, (await ledger.tree(threadId)).messages.at(-2)?.id ?? null);
    expect((await ledger.findThread(next)).parentMessageId).toBe((await ledger.transcript(threadId)).at(-1)?.id);
  });

  test("a long conversation is found among many short ones with the same start", async () => {
    const { threadId, history } = await talk();
    for (let count = 0; count < 70; count++) {
      const { id } = await ledger.createThread();
      await ledger.append(id, history.slice(0, 2));
    }
    const edited = [...history, user("So?"), assistant("What?"), user("Nothing."), assistant("I see.")];
    expect(await ledger.findThread(edited)).toMatchObject({ threadId, known: 4 });
  });

  test("B90: a partial answer that the client resends is matched where it is stored, beside the active path", async () => {
    const { threadId, history } = await talk();
    await ledger.append(threadId, [user("Tell me a story.")]);
    const run = await ledger.beginRun({ threadId });
    const start = { kind: "start", payload: { modelId: "m", requestId: "r" } } as const;
    await run.append([start, { kind: "text", payload: { textDelta: "Once upon" } }]);
    const { messages } = await run.cancel();
    const resent = [...history, user("Tell me a story."), assistant("Once upon"), user("Go on.")];
    expect(await ledger.findThread(resent)).toMatchObject({ threadId, parentMessageId: messages[0]?.id, known: 6 });
  });

  test("B91: if a stored answer cannot be read, the client's content is used", async () => {
    const { threadId, history } = await talk();
    const key = { tenant: ledger.tenant, threadId };
    const [, , , last] = await ledger.transcript(threadId);
    const row = await opened.store.reads.message(key, last?.id ?? "");
    if (row === undefined) throw new Error("There is no such row.");
    await opened.store.write(function* damage(tx) {
      yield* wait(tx.deleteMessages(key, [row.id]));
      yield* wait(tx.insertMessages([{ ...row, body: row.body.slice(0, 20) }]));
    });
    const { messages, known } = await ledger.findThread([...history, user("So?")]);
    expect([known, problems.length]).toStrictEqual([4, 1]);
    expect(messages).toStrictEqual([history[0], createSealedAnswer("Hello!"), history[2], history[3], user("So?")]);
  });

  test("B91: if a message of the path is missing, the messages after it are restored", async () => {
    const { threadId, history } = await talk();
    const [, removed] = await ledger.transcript(threadId);
    const key = { tenant: ledger.tenant, threadId };
    await opened.store.write((tx) => wait(tx.deleteMessages(key, [removed?.id ?? ""])));
    const { messages, known } = await ledger.findThread([...history, user("So?")]);
    expect(known).toBe(4);
    expect(messages).toStrictEqual([...history.slice(0, 3), createSealedAnswer("Fine."), user("So?")]);
  });

  test("a restored history can be appended elsewhere unchanged", async () => {
    const { history } = await talk();
    const { messages } = await ledger.findThread([...history, user("So?")]);
    const { id } = await ledger.createThread();
    expect((await ledger.append(id, messages)).map(toUnstoredMessage)).toStrictEqual(messages);
  });

  test("an invalid list of messages is rejected with its path", async () => {
    const missing = undefined as unknown as Message[];
    await expect(ledger.findThread(missing)).rejects.toMatchObject({ code: "invalid-input", path: "/messages" });
    const noParts = [user("Hi."), { role: "user" } as Message];
    await expect(ledger.findThread(noParts)).rejects.toMatchObject({ code: "invalid-input", path: "/messages/1" });
    await expect(ledger.findThread([], { scope: "" })).rejects.toMatchObject({ code: "invalid-input", path: "scope" });
  });
});
