// Threads that are deleted while a call of theirs is under way: what was paid for is kept, in a thread of its own.
import { describe, expect, it } from "vitest";
import type { Recording } from "../../../src/server/record/index.ts";
import { answer, BROKEN, deltasOf, type Desk, FACTS, openDesk, pathOf, talk } from "./support.ts";

/** A call that goes on in a thread which is then deleted. */
async function orphan(desk: Desk, isStream: boolean, more: { thread?: string } = {}): Promise<Recording> {
  const { threadId } = await desk.ask(talk("a"), "b", more);
  const next = await desk.open(talk("a", "b", "c"), { ...more, request: { messages: [], stream: isStream } });
  expect(next.threadId).toBe(threadId);
  if (isStream) {
    next.begin(FACTS);
    await next.ready();
    next.push(deltasOf("d"));
  }
  await desk.ledger.purge({ what: "thread", threadId });
  return next;
}

const PATH = ["user: a", "assistant: b", "user: c", "assistant: d"];

describe("a thread that is deleted", () => {
  it.each([
    ["a whole call", false],
    ["a stream", true],
  ])("takes no answer of %s with it", async (_, isStream) => {
    await using desk = await openDesk({ config: { ledger: { flushMs: 60_000 } } });
    const call = await orphan(desk, isStream);
    const before = call.threadId;
    await call.finish({ ...FACTS, ...(!isStream && { response: answer("d") }) });
    expect(call.cancelled.aborted).toBe(false);
    const [thread] = await desk.ledger.threads();
    expect(thread).toMatchObject({ scope: "ann", title: "a" });
    expect(thread?.id).not.toBe(before);
    expect(await pathOf(desk, thread?.id ?? "")).toEqual(PATH);
    expect(await desk.ledger.run(call.runId)).toMatchObject({ state: "committed", threadId: thread?.id });
    expect(await desk.log()).toContain("record.moved");
  });

  it("is made again where the client names it", async () => {
    await using desk = await openDesk();
    const call = await orphan(desk, false, { thread: "mine" });
    await call.finish({ ...FACTS, response: answer("d") });
    expect(await pathOf(desk, "mine")).toEqual(PATH);
  });

  it("is not gone on with when its question is asked again", async () => {
    await using desk = await openDesk();
    const failed = await desk.open(talk("a"));
    await failed.fail(BROKEN, FACTS);
    await desk.ledger.purge({ what: "thread", threadId: failed.threadId });
    const again = await desk.ask(talk("a"), "b");
    expect(await pathOf(desk, again.threadId)).toEqual(["user: a", "assistant: b"]);
    expect(await desk.log()).not.toContain("record.moved");
  });
});
