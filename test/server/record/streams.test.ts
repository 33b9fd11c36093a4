// Recording of streams: incremental, complete, cut off, cancelled here or elsewhere.
import { describe, expect, it } from "vitest";
import { assistant, user } from "../../../src/model/index.ts";
import { requireResponseRun } from "../../../src/server/record/responses/stored-response.ts";
import { aborted, answer, BROKEN, deltasOf, OUTCOME, lineOf, openRecorder, pathOf, conversation } from "./support.ts";
import type { RecorderHarness } from "./support.ts";

/** Starts a stream whose first deltas are in the ledger. */
async function streaming(
  harness: RecorderHarness,
  storedAnswer = "Once upon a time",
): Promise<Awaited<ReturnType<RecorderHarness["open"]>>> {
  const recording = await harness.open([user("Tell me.")], { request: { messages: [], stream: true } });
  recording.begin(OUTCOME);
  recording.push(deltasOf(storedAnswer).slice(0, -1));
  await recording.ready();
  return recording;
}

async function messagesOf({ ledger }: RecorderHarness, threadId: string): Promise<string[]> {
  return (await ledger.tree(threadId)).messages.map(lineOf);
}

describe("a recorded stream", () => {
  it("is in the ledger unchanged, with the ids that were known from the start", async () => {
    await using harness = await openRecorder();
    const recording = await harness.open(conversation("a"), { dialect: "openai-responses" });
    const { threadId, runId } = recording;
    const deltas = deltasOf("b", "resp-1");
    recording.begin(OUTCOME);
    // Before and after the run exists.
    recording.push(deltas.slice(0, 1));
    await recording.ready();
    expect((await harness.ledger.run(runId)).threadId).toBe(threadId);
    recording.push(deltas.slice(1));
    await recording.finish({ ...OUTCOME, responseId: "resp-1" });
    expect(await pathOf(harness, threadId)).toEqual(["user: a", "assistant: b"]);
    const [, storedAnswer] = await harness.ledger.transcript(threadId);
    expect(storedAnswer?.metadata).toMatchObject({
      runId,
      provider: "p",
      model: "m-1",
      finishReason: { unified: "stop" },
    });
    expect(await harness.ledger.run(runId)).toMatchObject({ state: "committed", metadata: { responseId: "resp-1" } });
    expect((await requireResponseRun(harness.caller, "resp-1")).id).toBe(runId);
  });

  it("can be followed by others while it streams", async () => {
    await using harness = await openRecorder();
    const recording = await streaming(harness);
    const { threadId, runId } = recording;
    let received = "";
    for await (const event of harness.ledger.follow({ threadId, runId })) {
      if (event.type !== "delta") continue;
      if (event.delta.kind === "text") received += event.delta.payload.textDelta;
      if (received === "Once upon a time" && event.delta.kind === "text") recording.push(deltasOf("").slice(-1));
      if (event.delta.kind === "done") await recording.finish(OUTCOME);
    }
    expect(received).toBe("Once upon a time");
  });

  it("names the fallback that answered", async () => {
    await using harness = await openRecorder();
    const recording = await streaming(harness);
    recording.push(deltasOf("").slice(-1));
    await recording.finish({ ...OUTCOME, provider: "fallback" });
    const [, storedAnswer] = await harness.ledger.transcript(recording.threadId);
    expect(storedAnswer?.metadata.provider).toBe("fallback");
  });

  it("B90: stores the partial answer of a failure beside the path", async () => {
    await using harness = await openRecorder();
    const recording = await streaming(harness);
    await recording.fail(BROKEN, OUTCOME);
    expect(await harness.ledger.run(recording.runId)).toMatchObject({ state: "failed", error: BROKEN });
    expect(await pathOf(harness, recording.threadId)).toEqual(["user: Tell me."]);
    expect(await messagesOf(harness, recording.threadId)).toEqual(["user: Tell me.", "assistant: Once upon a time"]);
    const { messages } = await harness.ledger.tree(recording.threadId);
    expect(messages[1]?.metadata.interrupted).toBe(true);
  });

  it("ends once: later calls change nothing", async () => {
    await using harness = await openRecorder();
    const recording = await streaming(harness);
    recording.push(deltasOf("").slice(-1));
    await recording.finish(OUTCOME);
    recording.push(deltasOf("more"));
    await recording.fail(BROKEN, OUTCOME);
    expect((await harness.ledger.run(recording.runId)).state).toBe("committed");
  });
});

describe("a stream before its first write", () => {
  const later = { config: { ledger: { flushMs: 60_000 } } };

  it("is one write if it ends soon", async () => {
    await using harness = await openRecorder(later);
    const recording = await streaming(harness);
    await expect(harness.ledger.run(recording.runId)).rejects.toMatchObject({ code: "unknown-run" });
    recording.push(deltasOf("").slice(-1));
    await recording.finish({ ...OUTCOME, responseId: "resp-1" });
    expect(await pathOf(harness, recording.threadId)).toEqual(["user: Tell me.", "assistant: Once upon a time"]);
    expect(await harness.ledger.run(recording.runId)).toMatchObject({ state: "committed" });
  });

  it.each(["fail", "cancel"] as const)("B90: stores the partial answer at its %s", async (end) => {
    await using harness = await openRecorder(later);
    const recording = await streaming(harness);
    if (end === "fail") await recording.fail(BROKEN, OUTCOME);
    else expect(await harness.recorder.cancel(harness.caller, recording.runId)).toBe(true);
    expect((await harness.ledger.run(recording.runId)).state).toBe(end === "fail" ? "failed" : "cancelled");
    const { messages } = await harness.ledger.tree(recording.threadId);
    expect(messages.map(lineOf)).toEqual(["user: Tell me.", "assistant: Once upon a time"]);
    expect(messages[1]?.metadata.interrupted).toBe(true);
  });

  it("is written when it grows large", async () => {
    await using harness = await openRecorder(later);
    const recording = await streaming(harness, "x".repeat(70_000));
    while ((await harness.ledger.run(recording.runId).catch(() => undefined)) === undefined)
      await new Promise(setImmediate);
    await recording.fail(BROKEN, OUTCOME);
  });

  it.each(["threadId", "runId"] as const)("is visible to readers of its %s, in its own tenant", async (id) => {
    await using harness = await openRecorder(later);
    const recording = await streaming(harness);
    await harness.recorder.writePendingRuns({ ...harness.caller, tenant: "other" }, recording[id]);
    await expect(harness.ledger.run(recording.runId)).rejects.toMatchObject({ code: "unknown-run" });
    await harness.recorder.writePendingRuns(harness.caller, recording[id]);
    expect((await harness.ledger.run(recording.runId)).threadId).toBe(recording.threadId);
    await recording.fail(BROKEN, OUTCOME);
  });
});

