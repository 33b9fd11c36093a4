// Tests forks on every store: messages that a run replaces, alternatives, and unchanged messages.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LedgerError } from "../../../src/ledger/errors.ts";
import type { Ledger } from "../../../src/ledger/types.ts";
import { assistant, user, type Message } from "../../../src/model/index.ts";
import { commitAnswer, createAnswer, startDelta, readIds, textDelta, readTexts } from "../support/runs.ts";
import { STORES, type OpenLedger } from "../support/stores.ts";

async function codeOf(step: Promise<unknown>): Promise<unknown> {
  return step.then(
    () => "no error",
    (error: unknown) => (error instanceof LedgerError ? [error.code, error.path] : error),
  );
}

describe.each(STORES)("$name", (store) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  let threadId: string;
  beforeAll(async () => {
    opened = await store.open({ flushMs: 0 });
    ({ ledger } = opened);
  });
  beforeEach(async () => {
    ({ id: threadId } = await ledger.createThread());
  });
  afterAll(() => opened.close());

  const append = async (...messages: Message[]): Promise<string[]> => readIds(await ledger.append(threadId, messages));
  const transcript = async (branch?: string): Promise<string[]> =>
    readTexts(await ledger.transcript(threadId, branch === undefined ? {} : { branch }));
  const stateOf = async (runId: string): Promise<string> => (await ledger.run(runId)).state;

  describe("a run without a fork point", () => {
    test("has the leaf at its commit as its parent", async () => {
      await append(user("a"));
      const [one, two] = [await ledger.beginRun({ threadId }), await ledger.beginRun({ threadId })];
      await two.append(createAnswer("second run"));
      await one.append(createAnswer("first run"));
      await two.commit();
      await one.commit();
      expect(await transcript()).toStrictEqual(["a", "second run", "first run"]);
      expect([await stateOf(one.id), await stateOf(two.id)]).toStrictEqual(["committed", "committed"]);
    });
  });

  describe("a fork", () => {
    test("regenerating M3 from M2 replaces M3 and the messages after it", async () => {
      const [m1] = await append(user("M1"));
      const { messages, id: r2 } = await commitAnswer(ledger, { threadId }, "M2");
      const [m3] = await append(user("M3"));
      const { id: r4 } = await commitAnswer(ledger, { threadId }, "M4");
      const m2 = messages[0]?.id ?? "";
      const run = await ledger.beginRun({ threadId, forkFromMessageId: m2 });
      expect(await transcript()).toStrictEqual(["M1", "M2", "M3", "M4"]);
      const fork = await run.commit([user("M3'"), assistant("M4'")]);
      expect(fork.supersededRunIds).toStrictEqual([r4]);
      expect(await transcript()).toStrictEqual(["M1", "M2", "M3'", "M4'"]);
      expect(fork.messages[0]?.parentMessageId).toBe(m2);
      expect([await stateOf(r2), await stateOf(r4), await stateOf(run.id)]).toStrictEqual([
        "committed",
        "superseded",
        "committed",
      ]);
      // Nothing is deleted: the tree contains it, and selecting the branch again changes no state.
      expect(readTexts((await ledger.tree(threadId)).messages)).toStrictEqual(["M1", "M2", "M3", "M4", "M3'", "M4'"]);
      await ledger.select(threadId, m3 ?? null);
      expect(await transcript()).toStrictEqual(["M1", "M2", "M3"]);
      expect([await stateOf(r4), await stateOf(run.id)]).toStrictEqual(["superseded", "committed"]);
      expect(m1).toBeDefined();
    });

    test("the example of a branched conversation: M3' is beside M3, and no run is superseded", async () => {
      await append(user("M1"));
      const { messages } = await commitAnswer(ledger, { threadId }, "M2");
      const m2 = messages[0]?.id ?? "";
      const { id: r3, messages: original } = await commitAnswer(ledger, { threadId }, "M3");
      const branch = await commitAnswer(ledger, { threadId, forkFromMessageId: m2, mode: "branch" }, "M3'");
      expect(branch.supersededRunIds).toStrictEqual([]);
      expect([original[0]?.parentMessageId, branch.messages[0]?.parentMessageId]).toStrictEqual([m2, m2]);
      expect(await transcript()).toStrictEqual(["M1", "M2", "M3"]);
      expect(await transcript(branch.messages[0]?.id)).toStrictEqual(["M1", "M2", "M3'"]);
      expect([await stateOf(r3), await stateOf(branch.id)]).toStrictEqual(["committed", "committed"]);
      // The leaf also stays for later appends.
      await append(user("M4"));
      expect(await transcript()).toStrictEqual(["M1", "M2", "M3", "M4"]);
    });

    test("at the question replaces the first answer, and every run after it", async () => {
      const [question] = await append(user("q"));
      const first = await commitAnswer(ledger, { threadId }, "a1");
      await append(user("q2"));
      const second = await commitAnswer(ledger, { threadId }, "a2");
      const again = await commitAnswer(ledger, { threadId, forkFromMessageId: question ?? null }, "a1'");
      expect(again.supersededRunIds).toStrictEqual([first.id, second.id]);
      expect(await transcript()).toStrictEqual(["q", "a1'"]);
      const third = await commitAnswer(ledger, { threadId, forkFromMessageId: question ?? null }, "a1''");
      expect(third.supersededRunIds).toStrictEqual([again.id]);
      expect(await transcript()).toStrictEqual(["q", "a1''"]);
    });

    test("at the root replaces everything", async () => {
      const first = await commitAnswer(ledger, { threadId }, "greeting");
      const again = await commitAnswer(ledger, { threadId, forkFromMessageId: null }, "another greeting");
      expect(again.supersededRunIds).toStrictEqual([first.id]);
      expect(again.messages[0]?.parentMessageId).toBeNull();
      expect(await ledger.run(again.id)).toMatchObject({ forkFromMessageId: null, mode: "replace" });
      expect(await ledger.run(first.id)).not.toHaveProperty("forkFromMessageId");
      expect(await transcript()).toStrictEqual(["another greeting"]);
    });

    test("in the middle of a run supersedes that run", async () => {
      const run = await ledger.beginRun({ threadId });
      const { messages } = await run.commit([assistant("a"), user("b"), assistant("c")]);
      const fork = await commitAnswer(ledger, { threadId, forkFromMessageId: messages[0]?.id ?? "" }, "d");
      expect(fork.supersededRunIds).toStrictEqual([run.id]);
      expect(await transcript()).toStrictEqual(["a", "d"]);
    });

    test("from an inactive branch supersedes the active runs, and does not change that branch's own runs", async () => {
      const [root] = await append(user("root"));
      const old = await commitAnswer(ledger, { threadId }, "old");
      const active = await commitAnswer(ledger, { threadId, forkFromMessageId: root ?? null }, "active");
      expect(active.supersededRunIds).toStrictEqual([old.id]);
      const fork = await commitAnswer(ledger, { threadId, forkFromMessageId: old.messages[0]?.id ?? "" }, "on old");
      expect(fork.supersededRunIds).toStrictEqual([active.id]);
      expect(await transcript()).toStrictEqual(["root", "old", "on old"]);
      expect(await stateOf(old.id)).toBe("superseded");
    });

    test("from the leaf replaces nothing", async () => {
      const first = await commitAnswer(ledger, { threadId }, "a");
      const second = await commitAnswer(ledger, { threadId, forkFromMessageId: first.messages[0]?.id ?? "" }, "b");
      expect(second.supersededRunIds).toStrictEqual([]);
      expect(await transcript()).toStrictEqual(["a", "b"]);
    });

    test("supersedes only the committed runs of the old path, not failed or cancelled ones", async () => {
      const [question] = await append(user("q"));
      const broken = await ledger.beginRun({ threadId });
      await broken.append([startDelta, textDelta("half")]);
      const { messages } = await broken.fail("broken");
      await ledger.select(threadId, messages[0]?.id ?? null);
      const remainingRun = await commitAnswer(ledger, { threadId }, "whole");
      const again = await commitAnswer(ledger, { threadId, forkFromMessageId: question ?? null }, "other");
      expect(again.supersededRunIds).toStrictEqual([remainingRun.id]);
      expect(await stateOf(broken.id)).toBe("failed");
    });

    test("at an unknown message, or one of another thread or tenant, is rejected at once", async () => {
      const { id: other } = await ledger.createThread();
      const [foreign] = readIds(await ledger.append(other, [user("elsewhere")]));
      const tenant = ledger.forTenant("other-tenant");
      const theirs = await tenant.createThread({ id: threadId });
      const [secret] = readIds(await tenant.append(theirs.id, [user("secret")]));
      for (const forkFromMessageId of ["01HZZZZZZZZZZZZZZZZZZZZZZZ", foreign ?? "", secret ?? ""]) {
        const refused = await codeOf(ledger.beginRun({ threadId, forkFromMessageId }));
        expect(refused).toStrictEqual(["unknown-message", "forkFromMessageId"]);
      }
      expect(await ledger.runs(threadId)).toStrictEqual([]);
    });
  });
});
