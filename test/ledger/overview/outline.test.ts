// Tests the outline of a thread and its cursor: following from the cursor misses nothing.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { toPreviousId } from "../../../src/ledger/follow/cursor.ts";
import { createPreview } from "../../../src/ledger/overview/preview.ts";
import { wait } from "../../../src/ledger/store/steps.ts";
import type { Ledger, LedgerProblem } from "../../../src/ledger/types.ts";
import { assistant, image, text, toolCall, toolResult, user } from "../../../src/model/index.ts";
import {
  commitAnswer,
  startDelta,
  doneDelta,
  readEventsUpToNow,
  readIds,
  splitList,
  textDelta,
  describeEvent,
} from "../support/runs.ts";
import { STORES, type OpenLedger } from "../support/stores.ts";

describe("the preview of a message", () => {
  test.each([
    ["a short text is complete", [text("One two")], "One two"],
    ["several texts are joined", [text("One"), text(" two ")], "One two"],
    ["white space is one space", [text("\n\n One\n\ttwo   three ")], "One two three"],
    ["a truncated text ends with an ellipsis", [text("a".repeat(30))], `${"a".repeat(19)}…`],
    ["a text that begins with much white space", [text(`${" \n".repeat(30)}${"a".repeat(30)}`)], `${"a".repeat(19)}…`],
    ["no surrogate pair is cut", [text(`${"a".repeat(18)}😀bcd`)], `${"a".repeat(18)}…`],
    ["parts that are not text are skipped", [image({ url: "https://example.com/x.png" }), text("See.")], "See."],
    ["an empty string without text", [image({ url: "https://example.com/x.png" })], ""],
  ])("%s", (_sentence, parts, preview) => {
    expect(createPreview(parts, 20)).toBe(preview);
  });
});

test.each([
  ["01HZZZZZZZZZZZZZZZZZZZZZZZ", "01HZZZZZZZZZZZZZZZZZZZZZZY"],
  ["01J00000000000000000000000", "01HZZZZZZZZZZZZZZZZZZZZZZZ"],
  ["01J0000000000000000000A000", "01J00000000000000000009ZZZ"],
  ["00000000000000000000000000", ""],
])("the id just before %s is %s", (id, before) => {
  expect(toPreviousId(id)).toBe(before);
});

