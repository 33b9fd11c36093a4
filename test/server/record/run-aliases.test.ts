// Ids of responses and items: providers choose them, so they may be anything and may collide.
import { describe, expect, it } from "vitest";
import { openLedger } from "../../../src/ledger/index.ts";
import { assistant, user } from "../../../src/model/index.ts";
import type { Message } from "../../../src/model/index.ts";
import { createAlias } from "../../../src/server/record/run-aliases.ts";
import { dropItemAliases } from "../../../src/server/record/item-references.ts";
import { requireResponseRun } from "../../../src/server/record/responses/stored-response.ts";
import { answer, lineOf, openRecorder, conversation } from "./support.ts";

const RESPONSES = { dialect: "openai-responses", referable: true } as const;

/** An answer with item ids of its provider. */
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

/** A request with an item reference. */
function naming(id: string): Message {
  return {
    role: "assistant",
    parts: [{ type: "opaque", dialect: "openai-responses", value: { type: "item_reference", id } }],
  };
}

describe("response ids", () => {
  it("refer to the caller's own answer, even if other scopes have the same id", async () => {
    const ledger = await openLedger("memory:");
    await using ann = await openRecorder({ ledger, scope: "ann" });
    await using bob = await openRecorder({ ledger, scope: "bob" });
    await ann.recordCall(conversation("Ann asks."), answer("To Ann.", "resp_1"), RESPONSES);
    await bob.recordCall(conversation("Bob asks."), answer("To Bob.", "resp_1"), RESPONSES);
    const next = await ann.open([user("And?")], { ...RESPONSES, previousResponse: "resp_1" });
    expect(next.messages.map(lineOf)).toEqual(["user: Ann asks.", "assistant: To Ann.", "user: And?"]);
    await bob.recordCall(conversation("Bob alone."), answer("Yes.", "resp_2"), RESPONSES);
    await expect(requireResponseRun(ann.caller, "resp_2")).rejects.toMatchObject({ status: 404 });
    expect((await requireResponseRun(bob.caller, "resp_2")).state).toBe("committed");
  });

  it("are an error if several conversations have the same one", async () => {
    await using harness = await openRecorder();
    await harness.recordCall(conversation("One."), answer("1", "resp_1"), RESPONSES);
    await harness.recordCall(conversation("Two."), answer("2", "resp_1"), RESPONSES);
    const refusal = { code: "invalid-request", status: 400, message: expect.stringContaining("several conversations") };
    await expect(harness.open([user("And?")], { ...RESPONSES, previousResponse: "resp_1" })).rejects.toMatchObject(
      refusal,
    );
    await expect(requireResponseRun(harness.caller, "resp_1")).rejects.toMatchObject(refusal);
  });

  it("refer to the newest answer of a conversation whose answers all have the same one", async () => {
    await using harness = await openRecorder();
    await harness.recordCall(conversation("One."), answer("1", "resp_1"), RESPONSES);
    const { runId } = await harness.recordCall([user("Two.")], answer("2", "resp_1"), {
      ...RESPONSES,
      previousResponse: "resp_1",
    });
    expect((await requireResponseRun(harness.caller, "resp_1")).id).toBe(runId);
  });

  it("are separate, for any scopes and ids", () => {
    expect(createAlias("key", { scope: "a:b" }, "c")).not.toBe(createAlias("key", { scope: "a" }, "b:c"));
  });

  it.each([
    ["long", "r".repeat(600), ["i".repeat(600)]],
    ["with characters that no table stores", "r\u0000\ud83d", ["\u0000"]],
    ["of very many items", "resp_many", Array.from({ length: 1200 }, (_, at) => `item_${at}`)],
  ])("may be %s: no answer is lost for it", async (_, id, items) => {
    await using harness = await openRecorder();
    await harness.recordCall(conversation("a"), answer(withItems(...items), id), RESPONSES);
    expect((await requireResponseRun(harness.caller, id)).state).toBe("committed");
    const named = await harness.open([user("a"), naming(items.at(-1) ?? ""), user("c")], RESPONSES);
    expect(named.messages[1]?.parts[0]).toMatchObject({ type: "text" });
  });
});

describe("item ids", () => {
  it("are deleted with their answer, and no others are", async () => {
    await using harness = await openRecorder();
    const { runId } = await harness.recordCall(conversation("a"), answer(withItems("item_1"), "resp_1"), RESPONSES);
    await harness.recordCall(conversation("b"), answer(withItems("item_2"), "resp_2"), RESPONSES);
    await dropItemAliases(harness.caller, await harness.ledger.run(runId), "resp_1");
    const partsOf = async (id: string): Promise<string | undefined> =>
      (await harness.open([user("x"), naming(id), user("y")], RESPONSES)).messages[1]?.parts[0]?.type;
    expect(await partsOf("item_1")).toBe("opaque");
    expect(await partsOf("item_2")).toBe("text");
  });

  it("stay references if several conversations have the same one", async () => {
    await using harness = await openRecorder();
    await harness.recordCall(conversation("a"), answer(withItems("item_1"), "resp_1"), RESPONSES);
    await harness.recordCall(conversation("b"), answer(withItems("item_1"), "resp_2"), RESPONSES);
    const named = await harness.open([user("x"), naming("item_1"), user("y")], RESPONSES);
    expect(named.messages[1]?.parts[0]?.type).toBe("opaque");
  });
});

describe("titles", () => {
  it.each(["\u0000ELF", "cut \ud83d", "x".repeat(78) + "\u{1f600}" + "y".repeat(100)])(
    "never fail a call: %j",
    async (text) => {
      await using harness = await openRecorder();
      const { threadId } = await harness.recordCall([user(text)], answer(assistant("b")));
      expect((await harness.ledger.thread(threadId)).title).toMatch(/^(?:ELF|cut .|x+.…)$/u);
    },
  );
});
