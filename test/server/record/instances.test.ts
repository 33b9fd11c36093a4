// Two instances on one Postgres: each one finds, waits for and cancels the calls of the other.
import { afterAll, beforeAll, expect, it } from "vitest";
import { openLedger } from "../../../src/ledger/index.ts";
import type { Ledger } from "../../../src/ledger/index.ts";
import { freshSchema } from "../../support/postgres.ts";
import { aborted, answer, BROKEN, deltasOf, OUTCOME, lineOf, openRecorder, conversation } from "./support.ts";
import type { RecorderHarness } from "./support.ts";

let schema: Awaited<ReturnType<typeof freshSchema>>;
let ledgers: [Ledger, Ledger];
beforeAll(async () => {
  schema = await freshSchema();
  const options = { schema: schema.schema, flushMs: 1, connections: 3 };
  ledgers = [await openLedger(schema.url, options), await openLedger(schema.url, options)];
});
afterAll(async () => {
  for (const ledger of ledgers) await ledger.close();
  await schema.drop();
});

function deskOn(ledger: Ledger): Promise<RecorderHarness> {
  return openRecorder({ ledger, config: { ledger: { url: schema.url } }, recorder: { checkIntervalMs: 20 } });
}

it.each([true, false])(
  "B95: a call waits for the one with its key on the other instance (stream: %s)",
  async (stream) => {
    await using one = await deskOn(ledgers[0]);
    await using two = await deskOn(ledgers[1]);
    const key = { idempotencyKey: `stream ${stream}`, request: { messages: [], stream } };
    const question = `key, ${stream}`;
    const first = await one.open(conversation(question), key);
    if (stream) first.begin(OUTCOME);
    await first.ready();
    const second = two.open(conversation(question), key);
    if (stream) first.push(deltasOf("b"));
    await first.finish({ ...OUTCOME, ...(!stream && { response: answer("b") }) });
    expect((await second).earlierAnswer?.message.parts).toEqual([{ type: "text", text: "b" }]);
    const third = await two.recordCall(conversation(question, "b", "c"), "d");
    expect(third.threadId).toBe(first.threadId);
  },
);

it.each([true, false])(
  "B95: of concurrent calls with one key on both instances, one is sent and the others receive its answer (stream: %s)",
  async (stream) => {
    await using one = await deskOn(ledgers[0]);
    await using two = await deskOn(ledgers[1]);
    const key = { idempotencyKey: `at once, ${stream}`, request: { messages: [], stream } };
    const opening = [one, two, one, two].map((harness) => harness.open(conversation(`at once, ${stream}`), key));
    const first = await Promise.race(opening);
    if (stream) {
      first.begin(OUTCOME);
      first.push(deltasOf("b"));
    }
    await first.finish({ ...OUTCOME, ...(!stream && { response: answer("b") }) });
    const others = (await Promise.all(opening)).filter((each) => each !== first);
    expect(others.map(({ runId, earlierAnswer: earlier }) => [runId, earlier?.message.parts])).toEqual(
      Array.from({ length: 3 }, () => [first.runId, [{ type: "text", text: "b" }]]),
    );
  },
);

it("a call that waited for the other instance is sent if that one failed", async () => {
  await using one = await deskOn(ledgers[0]);
  await using two = await deskOn(ledgers[1]);
  const key = { idempotencyKey: "fails" };
  const opening = [one.open(conversation("fails"), key), two.open(conversation("fails"), key)];
  const first = await Promise.race(opening);
  await first.fail(BROKEN, OUTCOME);
  const second = (await Promise.all(opening)).find((each) => each !== first);
  expect(second?.earlierAnswer).toBeUndefined();
  await second?.finish({ ...OUTCOME, response: answer("d") });
});

it("a silent stream is cancelled from the other instance, and its partial answer is stored", async () => {
  await using one = await deskOn(ledgers[0]);
  await using two = await deskOn(ledgers[1]);
  const recording = await one.open(conversation("cancel"));
  recording.begin(OUTCOME);
  await recording.ready();
  recording.push(deltasOf("Once").slice(0, -1));
  while ((await two.ledger.run(recording.runId)).lastSeq < 0) await new Promise(setImmediate);
  expect(await two.recorder.cancel(two.caller, recording.runId)).toBe(true);
  await aborted(recording.cancelled);
  await recording.fail(BROKEN, OUTCOME);
  expect((await one.ledger.run(recording.runId)).state).toBe("cancelled");
  const { messages } = await two.ledger.tree(recording.threadId);
  expect(messages.map(lineOf)).toEqual(["user: cancel", "assistant: Once"]);
});
