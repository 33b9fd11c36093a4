// Calls that cannot be recorded: refused, or served and reported.
import { describe, expect, it } from "vitest";
import { aborted, answer, BROKEN, deltasOf, OUTCOME, openRecorder, pathOf, conversation } from "./support.ts";
import type { RecorderHarness } from "./support.ts";
import { faultyLedger } from "./failing-store.ts";

const CALL = { dialect: "openai-chat", request: { model: "m", messages: conversation("a", "b", "c") } } as const;
const WHOLE = { ...OUTCOME, response: answer("d") };

async function desks(
  onFailure: "refuse" | "serve",
  maxWaitMs = 5000,
): Promise<RecorderHarness & ReturnType<typeof faultyLedger>> {
  const { ledger, fault } = faultyLedger();
  return Object.assign(await openRecorder({ ledger, config: { record: { onFailure, maxWaitMs } } }), { fault });
}

function failures({ services }: RecorderHarness): string | undefined {
  return services.metrics
    .text()
    .split("\n")
    .find((line) => line.startsWith("koine_record_failures_total{"));
}

describe('with the policy "refuse"', () => {
  it("a call whose thread cannot be found is refused before the provider is called", async () => {
    await using harness = await desks("refuse");
    harness.fault.reads = "unavailable";
    // The message of the store is not sent to the client: it names files, tables and hosts.
    const message = expect.stringContaining("The ledger cannot be reached.") as string;
    const refusal = { code: "unavailable", status: 503, headers: { "retry-after": "1" }, message };
    await expect(
      harness.recorder.open({
        ...CALL,
        caller: harness.caller,
        request: { ...CALL.request, messages: conversation("a", "b", "c") },
      }),
    ).rejects.toMatchObject(refusal);
    expect(failures(harness)).toContain('code="unavailable"');
  });

  it("a stream whose run cannot be written is refused before its first byte", async () => {
    await using harness = await desks("refuse");
    const recording = await harness.open(conversation("a"));
    harness.fault.writes = "disk-full";
    recording.begin(OUTCOME);
    await expect(recording.ready()).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("disk-full"),
    });
    expect(recording.cancelled.reason).toMatchObject({ code: "unavailable" });
    await recording.fail(BROKEN, OUTCOME);
  });

  it("a stream is refused before its first byte while earlier calls could not be written", async () => {
    const { ledger, fault } = faultyLedger();
    await using harness = await openRecorder({ ledger, config: { ledger: { flushMs: 60_000 } } });
    const ready = async (): Promise<void> => {
      const recording = await harness.open(conversation("a"));
      recording.begin(OUTCOME);
      try {
        await recording.ready();
      } finally {
        await recording.fail(BROKEN, OUTCOME);
      }
    };
    fault.writes = "disk-full";
    // The outage is not known yet.
    await ready();
    await expect(ready()).rejects.toMatchObject({ code: "unavailable", status: 503 });
    delete fault.writes;
    await ready();
  });

  it("a stream whose deltas cannot be written is ended, and its end is never acknowledged", async () => {
    await using harness = await desks("refuse");
    const recording = await harness.open(conversation("a"));
    const deltas = deltasOf("b");
    recording.begin(OUTCOME);
    await recording.ready();
    harness.fault.writes = "disk-full";
    recording.push(deltas);
    await aborted(recording.cancelled);
    await expect(recording.finish(OUTCOME)).rejects.toMatchObject({ code: "unavailable" });
    expect(await harness.log()).toContain("record.failed");
  });

  it("a whole answer is refused", async () => {
    await using harness = await desks("refuse");
    const recording = await harness.open(conversation("a"));
    harness.fault.writes = "unavailable";
    await expect(recording.finish(WHOLE)).rejects.toMatchObject({ code: "unavailable", status: 503 });
  });

  it("an answer whose record takes too long is refused", async () => {
    await using harness = await desks("refuse", 20);
    const recording = await harness.open(conversation("a"));
    const { promise, resolve } = Promise.withResolvers<void>();
    harness.fault.gate = promise;
    await expect(recording.finish(WHOLE)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("20 ms"),
    });
    resolve();
    // The timed-out write succeeds after all.
    await harness.recorder.close();
    expect(await pathOf(harness, recording.threadId)).toEqual(["user: a", "assistant: d"]);
  });

  it.each([false, true])(
    "calls are refused before the provider is called while nothing can be written (stream: %s)",
    async (stream) => {
      await using harness = await desks("refuse");
      harness.fault.writes = "disk-full";
      const request = { messages: [], stream };
      // The outage is not known yet.
      await expect(harness.recordCall(conversation("a"), "b", { request })).rejects.toMatchObject({
        code: "unavailable",
      });
      for (const text of ["c", "d"]) {
        const key = { idempotencyKey: text };
        await expect(harness.open(conversation(text), { request, ...key })).rejects.toMatchObject({ status: 503 });
      }
      delete harness.fault.writes;
      const { threadId } = await harness.recordCall(conversation("c"), "e", { request, idempotencyKey: "c" });
      expect(await pathOf(harness, threadId)).toEqual(["user: c", "assistant: e"]);
    },
  );

  it("a fault of one call does not mean that the ledger works again", async () => {
    await using harness = await desks("refuse");
    const wrong = await harness.open(conversation("a"));
    harness.fault.writes = "disk-full";
    await expect(harness.recordCall(conversation("a"), "b")).rejects.toMatchObject({ code: "unavailable" });
    const broken = { ...answer("b"), message: { role: "assistant", parts: [{ type: 1 }] } };
    // An answer that no dialect produces.
    await expect(wrong.finish({ ...OUTCOME, response: broken as never })).rejects.toMatchObject({ status: 400 });
    await expect(harness.open(conversation("c"))).rejects.toMatchObject({ code: "unavailable" });
  });

  it("an unknown response is not a failure of the record", async () => {
    await using harness = await desks("refuse");
    const more = { dialect: "openai-responses", previousResponse: "resp_none" };
    await expect(harness.open(conversation("a"), more)).rejects.toMatchObject({ status: 400 });
    expect(failures(harness)).toBeUndefined();
  });

  it("a failed call reports only its own error", async () => {
    await using harness = await desks("refuse");
    const recording = await harness.open(conversation("a"));
    harness.fault.writes = "disk-full";
    await expect(recording.fail(BROKEN, OUTCOME)).resolves.toBeUndefined();
    expect(await harness.log()).toContain("record.failed");
  });
});

