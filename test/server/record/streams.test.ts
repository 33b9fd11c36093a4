// Streams on their way into the ledger: as they come, to their end, broken off, cancelled here or elsewhere.
import { describe, expect, it } from "vitest";
import { assistant, user } from "../../../src/model/index.ts";
import { runOfResponse } from "../../../src/server/record/responses/stored.ts";
import { aborted, answer, BROKEN, deltasOf, FACTS, lineOf, openDesk, pathOf, talk } from "./support.ts";
import type { Desk } from "./support.ts";

/** A stream whose first deltas are in the ledger; without its end. */
async function streaming(desk: Desk, said = "Once upon a time"): Promise<Awaited<ReturnType<Desk["open"]>>> {
  const recording = await desk.open([user("Tell me.")], { request: { messages: [], stream: true } });
  recording.begin(FACTS);
  recording.push(deltasOf(said).slice(0, -1));
  await recording.ready();
  return recording;
}

async function messagesOf({ ledger }: Desk, threadId: string): Promise<string[]> {
  return (await ledger.tree(threadId)).messages.map(lineOf);
}

describe("a recorded stream", () => {
  it("is in the ledger as it was said, under the ids that were known from the start", async () => {
    await using desk = await openDesk();
    const recording = await desk.open(talk("a"), { dialect: "openai-responses" });
    const { threadId, runId } = recording;
    const deltas = deltasOf("b", "resp-1");
    recording.begin(FACTS);
    // Before the run is there, and after.
    recording.push(deltas.slice(0, 1));
    await recording.ready();
    expect((await desk.ledger.run(runId)).threadId).toBe(threadId);
    recording.push(deltas.slice(1));
    await recording.finish({ ...FACTS, responseId: "resp-1" });
    expect(await pathOf(desk, threadId)).toEqual(["user: a", "assistant: b"]);
    const [, said] = await desk.ledger.transcript(threadId);
    expect(said?.metadata).toMatchObject({ runId, provider: "p", model: "m-1", finishReason: { unified: "stop" } });
    expect(await desk.ledger.run(runId)).toMatchObject({ state: "committed", metadata: { responseId: "resp-1" } });
    expect((await runOfResponse(desk.caller, "resp-1")).id).toBe(runId);
  });

  it("can be followed by others while it comes", async () => {
    await using desk = await openDesk();
    const recording = await streaming(desk);
    const { threadId, runId } = recording;
    let heard = "";
    for await (const event of desk.ledger.follow({ threadId, runId })) {
      if (event.type !== "delta") continue;
      if (event.delta.kind === "text") heard += event.delta.payload.textDelta;
      if (heard === "Once upon a time" && event.delta.kind === "text") recording.push(deltasOf("").slice(-1));
      if (event.delta.kind === "done") await recording.finish(FACTS);
    }
    expect(heard).toBe("Once upon a time");
  });

  it("says who answered where that was another one than was asked first", async () => {
    await using desk = await openDesk();
    const recording = await streaming(desk);
    recording.push(deltasOf("").slice(-1));
    await recording.finish({ ...FACTS, provider: "fallback" });
    const [, said] = await desk.ledger.transcript(recording.threadId);
    expect(said?.metadata.provider).toBe("fallback");
  });

  it("B90: keeps what had arrived where it fails, beside the path", async () => {
    await using desk = await openDesk();
    const recording = await streaming(desk);
    await recording.fail(BROKEN, FACTS);
    expect(await desk.ledger.run(recording.runId)).toMatchObject({ state: "failed", error: BROKEN });
    expect(await pathOf(desk, recording.threadId)).toEqual(["user: Tell me."]);
    expect(await messagesOf(desk, recording.threadId)).toEqual(["user: Tell me.", "assistant: Once upon a time"]);
    const { messages } = await desk.ledger.tree(recording.threadId);
    expect(messages[1]?.metadata.interrupted).toBe(true);
  });

  it("ends once: what comes after changes nothing", async () => {
    await using desk = await openDesk();
    const recording = await streaming(desk);
    recording.push(deltasOf("").slice(-1));
    await recording.finish(FACTS);
    recording.push(deltasOf("more"));
    await recording.fail(BROKEN, FACTS);
    expect((await desk.ledger.run(recording.runId)).state).toBe("committed");
  });
});

describe("a stream that is not written yet", () => {
  const later = { config: { ledger: { flushMs: 60_000 } } };

  it("is one write, where it ends soon", async () => {
    await using desk = await openDesk(later);
    const recording = await streaming(desk);
    await expect(desk.ledger.run(recording.runId)).rejects.toMatchObject({ code: "unknown-run" });
    recording.push(deltasOf("").slice(-1));
    await recording.finish({ ...FACTS, responseId: "resp-1" });
    expect(await pathOf(desk, recording.threadId)).toEqual(["user: Tell me.", "assistant: Once upon a time"]);
    expect(await desk.ledger.run(recording.runId)).toMatchObject({ state: "committed" });
  });

  it.each(["fail", "cancel"] as const)("B90: keeps what had arrived at its %s", async (end) => {
    await using desk = await openDesk(later);
    const recording = await streaming(desk);
    if (end === "fail") await recording.fail(BROKEN, FACTS);
    else expect(await desk.recorder.cancel(desk.caller, recording.runId)).toBe(true);
    expect((await desk.ledger.run(recording.runId)).state).toBe(end === "fail" ? "failed" : "cancelled");
    const { messages } = await desk.ledger.tree(recording.threadId);
    expect(messages.map(lineOf)).toEqual(["user: Tell me.", "assistant: Once upon a time"]);
    expect(messages[1]?.metadata.interrupted).toBe(true);
  });

  it("is written when it grows large", async () => {
    await using desk = await openDesk(later);
    const recording = await streaming(desk, "x".repeat(70_000));
    while ((await desk.ledger.run(recording.runId).catch(() => undefined)) === undefined)
      await new Promise(setImmediate);
    await recording.fail(BROKEN, FACTS);
  });

  it.each(["threadId", "runId"] as const)("is shown to whoever looks for its %s, in its own tenant", async (id) => {
    await using desk = await openDesk(later);
    const recording = await streaming(desk);
    await desk.recorder.reveal({ ...desk.caller, tenant: "other" }, recording[id]);
    await expect(desk.ledger.run(recording.runId)).rejects.toMatchObject({ code: "unknown-run" });
    await desk.recorder.reveal(desk.caller, recording[id]);
    expect((await desk.ledger.run(recording.runId)).threadId).toBe(recording.threadId);
    await recording.fail(BROKEN, FACTS);
  });
});