describe.each(STORES)("$name", (store) => {
  const problems: LedgerProblem[] = [];
  const options = { flushMs: 0, onProblem: (problem: LedgerProblem) => problems.push(problem) };
  let opened: OpenLedger;
  let ledger: Ledger;
  let threadId: string;
  beforeAll(async () => {
    opened = await store.open(options);
    ({ ledger } = opened);
  });
  beforeEach(async () => {
    problems.length = 0;
    ({ id: threadId } = await ledger.createThread({ title: "Corinth" }));
  });
  afterAll(() => opened.close());

  test("an empty thread has no cursor, and following it starts from the beginning", async () => {
    const thread = await ledger.thread(threadId);
    const outline = await ledger.outline(threadId);
    expect(outline).toStrictEqual({ thread, cursor: null, activeLeafId: null, messages: [], runs: [] });
  });

  test("contains every message of the tree, with the fields of an outline", async () => {
    const call = toolCall("c", "weather", { city: "Corinth" });
    const [question] = await ledger.append(threadId, [user("How is\nthe weather?")]);
    const first = await commitAnswer(ledger, { threadId, forkFromMessageId: question?.id ?? "" }, "Fine.");
    const second = await commitAnswer(ledger, { threadId, forkFromMessageId: question?.id ?? "" }, "Rain.");
    const broken = await ledger.beginRun({ threadId });
    await broken.append([startDelta, textDelta("Half an ans")]);
    const cut = await broken.cancel();
    const tools = await ledger.append(threadId, [assistant([call]), toolResult(call, "sunny")]);
    const { messages, activeLeafId, thread } = await ledger.outline(threadId);
    const [a, b, c] = [first.messages[0], second.messages[0], cut.messages[0]];
    const made = { model: "m-1", parentMessageId: question?.id, role: "assistant" };
    expect(messages).toMatchObject([
      { id: question?.id, parentMessageId: null, role: "user", preview: "How is the weather?" },
      { ...made, id: a?.id, preview: "Fine.", runId: first.id, superseded: true },
      { ...made, id: b?.id, preview: "Rain.", runId: second.id },
      { id: c?.id, preview: "Half an ans", runId: broken.id, interrupted: true },
      { id: tools[0]?.id, preview: "", toolCalls: ["weather"] },
      { id: tools[1]?.id, preview: "", toolResults: 1, role: "tool" },
    ]);
    expect(Object.keys(messages[0] ?? {})).toStrictEqual(["id", "parentMessageId", "role", "createdAt", "preview"]);
    expect(Object.keys(messages[2] ?? {})).not.toContain("superseded");
    expect(activeLeafId).toBe(tools[1]?.id);
    expect(thread).toStrictEqual(await ledger.thread(threadId));
    expect(messages.map(({ createdAt }) => createdAt)).toStrictEqual(
      (await ledger.tree(threadId)).messages.map(({ createdAt }) => createdAt),
    );
  });

  test("the start of a long text in a blob is shown, in the list too", async () => {
    const long = text(`Please read this. ${"word ".repeat(20_000)}`);
    const preview = /^Please read this\. (word )+(word|wor|wo|w)?…$/;
    await ledger.append(threadId, [user([text("First."), long]), user([long, text("Short.")])]);
    const { messages } = await ledger.outline(threadId);
    expect(messages.map((message) => message.preview.replace("First. ", ""))).toStrictEqual([
      expect.stringMatching(preview),
      expect.stringMatching(preview),
    ]);
    const { threads } = await ledger.listThreads({ summary: true });
    const listing = threads.find(({ id }) => id === threadId);
    expect(listing?.summary?.preview).toMatch(/^First\. Please read this\. word/);
  });

  test("an unreadable message is reported, and all others are listed", async () => {
    const [first] = await ledger.append(threadId, [user("One.")]);
    const [row] = await opened.store.reads.messages({ tenant: "default", threadId }, { limit: 1 });
    if (row === undefined) throw new Error("There is no row.");
    const id = `${row.id.slice(0, -1)}${row.id.endsWith("Z") ? "Y" : "Z"}`;
    await opened.store.write((tx) => wait(tx.insertMessages([{ ...row, id, body: '{"to' }])));
    const { messages } = await ledger.outline(threadId);
    expect(messages.map((message) => message.id)).toStrictEqual([first?.id]);
    expect(problems).toMatchObject([{ threadId, messageId: id }]);
  });

  test("without live runs, following continues after the outline", async () => {
    await commitAnswer(ledger, { threadId }, "One.");
    const { cursor, runs } = await ledger.outline(threadId);
    expect(runs).toStrictEqual([]);
    await ledger.append(threadId, [user("Two.")]);
    const events = await readEventsUpToNow(ledger, threadId, cursor ?? undefined);
    expect(events.map(describeEvent)).toStrictEqual(["message Two."]);
  });

  test("following from its cursor yields all deltas of the live runs from their beginning, then later events", async () => {
    await ledger.append(threadId, [user("Begin.")]);
    const [left, right] = [await ledger.beginRun({ threadId }), await ledger.beginRun({ threadId, mode: "branch" })];
    await left.append([startDelta, textDelta("l1 ")]);
    await right.append([startDelta, textDelta("r1 ")]);
    await ledger.append(threadId, [user("Between.")]);
    const { cursor, runs, messages } = await ledger.outline(threadId);
    expect(runs).toStrictEqual([await ledger.run(left.id), await ledger.run(right.id)]);
    expect(messages.map(({ preview }) => preview)).toStrictEqual(["Begin.", "Between."]);
    await left.append([textDelta("l2"), doneDelta]);
    await left.commit();
    const events = await readEventsUpToNow(ledger, threadId, cursor ?? undefined);
    const of = (runId: string): string[] =>
      events.flatMap((event) => ("runId" in event && event.runId === runId ? describeEvent(event) : []));
    expect(of(left.id)).toStrictEqual(
      splitList(
        "run created, run streaming, delta start, delta l1 , delta l2, delta done, message l1 l2, run committed",
      ),
    );
    expect(of(right.id)).toStrictEqual(splitList("run created, run streaming, delta start, delta r1 "));
    expect(events.map(describeEvent)).not.toContain("message Begin.");
    await right.cancel();
  });

  test("the cursor is never among removed deltas, even if they surround the start of a live run", async () => {
    const early = await ledger.beginRun({ threadId });
    await early.append([startDelta, textDelta("e1 ")]);
    const late = await ledger.beginRun({ threadId, mode: "branch" });
    await late.append([startDelta, textDelta("b1 ")]);
    await early.append([textDelta("e2"), doneDelta]);
    await early.commit();
    // Another ledger without retention compacts ended runs at once.
    expect(await (await opened.another({ ...options, deltaRetentionMs: 0 })).compact()).toBeGreaterThan(0);
    const { cursor } = await ledger.outline(threadId);
    const events = await readEventsUpToNow(ledger, threadId, cursor ?? undefined);
    expect(events.map(describeEvent)).toEqual(expect.arrayContaining(["delta b1 ", "message e1 e2"]));
    await late.cancel();
  });

  test("no event is missed between reading the outline and following, with concurrent writes", async () => {
    const seen = new Set<string>();
    const writing = (async (): Promise<string[]> => {
      const ids: string[] = [];
      for (let count = 0; count < 20; count++) ids.push(...readIds(await ledger.append(threadId, [user(`${count}`)])));
      return ids;
    })();
    const { cursor, messages } = await ledger.outline(threadId);
    for (const { id } of messages) seen.add(id);
    const ids = await writing;
    for (const event of await readEventsUpToNow(ledger, threadId, cursor ?? undefined)) {
      if (event.type === "message") seen.add(event.message.id);
    }
    expect(ids.filter((id) => !seen.has(id))).toStrictEqual([]);
  });

  test("a missing thread is an error", async () => {
    await expect(ledger.outline("nobody")).rejects.toMatchObject({ code: "unknown-thread" });
  });

  test('large contents of followed messages stay references with `blobs: "reference"`', async () => {
    const data = Buffer.alloc(40_000, 7).toString("base64");
    await ledger.append(threadId, [user([image({ data, mimeType: "image/png" })])]);
    const partOf = async (blobs: "inline" | "reference"): Promise<object | undefined> => {
      for await (const event of ledger.follow({ threadId, blobs }))
        if (event.type === "message") return event.message.parts[0];
      return undefined;
    };
    expect(await partOf("inline")).toMatchObject({ data });
    const [stored] = await ledger.transcript(threadId, { blobs: "reference" });
    expect(await partOf("reference")).toStrictEqual(stored?.parts[0]);
    expect(await partOf("reference")).not.toHaveProperty("data");
    expect(() => ledger.follow({ threadId, blobs: "other" as never })).toThrow(/"inline" or "reference"/);
  });
});
