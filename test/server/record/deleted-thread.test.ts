// Threads that are deleted during a call: the answer is recorded in a new thread.
import { describe, expect, it } from "vitest";
import type { Recording } from "../../../src/server/record/index.ts";
import {
  answer,
  BROKEN,
  deltasOf,
  type RecorderHarness,
  OUTCOME,
  openRecorder,
  pathOf,
  conversation,
} from "./support.ts";

/** Starts a call in a thread that is then deleted. */
async function orphan(harness: RecorderHarness, isStream: boolean, more: { thread?: string } = {}): Promise<Recording> {
  const { threadId } = await harness.recordCall(conversation("a"), "b", more);
  const next = await harness.open(conversation("a", "b", "c"), {
    ...more,
    request: { messages: [], stream: isStream },
  });
  expect(next.threadId).toBe(threadId);
  if (isStream) {
    next.begin(OUTCOME);
    await next.ready();
    next.push(deltasOf("d"));
  }
  await harness.ledger.purge({ what: "thread", threadId });
  return next;
}

const PATH = ["user: a", "assistant: b", "user: c", "assistant: d"];

describe("a thread that is deleted", () => {
  it.each([
    ["a whole call", false],
    ["a stream", true],
  ])("does not lose the answer of %s", async (_, isStream) => {
    await using harness = await openRecorder({ config: { ledger: { flushMs: 60_000 } } });
    const call = await orphan(harness, isStream);
    const before = call.threadId;
    await call.finish({ ...OUTCOME, ...(!isStream && { response: answer("d") }) });
    expect(call.cancelled.aborted).toBe(false);
    const [thread] = await harness.ledger.threads();
    expect(thread).toMatchObject({ scope: "ann", title: "a" });
    expect(thread?.id).not.toBe(before);
    expect(await pathOf(harness, thread?.id ?? "")).toEqual(PATH);
    expect(await harness.ledger.run(call.runId)).toMatchObject({ state: "committed", threadId: thread?.id });
    expect(await harness.log()).toContain("record.moved");
  });

  it("is created again if the client names it", async () => {
    await using harness = await openRecorder();
    const call = await orphan(harness, false, { thread: "mine" });
    await call.finish({ ...OUTCOME, response: answer("d") });
    expect(await pathOf(harness, "mine")).toEqual(PATH);
  });

  it("is not continued when its question is repeated", async () => {
    await using harness = await openRecorder();
    const failed = await harness.open(conversation("a"));
    await failed.fail(BROKEN, OUTCOME);
    await harness.ledger.purge({ what: "thread", threadId: failed.threadId });
    const again = await harness.recordCall(conversation("a"), "b");
    expect(await pathOf(harness, again.threadId)).toEqual(["user: a", "assistant: b"]);
    expect(await harness.log()).not.toContain("record.moved");
  });
});
