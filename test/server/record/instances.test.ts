// Two instances on one Postgres: what the one records, the other knows, waits for and ends.
import { afterAll, beforeAll, expect, it } from "vitest";
import { openLedger } from "../../../src/ledger/index.ts";
import type { Ledger } from "../../../src/ledger/index.ts";
import { freshSchema } from "../../support/postgres.ts";
import { aborted, answer, BROKEN, deltasOf, FACTS, lineOf, openDesk, talk } from "./support.ts";
import type { Desk } from "./support.ts";

let place: Awaited<ReturnType<typeof freshSchema>>;
let ledgers: [Ledger, Ledger];
beforeAll(async () => {
  place = await freshSchema();
  const options = { schema: place.schema, flushMs: 1, connections: 3 };
  ledgers = [await openLedger(place.url, options), await openLedger(place.url, options)];
});
afterAll(async () => {
  for (const ledger of ledgers) await ledger.close();
  await place.drop();
});

function deskOn(ledger: Ledger): Promise<Desk> {
  return openDesk({ ledger, config: { ledger: { url: place.url } }, recorder: { lookMs: 20 } });
}

it.each([true, false])(
  "B95: a call waits for the one with its key on the other instance (stream: %s)",
  async (stream) => {
    await using one = await deskOn(ledgers[0]);
    await using two = await deskOn(ledgers[1]);
    const key = { idempotencyKey: `stream ${stream}`, request: { messages: [], stream } };
    const question = `key, ${stream}`;
    const first = await one.open(talk(question), key);
    if (stream) first.begin(FACTS);
    await first.ready();
    const second = two.open(talk(question), key);
    if (stream) first.push(deltasOf("b"));
    await first.finish({ ...FACTS, ...(!stream && { response: answer("b") }) });
    expect((await second).earlier?.message.parts).toEqual([{ type: "text", text: "b" }]);
    const third = await two.ask(talk(question, "b", "c"), "d");
    expect(third.threadId).toBe(first.threadId);
  },
);

it.each([true, false])(
  "B95: of calls with one key that come to both at once, one is asked and the others are given its answer (stream: %s)",
  async (stream) => {
    await using one = await deskOn(ledgers[0]);
    await using two = await deskOn(ledgers[1]);
    const key = { idempotencyKey: `at once, ${stream}`, request: { messages: [], stream } };
    const opening = [one, two, one, two].map((desk) => desk.open(talk(`at once, ${stream}`), key));
    const first = await Promise.race(opening);
    if (stream) {
      first.begin(FACTS);
      first.push(deltasOf("b"));
    }
    await first.finish({ ...FACTS, ...(!stream && { response: answer("b") }) });
    const others = (await Promise.all(opening)).filter((each) => each !== first);
    expect(others.map(({ runId, earlier }) => [runId, earlier?.message.parts])).toEqual(
      Array.from({ length: 3 }, () => [first.runId, [{ type: "text", text: "b" }]]),
    );
  },
);

it("a call that waited for one on the other instance is asked where that one failed", async () => {
  await using one = await deskOn(ledgers[0]);
  await using two = await deskOn(ledgers[1]);
  const key = { idempotencyKey: "fails" };
  const opening = [one.open(talk("fails"), key), two.open(talk("fails"), key)];
  const first = await Promise.race(opening);
  await first.fail(BROKEN, FACTS);
  const second = (await Promise.all(opening)).find((each) => each !== first);
  expect(second?.earlier).toBeUndefined();
  await second?.finish({ ...FACTS, response: answer("d") });
});

it("a silent stream is cancelled from the other instance, and what had arrived is kept", async () => {
  await using one = await deskOn(ledgers[0]);
  await using two = await deskOn(ledgers[1]);
  const recording = await one.open(talk("cancel"));
  recording.begin(FACTS);
  await recording.ready();
  recording.push(deltasOf("Once").slice(0, -1));
  while ((await two.ledger.run(recording.runId)).lastSeq < 0) await new Promise(setImmediate);
  expect(await two.recorder.cancel(two.caller, recording.runId)).toBe(true);
  await aborted(recording.cancelled);
  await recording.fail(BROKEN, FACTS);
  expect((await one.ledger.run(recording.runId)).state).toBe("cancelled");
  const { messages } = await two.ledger.tree(recording.threadId);
  expect(messages.map(lineOf)).toEqual(["user: cancel", "assistant: Once"]);
});
