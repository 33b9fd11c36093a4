// B95: idempotency keys of calls.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLedger } from "../../../src/ledger/index.ts";
import type { Ledger } from "../../../src/ledger/index.ts";
import { freshSchema } from "../../support/postgres.ts";
import { answer, BROKEN, deltasOf, FACTS, openDesk, pathOf, talk } from "./support.ts";

const KEY = { idempotencyKey: "k-1" };

describe("a call with an idempotency key", () => {
  it("B95: is answered from the record when it comes again, and nothing is written", async () => {
    await using desk = await openDesk();
    const first = await desk.ask(talk("a"), answer("b", "resp-1"), KEY);
    const again = await desk.open(talk("a"), KEY);
    expect(again.earlier).toMatchObject({ id: "resp-1", model: "m-1", finishReason: { unified: "stop" } });
    expect(again.earlier?.message.parts).toEqual([{ type: "text", text: "b" }]);
    expect(again).toMatchObject({ threadId: first.threadId, runId: first.runId });
    expect(await pathOf(desk, first.threadId)).toHaveLength(2);
    expect(await desk.ledger.threads()).toHaveLength(1);
  });

  it("B95: conflicts with another request under the same key", async () => {
    await using desk = await openDesk();
    const first = desk.open(talk("a"), KEY);
    await expect(first.then(() => desk.open(talk("A"), KEY))).rejects.toMatchObject({ code: "conflict", status: 409 });
    await (await first).finish({ ...FACTS, response: answer("b") });
    const other = { ...KEY, request: { messages: [], sampling: { temperature: 1 } } };
    await expect(desk.open(talk("a"), other)).rejects.toMatchObject({ code: "conflict", path: "idempotency-key" });
  });

  it("B95: waits for the one that is under way", async () => {
    await using desk = await openDesk();
    const first = await desk.open(talk("a"), KEY);
    const second = desk.open(talk("a"), KEY);
    const third = desk.open(talk("a"), KEY);
    first.begin(FACTS);
    first.push(deltasOf("b"));
    await first.finish(FACTS);
    for (const again of await Promise.all([second, third])) {
      expect(again.earlier?.message.parts).toEqual([{ type: "text", text: "b" }]);
    }
  });

  it("is asked again where it failed; of those who waited one asks, the others wait for it", async () => {
    await using desk = await openDesk();
    const first = await desk.open(talk("a"), KEY);
    const waiting = [desk.open(talk("a"), KEY), desk.open(talk("a"), KEY)];
    await first.fail(BROKEN, FACTS);
    const second = await Promise.race(waiting);
    expect(second.earlier).toBeUndefined();
    await second.finish({ ...FACTS, response: answer("b") });
    const all = await Promise.all(waiting);
    expect(all.filter(({ earlier }) => earlier !== undefined)).toHaveLength(1);
  });

  it.each([
    ["user", { scope: "bob" }],
    ["tenant", { tenant: "other" }],
  ])("means nothing to another %s", async (_, who) => {
    await using ann = await openDesk();
    await using other = await openDesk({ ledger: ann.ledger, ...who });
    await ann.ask(talk("a"), "b", KEY);
    const theirs = await other.open(talk("a"), KEY);
    expect(theirs.earlier).toBeUndefined();
    await theirs.fail(BROKEN, FACTS);
  });
});

describe("on two instances with one Postgres", () => {
  let place: Awaited<ReturnType<typeof freshSchema>>;
  let ledgers: Ledger[] = [];
  beforeAll(async () => {
    place = await freshSchema();
    const options = { schema: place.schema, flushMs: 1, connections: 3 };
    ledgers = [await openLedger(place.url, options), await openLedger(place.url, options)];
  });
  afterAll(async () => {
    for (const ledger of ledgers) await ledger.close();
    await place.drop();
  });

  it.each([true, false])("B95: the second waits for the first (stream: %s)", async (stream) => {
    const config = { ledger: { url: place.url } };
    await using one = await openDesk({ ...(ledgers[0] && { ledger: ledgers[0] }), config });
    await using two = await openDesk({ ...(ledgers[1] && { ledger: ledgers[1] }), config });
    const key = { idempotencyKey: `stream ${stream}`, request: { messages: [], stream } };
    const first = await one.open(talk("a"), key);
    if (stream) first.begin(FACTS);
    // The run is there as soon as it is ready: whole calls begin early where others must see their key.
    await first.ready();
    const second = two.open(talk("a"), key);
    if (stream) first.push(deltasOf("b"));
    await first.finish({ ...FACTS, ...(!stream && { response: answer("b") }) });
    expect((await second).earlier?.message.parts).toEqual([{ type: "text", text: "b" }]);
    const third = await two.open(talk("a", "b", "c"));
    expect(third.threadId).toBe(first.threadId);
    await third.fail(BROKEN, FACTS);
  });
});
