// The ids that clients know answers and items by: providers make them, so that they may be anything, and anybody's.
import { describe, expect, it } from "vitest";
import { openLedger } from "../../../src/ledger/index.ts";
import { assistant, user } from "../../../src/model/index.ts";
import type { Message } from "../../../src/model/index.ts";
import { nameOf } from "../../../src/server/record/names.ts";
import { dropItems } from "../../../src/server/record/references.ts";
import { runOfResponse } from "../../../src/server/record/responses/stored.ts";
import { answer, lineOf, openDesk, talk } from "./support.ts";

const RESPONSES = { dialect: "openai-responses", referable: true } as const;

/** An answer with items that its provider has named. */
function withItems(...ids: string[]): Message {
  return {
    role: "assistant",
    parts: ids.map((value) => ({
      type: "text",
      text: value,
      seals: [{ dialect: "openai-responses", kind: "id", value }],
    })),
  };
}

/** A question that names an item instead of sending it. */
function naming(id: string): Message {
  return {
    role: "assistant",
    parts: [{ type: "opaque", dialect: "openai-responses", value: { type: "item_reference", id } }],
  };
}

describe("ids of answers", () => {
  it("mean the caller's own answer, whoever else was given the same", async () => {
    const ledger = await openLedger("memory:");
    await using ann = await openDesk({ ledger, scope: "ann" });
    await using bob = await openDesk({ ledger, scope: "bob" });
    await ann.ask(talk("Ann asks."), answer("To Ann.", "resp_1"), RESPONSES);
    await bob.ask(talk("Bob asks."), answer("To Bob.", "resp_1"), RESPONSES);
    const next = await ann.open([user("And?")], { ...RESPONSES, previousResponse: "resp_1" });
    expect(next.messages.map(lineOf)).toEqual(["user: Ann asks.", "assistant: To Ann.", "user: And?"]);
    await bob.ask(talk("Bob alone."), answer("Yes.", "resp_2"), RESPONSES);
    await expect(runOfResponse(ann.caller, "resp_2")).rejects.toMatchObject({ status: 404 });
    expect((await runOfResponse(bob.caller, "resp_2")).state).toBe("committed");
  });

  it("mean nothing where several conversations have the same, and it is said so", async () => {
    await using desk = await openDesk();
    await desk.ask(talk("One."), answer("1", "resp_1"), RESPONSES);
    await desk.ask(talk("Two."), answer("2", "resp_1"), RESPONSES);
    const refusal = { code: "invalid-request", status: 400, message: expect.stringContaining("several conversations") };
    await expect(desk.open([user("And?")], { ...RESPONSES, previousResponse: "resp_1" })).rejects.toMatchObject(
      refusal,
    );
    await expect(runOfResponse(desk.caller, "resp_1")).rejects.toMatchObject(refusal);
  });

  it("mean the newest answer of a conversation in which all have the same", async () => {
    await using desk = await openDesk();
    await desk.ask(talk("One."), answer("1", "resp_1"), RESPONSES);
    const { runId } = await desk.ask([user("Two.")], answer("2", "resp_1"), {
      ...RESPONSES,
      previousResponse: "resp_1",
    });
    expect((await runOfResponse(desk.caller, "resp_1")).id).toBe(runId);
  });

  it("are kept apart, whatever scopes and ids are made of", () => {
    expect(nameOf("key", { scope: "a:b" }, "c")).not.toBe(nameOf("key", { scope: "a" }, "b:c"));
  });

  it.each([
    ["long", "r".repeat(600), ["i".repeat(600)]],
    ["with signs that no table keeps", "r\u0000\ud83d", ["\u0000"]],
    ["of very many items", "resp_many", Array.from({ length: 1200 }, (_, at) => `item_${at}`)],
  ])("may be %s: no answer is lost for it", async (_, id, items) => {
    await using desk = await openDesk();
    await desk.ask(talk("a"), answer(withItems(...items), id), RESPONSES);
    expect((await runOfResponse(desk.caller, id)).state).toBe("committed");
    const named = await desk.open([user("a"), naming(items.at(-1) ?? ""), user("c")], RESPONSES);
    expect(named.messages[1]?.parts[0]).toMatchObject({ type: "text" });
  });
});

describe("ids of items", () => {
  it("are forgotten with their answer, and nobody else's", async () => {
    await using desk = await openDesk();
    const { runId } = await desk.ask(talk("a"), answer(withItems("item_1"), "resp_1"), RESPONSES);
    await desk.ask(talk("b"), answer(withItems("item_2"), "resp_2"), RESPONSES);
    await dropItems(desk.caller, await desk.ledger.run(runId), "resp_1");
    const partsOf = async (id: string): Promise<string | undefined> =>
      (await desk.open([user("x"), naming(id), user("y")], RESPONSES)).messages[1]?.parts[0]?.type;
    expect(await partsOf("item_1")).toBe("opaque");
    expect(await partsOf("item_2")).toBe("text");
  });

  it("stay references where several conversations have the same", async () => {
    await using desk = await openDesk();
    await desk.ask(talk("a"), answer(withItems("item_1"), "resp_1"), RESPONSES);
    await desk.ask(talk("b"), answer(withItems("item_1"), "resp_2"), RESPONSES);
    const named = await desk.open([user("x"), naming("item_1"), user("y")], RESPONSES);
    expect(named.messages[1]?.parts[0]?.type).toBe("opaque");
  });
});

describe("titles", () => {
  it.each(["\u0000ELF", "cut \ud83d", "x".repeat(78) + "\u{1f600}" + "y".repeat(100)])(
    "never fail a call: %j",
    async (words) => {
      await using desk = await openDesk();
      const { threadId } = await desk.ask([user(words)], answer(assistant("b")));
      expect((await desk.ledger.thread(threadId)).title).toMatch(/^(?:ELF|cut .|x+.…)$/u);
    },
  );
});
