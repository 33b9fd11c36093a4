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