describe("cancelling", () => {
  it("B89: ends the call here: the upstream call is aborted, and the record has the partial answer", async () => {
    await using harness = await openRecorder();
    const recording = await streaming(harness);
    expect(await harness.recorder.cancel(harness.caller, recording.runId)).toBe(true);
    expect(recording.cancelled.aborted).toBe(true);
    expect((await harness.ledger.run(recording.runId)).state).toBe("cancelled");
    // The gateway ends the call then.
    await recording.fail(BROKEN, OUTCOME);
    await expect(recording.finish(OUTCOME)).rejects.toMatchObject({ code: "aborted" });
    expect((await harness.ledger.run(recording.runId)).state).toBe("cancelled");
    expect(await messagesOf(harness, recording.threadId)).toContain("assistant: Once upon a time");
    expect(await harness.recorder.cancel(harness.caller, recording.runId)).toBe(false);
  });

  it("ends a call for a whole answer too", async () => {
    await using harness = await openRecorder();
    const recording = await harness.open(conversation("a"));
    expect(await harness.recorder.cancel(harness.caller, recording.runId)).toBe(true);
    expect(recording.cancelled.aborted).toBe(true);
    await recording.fail(BROKEN, OUTCOME);
    expect((await harness.ledger.run(recording.runId)).state).toBe("cancelled");
  });

  it.each([
    ["that streams, with its next delta", true],
    ["that is silent, soon", false],
  ])("ends a call %s, from another instance", async (_, streams) => {
    await using one = await openRecorder({ recorder: { checkIntervalMs: 20 } });
    await using two = await openRecorder({ ledger: one.ledger });
    const recording = await streaming(one);
    expect(await two.recorder.cancel(two.caller, recording.runId)).toBe(true);
    if (streams) recording.push(deltasOf("x").slice(1, 2));
    await aborted(recording.cancelled);
    expect(recording.cancelled.reason).toMatchObject({ code: "aborted" });
    await recording.fail(BROKEN, OUTCOME);
    expect((await one.ledger.run(recording.runId)).state).toBe("cancelled");
    expect(await messagesOf(one, recording.threadId)).toContain("assistant: Once upon a time");
  });

  it.each([
    ["is unknown", async () => "01ARZ3NDEKTSV4RRFFQ69G5FAV"],
    ["has ended", async (harness: RecorderHarness) => (await harness.recordCall(conversation("a"), "b")).runId],
  ])("a run that %s is not found", async (_, runOf) => {
    await using harness = await openRecorder();
    expect(await harness.recorder.cancel(harness.caller, await runOf(harness))).toBe(false);
  });

  it("a run of another tenant is not found, and continues", async () => {
    await using harness = await openRecorder();
    const recording = await streaming(harness);
    const ledger = harness.ledger.forTenant("other");
    expect(await harness.recorder.cancel({ tenant: "other", scope: "ann", ledger }, recording.runId)).toBe(false);
    expect(recording.cancelled.aborted).toBe(false);
    await recording.fail(BROKEN, OUTCOME);
  });

  it("a step of a task can be cancelled with its task only", async () => {
    await using harness = await openRecorder();
    const { id: threadId } = await harness.ledger.createThread({ kind: "task" });
    const run = await harness.ledger.beginRun({ threadId, metadata: { agent: true } });
    await expect(harness.recorder.cancel(harness.caller, run.id)).rejects.toMatchObject({ code: "conflict" });
    await run.cancel();
  });
});

it("closing waits for pending writes", async () => {
  const harness = await openRecorder();
  const recording = await harness.open(conversation("a"));
  void recording.finish({ ...OUTCOME, response: answer(assistant("b")) });
  await harness.recorder.close();
  expect(await pathOf(harness, recording.threadId)).toEqual(["user: a", "assistant: b"]);
  await harness[Symbol.asyncDispose]();
});

it("a run that is ended elsewhere just before its end is over here too, and its key is released", async () => {
  await using harness = await openRecorder({ recorder: { checkIntervalMs: 5 } });
  const more = { idempotencyKey: "k", request: { messages: [], stream: true } };
  const recording = await harness.open(conversation("a"), more);
  recording.begin(OUTCOME);
  recording.push(deltasOf("b").slice(0, -1));
  await recording.ready();
  await (await harness.ledger.resumeRun(recording.runId, { force: true })).cancel();
  await aborted(recording.cancelled);
  await expect(recording.finish(OUTCOME)).rejects.toMatchObject({ code: "aborted" });
  const again = await harness.open(conversation("a"), more);
  expect(again.earlierAnswer).toBeUndefined();
  await again.fail(BROKEN, OUTCOME);
});
