// What happens to calls that cannot be recorded: refused, or served and reported.
import { describe, expect, it } from "vitest";
import { aborted, answer, BROKEN, deltasOf, FACTS, openDesk, pathOf, talk } from "./support.ts";
import type { Desk } from "./support.ts";
import { faultyLedger } from "./failing-store.ts";

const CALL = { dialect: "openai-chat", request: { model: "m", messages: talk("a", "b", "c") } } as const;
const WHOLE = { ...FACTS, response: answer("d") };

async function desks(onFailure: "refuse" | "serve", maxWaitMs = 5000): Promise<Desk & ReturnType<typeof faultyLedger>> {
  const { ledger, fault } = faultyLedger();
  return Object.assign(await openDesk({ ledger, config: { record: { onFailure, maxWaitMs } } }), { fault });
}

function failures({ services }: Desk): string | undefined {
  return services.metrics
    .text()
    .split("\n")
    .find((line) => line.startsWith("koine_record_failures_total{"));
}

describe("where such calls are refused", () => {
  it("one that cannot be recognised is, before anything is asked", async () => {
    await using desk = await desks("refuse");
    desk.fault.reads = "unavailable";
    const refusal = { code: "unavailable", status: 503, headers: { "retry-after": "1" } };
    await expect(
      desk.recorder.open({ ...CALL, caller: desk.caller, request: { ...CALL.request, messages: talk("a", "b", "c") } }),
    ).rejects.toMatchObject(refusal);
    expect(failures(desk)).toContain('code="unavailable"');
  });

  it("a stream whose run cannot be begun is, before its first byte", async () => {
    await using desk = await desks("refuse");
    const recording = await desk.open(talk("a"));
    desk.fault.writes = "disk-full";
    recording.begin(FACTS);
    await expect(recording.ready()).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("disk-full"),
    });
    expect(recording.cancelled.reason).toMatchObject({ code: "unavailable" });
    await recording.fail(BROKEN, FACTS);
  });

  it("a stream is, before its first byte, as long as the calls before it could not be written", async () => {
    const { ledger, fault } = faultyLedger();
    await using desk = await openDesk({ ledger, config: { ledger: { flushMs: 60_000 } } });
    const ready = async (): Promise<void> => {
      const recording = await desk.open(talk("a"));
      recording.begin(FACTS);
      try {
        await recording.ready();
      } finally {
        await recording.fail(BROKEN, FACTS);
      }
    };
    fault.writes = "disk-full";
    // Nobody knows yet.
    await ready();
    await expect(ready()).rejects.toMatchObject({ code: "unavailable", status: 503 });
    delete fault.writes;
    await ready();
  });

  it("a stream that cannot be written on is ended, and its end is never acknowledged", async () => {
    await using desk = await desks("refuse");
    const recording = await desk.open(talk("a"));
    const deltas = deltasOf("b");
    recording.begin(FACTS);
    await recording.ready();
    desk.fault.writes = "disk-full";
    recording.push(deltas);
    await aborted(recording.cancelled);
    await expect(recording.finish(FACTS)).rejects.toMatchObject({ code: "unavailable" });
    expect(await desk.log()).toContain("record.failed");
  });

  it("a whole answer is", async () => {
    await using desk = await desks("refuse");
    const recording = await desk.open(talk("a"));
    desk.fault.writes = "unavailable";
    await expect(recording.finish(WHOLE)).rejects.toMatchObject({ code: "unavailable", status: 503 });
  });

  it("an answer whose record takes too long is", async () => {
    await using desk = await desks("refuse", 20);
    const recording = await desk.open(talk("a"));
    const { promise, resolve } = Promise.withResolvers<void>();
    desk.fault.gate = promise;
    await expect(recording.finish(WHOLE)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("20 ms"),
    });
    resolve();
    // The write was not taken back: it is in the record after all.
    await desk.recorder.close();
    expect(await pathOf(desk, recording.threadId)).toEqual(["user: a", "assistant: d"]);
  });

  it.each([false, true])(
    "calls are, before anybody is asked, as long as nothing can be written (stream: %s)",
    async (stream) => {
      await using desk = await desks("refuse");
      desk.fault.writes = "disk-full";
      const request = { messages: [], stream };
      // Nobody knows yet.
      await expect(desk.ask(talk("a"), "b", { request })).rejects.toMatchObject({ code: "unavailable" });
      for (const words of ["c", "d"]) {
        const key = { idempotencyKey: words };
        await expect(desk.open(talk(words), { request, ...key })).rejects.toMatchObject({ status: 503 });
      }
      delete desk.fault.writes;
      const { threadId } = await desk.ask(talk("c"), "e", { request, idempotencyKey: "c" });
      expect(await pathOf(desk, threadId)).toEqual(["user: c", "assistant: e"]);
    },
  );

  it("what is wrong with one call does not say that the ledger works again", async () => {
    await using desk = await desks("refuse");
    const wrong = await desk.open(talk("a"));
    desk.fault.writes = "disk-full";
    await expect(desk.ask(talk("a"), "b")).rejects.toMatchObject({ code: "unavailable" });
    const broken = { ...answer("b"), message: { role: "assistant", parts: [{ type: 1 }] } };
    // As no dialect makes it.
    await expect(wrong.finish({ ...FACTS, response: broken as never })).rejects.toMatchObject({ status: 400 });
    await expect(desk.open(talk("c"))).rejects.toMatchObject({ code: "unavailable" });
  });

  it("an answer that nobody knows is no failure of the record", async () => {
    await using desk = await desks("refuse");
    const more = { dialect: "openai-responses", previousResponse: "resp_none" };
    await expect(desk.open(talk("a"), more)).rejects.toMatchObject({ status: 400 });
    expect(failures(desk)).toBeUndefined();
  });

  it("a call that failed anyway tells only that", async () => {
    await using desk = await desks("refuse");
    const recording = await desk.open(talk("a"));
    desk.fault.writes = "disk-full";
    await expect(recording.fail(BROKEN, FACTS)).resolves.toBeUndefined();
    expect(await desk.log()).toContain("record.failed");
  });
});

