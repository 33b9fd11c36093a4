// B95: idempotency keys of calls.
import { describe, expect, it } from "vitest";
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
