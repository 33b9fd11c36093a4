// B95: idempotency keys of calls.
import { describe, expect, it } from "vitest";
import { answer, BROKEN, deltasOf, OUTCOME, openRecorder, pathOf, conversation } from "./support.ts";

const KEY = { idempotencyKey: "k-1" };

describe("a call with an idempotency key", () => {
  it("B95: is answered from the record when it is repeated, and nothing is written", async () => {
    await using harness = await openRecorder();
    const first = await harness.recordCall(conversation("a"), answer("b", "resp-1"), KEY);
    const again = await harness.open(conversation("a"), KEY);
    expect(again.earlierAnswer).toMatchObject({ id: "resp-1", model: "m-1", finishReason: { unified: "stop" } });
    expect(again.earlierAnswer?.message.parts).toEqual([{ type: "text", text: "b" }]);
    expect(again).toMatchObject({ threadId: first.threadId, runId: first.runId });
    expect(await pathOf(harness, first.threadId)).toHaveLength(2);
    expect(await harness.ledger.threads()).toHaveLength(1);
  });

  it("B95: conflicts with another request under the same key", async () => {
    await using harness = await openRecorder();
    const first = harness.open(conversation("a"), KEY);
    await expect(first.then(() => harness.open(conversation("A"), KEY))).rejects.toMatchObject({
      code: "conflict",
      status: 409,
    });
    await (await first).finish({ ...OUTCOME, response: answer("b") });
    const other = { ...KEY, request: { messages: [], sampling: { temperature: 1 } } };
    await expect(harness.open(conversation("a"), other)).rejects.toMatchObject({
      code: "conflict",
      path: "idempotency-key",
    });
  });

  it("B95: waits for the open call", async () => {
    await using harness = await openRecorder();
    const first = await harness.open(conversation("a"), KEY);
    const second = harness.open(conversation("a"), KEY);
    const third = harness.open(conversation("a"), KEY);
    first.begin(OUTCOME);
    first.push(deltasOf("b"));
    await first.finish(OUTCOME);
    for (const again of await Promise.all([second, third])) {
      expect(again.earlierAnswer?.message.parts).toEqual([{ type: "text", text: "b" }]);
    }
  });

  it("is repeated after a failure; of the waiting calls one is sent, the others wait for it", async () => {
    await using harness = await openRecorder();
    const first = await harness.open(conversation("a"), KEY);
    const waiting = [harness.open(conversation("a"), KEY), harness.open(conversation("a"), KEY)];
    await first.fail(BROKEN, OUTCOME);
    const second = await Promise.race(waiting);
    expect(second.earlierAnswer).toBeUndefined();
    await second.finish({ ...OUTCOME, response: answer("b") });
    const all = await Promise.all(waiting);
    expect(all.filter(({ earlierAnswer: earlier }) => earlier !== undefined)).toHaveLength(1);
  });

  it.each([
    ["user", { scope: "bob" }],
    ["tenant", { tenant: "other" }],
  ])("has no effect for another %s", async (_, who) => {
    await using ann = await openRecorder();
    await using other = await openRecorder({ ledger: ann.ledger, ...who });
    await ann.recordCall(conversation("a"), "b", KEY);
    const theirs = await other.open(conversation("a"), KEY);
    expect(theirs.earlierAnswer).toBeUndefined();
    await theirs.fail(BROKEN, OUTCOME);
  });
});