describe("where such calls are served", () => {
  it("one that cannot be recognised is not recorded, and reported", async () => {
    await using desk = await desks("serve");
    desk.fault.reads = "unavailable";
    expect(await desk.recorder.open({ ...CALL, caller: desk.caller, request: { ...CALL.request } })).toBeUndefined();
    expect(await desk.log()).toContain("record.skipped");
    expect(failures(desk)).toMatch(/ 1$/);
  });

  it("but one that goes on from an earlier answer cannot be understood without the ledger", async () => {
    await using desk = await desks("serve");
    desk.fault.reads = "unavailable";
    const call = { ...CALL, caller: desk.caller, previousResponse: "resp" };
    await expect(desk.recorder.open(call)).rejects.toMatchObject({ code: "unavailable" });
  });

  it.each(["begin", "push"])("a stream that fails at its %s goes on to its end, and is reported once", async (when) => {
    await using desk = await desks("serve");
    const recording = await desk.open(talk("a"));
    if (when === "begin") desk.fault.writes = "disk-full";
    recording.begin(FACTS);
    await recording.ready();
    // Until the run is there, so that the next write is that of the deltas.
    if (when === "push") await untilBegun(desk, recording.runId);
    desk.fault.writes = "disk-full";
    for (const delta of deltasOf("b")) recording.push([delta]);
    await expect(recording.finish(FACTS)).resolves.toBeUndefined();
    expect(recording.cancelled.aborted).toBe(false);
    expect((await desk.log()).match(/record\.failed/g)).toHaveLength(1);
  });

  it("a whole answer is, and its lateness is reported", async () => {
    await using desk = await desks("serve", 20);
    const recording = await desk.open(talk("a"));
    const { promise, resolve } = Promise.withResolvers<void>();
    desk.fault.gate = promise;
    await expect(recording.finish(WHOLE)).resolves.toBeUndefined();
    expect(await desk.log()).toContain("20 ms");
    resolve();
  });
});

describe.each(["refuse", "serve"] as const)("a ledger that lags, with calls %sd", (onFailure) => {
  it("costs no more memory than it may", async () => {
    const { ledger, fault } = faultyLedger();
    await using desk = await openDesk({ ledger, config: { record: { onFailure } }, recorder: { maxPending: 10_000 } });
    const recording = await desk.open(talk("a"));
    recording.begin(FACTS);
    await untilBegun(desk, recording.runId);
    const { promise, resolve } = Promise.withResolvers<void>();
    fault.gate = promise;
    const [start, text] = deltasOf("x".repeat(1000));
    for (const delta of [start, ...Array.from({ length: 20 }, () => text)])
      if (delta !== undefined) recording.push([delta]);
    expect(recording.cancelled.aborted).toBe(onFailure === "refuse");
    expect(await desk.log()).toContain("more slowly");
    resolve();
    const finished = recording.finish(FACTS);
    await (onFailure === "serve" ? finished : expect(finished).rejects.toMatchObject({ code: "unavailable" }));
    // Others are recorded again as soon as it has caught up.
    await desk.recorder.close();
    await desk.ask(talk("later"), "fine");
  });
});

async function untilBegun({ ledger }: Desk, runId: string): Promise<void> {
  while ((await ledger.run(runId).catch(() => undefined)) === undefined) await new Promise(setImmediate);
}