describe("cancelling", () => {
  it("B89: ends the call here: the upstream hears of it, the record says so and keeps the partial", async () => {
    await using desk = await openDesk();
    const recording = await streaming(desk);
    expect(await desk.recorder.cancel(desk.caller, recording.runId)).toBe(true);
    expect(recording.cancelled.aborted).toBe(true);
    expect((await desk.ledger.run(recording.runId)).state).toBe("cancelled");
    // Whoever serves the call then ends it.
    await recording.fail(BROKEN, FACTS);
    await expect(recording.finish(FACTS)).rejects.toMatchObject({ code: "aborted" });
    expect((await desk.ledger.run(recording.runId)).state).toBe("cancelled");
    expect(await messagesOf(desk, recording.threadId)).toContain("assistant: Once upon a time");
    expect(await desk.recorder.cancel(desk.caller, recording.runId)).toBe(false);
  });

  it("ends a whole call, too", async () => {
    await using desk = await openDesk();
    const recording = await desk.open(talk("a"));
    expect(await desk.recorder.cancel(desk.caller, recording.runId)).toBe(true);
    expect(recording.cancelled.aborted).toBe(true);
    await recording.fail(BROKEN, FACTS);
    expect((await desk.ledger.run(recording.runId)).state).toBe("cancelled");
  });

  it.each([
    ["that streams, with its next delta", true],
    ["that is silent, soon", false],
  ])("ends a call %s, from another instance", async (_, streams) => {
    await using one = await openDesk({ recorder: { lookMs: 20 } });
    await using two = await openDesk({ ledger: one.ledger });
    const recording = await streaming(one);
    expect(await two.recorder.cancel(two.caller, recording.runId)).toBe(true);
    if (streams) recording.push(deltasOf("x").slice(1, 2));
    await aborted(recording.cancelled);
    expect(recording.cancelled.reason).toMatchObject({ code: "aborted" });
    await recording.fail(BROKEN, FACTS);
    expect((await one.ledger.run(recording.runId)).state).toBe("cancelled");
    expect(await messagesOf(one, recording.threadId)).toContain("assistant: Once upon a time");
  });

  it.each([
    ["nobody knows", async () => "01ARZ3NDEKTSV4RRFFQ69G5FAV"],
    ["has ended", async (desk: Desk) => (await desk.ask(talk("a"), "b")).runId],
  ])("a run that %s is none", async (_, runOf) => {
    await using desk = await openDesk();
    expect(await desk.recorder.cancel(desk.caller, await runOf(desk))).toBe(false);
  });

  it("another tenant's run is none, and goes on", async () => {
    await using desk = await openDesk();
    const recording = await streaming(desk);
    const ledger = desk.ledger.forTenant("other");
    expect(await desk.recorder.cancel({ tenant: "other", scope: "ann", ledger }, recording.runId)).toBe(false);
    expect(recording.cancelled.aborted).toBe(false);
    await recording.fail(BROKEN, FACTS);
  });

  it("a step of a task is cancelled with its task only", async () => {
    await using desk = await openDesk();
    const { id: threadId } = await desk.ledger.createThread({ kind: "task" });
    const run = await desk.ledger.beginRun({ threadId, metadata: { agent: true } });
    await expect(desk.recorder.cancel(desk.caller, run.id)).rejects.toMatchObject({ code: "conflict" });
    await run.cancel();
  });
});

it("closing waits for what is being written", async () => {
  const desk = await openDesk();
  const recording = await desk.open(talk("a"));
  void recording.finish({ ...FACTS, response: answer(assistant("b")) });
  await desk.recorder.close();
  expect(await pathOf(desk, recording.threadId)).toEqual(["user: a", "assistant: b"]);
  await desk[Symbol.asyncDispose]();
});

it("a run that somebody ends elsewhere just before its end is over here, too, and its key is free", async () => {
  await using desk = await openDesk({ recorder: { lookMs: 5 } });
  const more = { idempotencyKey: "k", request: { messages: [], stream: true } };
  const recording = await desk.open(talk("a"), more);
  recording.begin(FACTS);
  recording.push(deltasOf("b").slice(0, -1));
  await recording.ready();
  await (await desk.ledger.resumeRun(recording.runId, { force: true })).cancel();
  await aborted(recording.cancelled);
  await expect(recording.finish(FACTS)).rejects.toMatchObject({ code: "aborted" });
  const again = await desk.open(talk("a"), more);
  expect(again.earlier).toBeUndefined();
  await again.fail(BROKEN, FACTS);
});
