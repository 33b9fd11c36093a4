// Tests the transitions of runs: every cell of the table, and the same through the ledger's methods.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LedgerError } from "../../../src/ledger/errors.ts";
import { RUN_STATES, type RunState } from "../../../src/ledger/store/rows.ts";
import {
  RUN_STEPS,
  requireTransition,
  TRANSITIONS,
  type RunStep,
  type Transition,
} from "../../../src/ledger/runs/transitions.ts";
import type { EndResult, Ledger, Run } from "../../../src/ledger/types.ts";
import { requireError } from "../../support/require-error.ts";
import { commitAnswer, createAnswer, startDelta, readTexts } from "../support/runs.ts";
import { STORES, type OpenLedger } from "../support/stores.ts";

const ILLEGAL = "illegal-transition";
/** append, commit, fail, cancel, supersede, resume, recover. */
const EXPECTED: Record<RunState, Transition[]> = {
  created: ["streaming", "committed", "failed", "cancelled", ILLEGAL, "created", "failed"],
  streaming: ["streaming", "committed", "failed", "cancelled", ILLEGAL, "streaming", "failed"],
  committed: [ILLEGAL, "same", "conflict", "conflict", "superseded", ILLEGAL, "same"],
  failed: [ILLEGAL, "conflict", "same", "conflict", ILLEGAL, ILLEGAL, "same"],
  cancelled: [ILLEGAL, "conflict", "conflict", "same", ILLEGAL, ILLEGAL, "same"],
  superseded: [ILLEGAL, "same", "conflict", "conflict", "same", ILLEGAL, "same"],
};
const CELLS = RUN_STATES.flatMap((state) =>
  RUN_STEPS.map((step, index): [RunState, RunStep, Transition] => [state, step, EXPECTED[state][index] ?? "same"]),
);

describe("the table", () => {
  test("has a cell for every state and step", () => {
    expect(CELLS).toHaveLength(RUN_STATES.length * 7);
    expect(Object.values(TRANSITIONS).map((row) => Object.keys(row).sort())).toStrictEqual(
      RUN_STATES.map(() => [...RUN_STEPS].sort()),
    );
  });

  test.each(CELLS)("a run that is %s, on %s: %s", (state, step, expected) => {
    const run = { id: "01HZZZZZZZZZZZZZZZZZZZZZZZ", state };
    if (expected !== "conflict" && expected !== ILLEGAL) expect(requireTransition(run, step)).toBe(expected);
    else expect(requireError(LedgerError, () => requireTransition(run, step)).code).toBe(expected);
  });
});

/** Creates a run in each state, with one message if it was committed. */
const REACH: Record<RunState, (ledger: Ledger, threadId: string) => Promise<Run>> = {
  created: (ledger, threadId) => ledger.beginRun({ threadId }),
  streaming: async (ledger, threadId) => {
    const run = await ledger.beginRun({ threadId });
    await run.append(createAnswer("a"));
    return run;
  },
  committed: async (ledger, threadId) => {
    const run = await REACH.streaming(ledger, threadId);
    await run.commit();
    return run;
  },
  failed: async (ledger, threadId) => {
    const run = await REACH.streaming(ledger, threadId);
    await run.fail("broken");
    return run;
  },
  cancelled: async (ledger, threadId) => {
    const run = await REACH.streaming(ledger, threadId);
    await run.cancel();
    return run;
  },
  superseded: async (ledger, threadId) => {
    const run = await REACH.committed(ledger, threadId);
    await commitAnswer(ledger, { threadId, forkFromMessageId: null }, "b");
    return run;
  },
};

const STEPS: Partial<Record<RunStep, (run: Run) => Promise<unknown>>> = {
  append: (run) => run.append(run.info.state === "streaming" ? [startDelta] : createAnswer("more")),
  commit: (run) => run.commit([{ role: "assistant", parts: [{ type: "text", text: "given" }] }]),
  fail: (run) => run.fail("again"),
  cancel: (run) => run.cancel(),
};
const TRIED = CELLS.filter(([, step]) => step in STEPS);

describe.each(STORES)("through a ledger: $name", (store) => {
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

  test.each(TRIED)("a run that is %s, on %s: %s", async (state, step, expected) => {
    const run = await REACH[state](ledger, threadId);
    expect((await ledger.run(run.id)).state).toBe(state);
    const outcome = await STEPS[step]?.(run).then(
      () => "done",
      (error: unknown) => (error instanceof LedgerError ? error.code : error),
    );
    const isRefused = expected === "conflict" || expected === ILLEGAL;
    expect(outcome).toBe(isRefused ? expected : "done");
    const after = isRefused || expected === "same" ? state : expected;
    expect((await ledger.run(run.id)).state).toBe(after);
    expect(run.info.state).toBe(state === "superseded" ? "committed" : after);
  });

  test("a repeated commit returns the same messages and superseded runs", async () => {
    const first = await commitAnswer(ledger, { threadId }, "one");
    const input = { threadId, forkFromMessageId: null, idempotencyKey: "k" };
    const run = await ledger.beginRun(input);
    await run.append(createAnswer("two"));
    const committed = await run.commit();
    expect(committed.supersededRunIds).toStrictEqual([first.id]);
    expect(await run.commit()).toStrictEqual(committed);
    // Another process must read the store, also if the run was superseded meanwhile.
    await commitAnswer(ledger, { threadId, forkFromMessageId: null }, "three");
    const other = await opened.another();
    const attached = await other.beginRun(input);
    expect(attached.attached).toBe(true);
    expect(await attached.commit()).toStrictEqual(committed);
    await other.close();
  });

  test.each(["fail", "cancel"] as const)("a repeated %s returns the same messages", async (step) => {
    const input = { threadId, idempotencyKey: "k" };
    const run = await ledger.beginRun(input);
    await run.append(createAnswer("half").slice(0, 2));
    const end = (ended: Run): Promise<EndResult> => (step === "fail" ? ended.fail("why") : ended.cancel());
    const ended = await end(run);
    expect(readTexts(ended.messages)).toStrictEqual(["half"]);
    expect(await end(run)).toStrictEqual(ended);
    expect(await end(await ledger.beginRun(input))).toStrictEqual(ended);
    expect((await ledger.tree(threadId)).messages).toStrictEqual(ended.messages);
  });
});