describe('with the policy "serve"', () => {
  it("a call whose thread cannot be found is served unrecorded, and reported", async () => {
    await using harness = await desks("serve");
    harness.fault.reads = "unavailable";
    expect(
      await harness.recorder.open({ ...CALL, caller: harness.caller, request: { ...CALL.request } }),
    ).toBeUndefined();
    expect(await harness.log()).toContain("record.skipped");
    expect(failures(harness)).toMatch(/ 1$/);
  });

  it("a call with a previous response is refused, because it needs the ledger", async () => {
    await using harness = await desks("serve");
    harness.fault.reads = "unavailable";
    const call = { ...CALL, caller: harness.caller, previousResponse: "resp" };
    await expect(harness.recorder.open(call)).rejects.toMatchObject({ code: "unavailable" });
  });

  it.each(["begin", "push"])(
    "a stream whose record fails at its %s continues to its end, and is reported once",
    async (when) => {
      await using harness = await desks("serve");
      const recording = await harness.open(conversation("a"));
      if (when === "begin") harness.fault.writes = "disk-full";
      recording.begin(OUTCOME);
      await recording.ready();
      // Waits for the run, so that the next write is that of the deltas.
      if (when === "push") await untilBegun(harness, recording.runId);
      harness.fault.writes = "disk-full";
      for (const delta of deltasOf("b")) recording.push([delta]);
      await expect(recording.finish(OUTCOME)).resolves.toBeUndefined();
      expect(recording.cancelled.aborted).toBe(false);
      expect((await harness.log()).match(/record\.failed/g)).toHaveLength(1);
    },
  );

  it("a whole answer is served, and its late record is reported", async () => {
    await using harness = await desks("serve", 20);
    const recording = await harness.open(conversation("a"));
    const { promise, resolve } = Promise.withResolvers<void>();
    harness.fault.gate = promise;
    await expect(recording.finish(WHOLE)).resolves.toBeUndefined();
    expect(await harness.log()).toContain("20 ms");
    resolve();
  });
});

describe.each(["refuse", "serve"] as const)("a slow ledger, with calls %sd", (onFailure) => {
  it("stays within the memory limit", async () => {
    const { ledger, fault } = faultyLedger();
    await using harness = await openRecorder({
      ledger,
      config: { record: { onFailure } },
      recorder: { maxPendingBytes: 10_000 },
    });
    const recording = await harness.open(conversation("a"));
    recording.begin(OUTCOME);
    await untilBegun(harness, recording.runId);
    const { promise, resolve } = Promise.withResolvers<void>();
    fault.gate = promise;
    const [start, text] = deltasOf("x".repeat(1000));
    for (const delta of [start, ...Array.from({ length: 20 }, () => text)])
      if (delta !== undefined) recording.push([delta]);
    expect(recording.cancelled.aborted).toBe(onFailure === "refuse");
    expect(await harness.log()).toContain("slower than the incoming answers");
    resolve();
    const finished = recording.finish(OUTCOME);
    await (onFailure === "serve" ? finished : expect(finished).rejects.toMatchObject({ code: "unavailable" }));
    // Calls are recorded again once the writes have caught up.
    await harness.recorder.close();
    await harness.recordCall(conversation("later"), "fine");
  });
});

async function untilBegun({ ledger }: RecorderHarness, runId: string): Promise<void> {
  while ((await ledger.run(runId).catch(() => undefined)) === undefined) await new Promise(setImmediate);
}
