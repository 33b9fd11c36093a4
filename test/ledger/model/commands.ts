// The commands of the model test, in any order chosen by fast-check. Targets are numbers modulo the available items, so
// that every command stays valid when a failing case is shrunk.
import fc, { type AsyncCommand } from "fast-check";
import { expect } from "vitest";
import type { Delta } from "../../../src/model/index.ts";
import { delta } from "../../support/deltas.ts";
import {
  performOnBoth,
  compareThread,
  LEASE_MS,
  catchOutcome,
  type LedgerUnderTest,
  toUserMessages,
  type Writer,
} from "./ledger-and-oracle.ts";
import type { Batch, Oracle, OraclePosition } from "./oracle.ts";
import { startDelta, doneDelta, textDelta, readTexts } from "../support/runs.ts";

type Command = AsyncCommand<Oracle, LedgerUnderTest>;
type Index = 0 | 1;

/** Creates a command from its precondition and its action, which returns the thread to compare afterwards. */
function command<Values extends object>(
  name: string,
  values: Values,
  canRun: (oracle: Readonly<Oracle>, values: Values) => boolean,
  run: (oracle: Oracle, real: LedgerUnderTest, values: Values) => Promise<number>,
): Command {
  return {
    check: (oracle) => canRun(oracle, values),
    run: async (oracle, real) => {
      const thread = await run(oracle, real, values);
      const other: Index = "through" in values && values.through === 0 ? 1 : 0;
      // Read through the other ledger, like another process.
      if (thread >= 0) await compareThread(oracle, real, thread, other);
    },
    toString: () => `${name} ${JSON.stringify(values)}`,
  };
}

const number = fc.nat(1_000);
const through = fc.constantFrom<Index>(0, 1);
const mode = fc.constantFrom("replace" as const, "replace" as const, "branch" as const);
/** A parent: none, the root, or a message of the thread. */
const knownPosition = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ is: "absent" } as const) },
  { weight: 1, arbitrary: fc.constant({ is: "root" } as const) },
  { weight: 5, arbitrary: fc.record({ is: fc.constant("message" as const), number }) },
);
/** Also a message of another thread, or an unknown one. */
const position = fc.oneof(
  { weight: 9, arbitrary: knownPosition },
  { weight: 1, arbitrary: fc.constantFrom({ is: "foreign" } as const, { is: "unknown" } as const) },
);
type PositionChoice = { is: "absent" | "root" | "foreign" | "unknown" } | { is: "message"; number: number };
/** The caller's expected leaf: none, the right one, or a wrong one. */
const expecting = fc.constantFrom<"nothing" | "right" | "wrong">(
  "nothing",
  "nothing",
  "nothing",
  "nothing",
  "right",
  "wrong",
);

const UNKNOWN = "01HZZZZZZZZZZZZZZZZZZZZZZZ";
const hasThread = (oracle: Readonly<Oracle>): boolean => oracle.threads.length > 0;
const hasRun = (oracle: Readonly<Oracle>): boolean => oracle.runs.length > 0;

/** Resolves the choice for the oracle and for the ledger; undefined if none is named. */
function choose(
  oracle: Oracle,
  real: LedgerUnderTest,
  thread: number,
  choice: PositionChoice,
): { where: OraclePosition; id: string | null } | undefined {
  const { messages } = oracle.thread(thread);
  if (choice.is === "absent") return undefined;
  if (choice.is === "root") return { where: null, id: null };
  if (choice.is === "message") {
    const text = messages[choice.number % Math.max(messages.length, 1)]?.text ?? null;
    return { where: text, id: real.idOf(text) };
  }
  const [foreign] = oracle.threads.find((each) => each !== oracle.thread(thread))?.messages ?? [];
  return { where: { unknown: true }, id: choice.is === "foreign" && foreign ? real.idOf(foreign.text) : UNKNOWN };
}

/** The expected leaf, for both. */
function resolveExpectedLeaf(
  oracle: Oracle,
  real: LedgerUnderTest,
  thread: number,
  expectation: "nothing" | "right" | "wrong",
) {
  const { leaf, messages } = oracle.thread(thread);
  if (expectation === "nothing") return { should: {}, is: {} };
  const other = messages.find(({ text }) => text !== leaf)?.text ?? (leaf === null ? "unknown text" : null);
  const expectedLeaf = expectation === "right" ? leaf : other;
  const id = other === "unknown text" && expectation === "wrong" ? UNKNOWN : real.idOf(expectedLeaf);
  return { should: { expectedLeaf }, is: { expectedLeaf: id } };
}

let count = 0;
/** Texts that were not used before. */
const createTexts = (length: number): string[] => Array.from({ length }, () => `text ${++count}`);

const createThread = fc.record({ through }).map((values) =>
  command(
    "createThread",
    values,
    ({ threads }) => threads.length < 3,
    async (oracle, real) => {
      const { id } = await real.ledger(values.through).createThread();
      real.threadIds.push(id);
      oracle.createThread();
      return oracle.threads.length - 1;
    },
  ),
);

const append = fc
  .record({ through, at: number, length: fc.integer({ min: 1, max: 3 }), place: position, expecting })
  .map((values) =>
    command("append", values, hasThread, async (oracle, real) => {
      const thread = values.at % oracle.threads.length;
      const texts = createTexts(values.length);
      const parent = choose(oracle, real, thread, values.place);
      const { should, is } = resolveExpectedLeaf(oracle, real, thread, values.expecting);
      await performOnBoth(
        { real, step: "append" },
        () => oracle.append(thread, texts, { ...should, ...(parent && { parent: parent.where }) }),
        () =>
          real.ledger(values.through).append(real.threadId(thread), toUserMessages(texts), {
            ...is,
            ...(parent && { parentMessageId: parent.id }),
          }),
        (messages) => expect(real.learn(messages)).toStrictEqual(texts),
      );
      return thread;
    }),
  );

/** The same request again, and another one with the same key (B95). */
const appendTwice = fc.record({ through, at: number }).map((values) =>
  command("appendTwice", values, hasThread, async (oracle, real) => {
    const thread = values.at % oracle.threads.length;
    const [texts, others] = [createTexts(2), createTexts(1)];
    const options = { idempotencyKey: `key of ${texts.join()}` };
    const [one, other] = [real.ledger(values.through), real.ledger(values.through === 0 ? 1 : 0)];
    const messages = await one.append(real.threadId(thread), toUserMessages(texts), options);
    oracle.append(thread, texts, {});
    expect(await other.append(real.threadId(thread), toUserMessages(texts), options)).toStrictEqual(messages);
    const refusal = await catchOutcome(() => one.append(real.threadId(thread), toUserMessages(others), options));
    expect(refusal).toStrictEqual({ code: "conflict" });
    return thread;
  }),
);

const select = fc.record({ through, at: number, place: position }).map((values) =>
  command("select", values, hasThread, async (oracle, real) => {
    const thread = values.at % oracle.threads.length;
    const chosen = choose(oracle, real, thread, values.place) ?? { where: null, id: null };
    await performOnBoth(
      { real, step: "select" },
      () => oracle.select(thread, chosen.where),
      () => real.ledger(values.through).select(real.threadId(thread), chosen.id),
      () => undefined,
    );
    return thread;
  }),
);

const beginRun = fc.record({ through, at: number, place: position, mode, expecting }).map((values) =>
  command("beginRun", values, hasThread, async (oracle, real) => {
    const thread = values.at % oracle.threads.length;
    const fork = choose(oracle, real, thread, values.place);
    const { should, is } = resolveExpectedLeaf(oracle, real, thread, values.expecting);
    const { mode } = values;
    const input = { threadId: real.threadId(thread), mode, ...is, ...(fork && { forkFromMessageId: fork.id }) };
    await performOnBoth(
      { real, step: "beginRun" },
      () => oracle.beginRun(thread, { ...should, mode, ...(fork && { fork: fork.where }) }),
      () => real.ledger(values.through).beginRun(input),
      (handle) => {
        real.runIds.push(handle.id);
        real.writers.push({ run: oracle.runs.length - 1, epoch: 1, ledger: values.through, handle });
      },
    );
    return thread;
  }),
);

const DELTAS: Record<Batch, (text: string) => Delta[]> = {
  answer: (text) => [startDelta, textDelta(text), doneDelta],
  begin: (text) => [startDelta, textDelta(text)],
  more: (text) => [textDelta(text)],
  end: (text) => [textDelta(text), doneDelta],
  error: (text) => [textDelta(text), delta("error", { errorCode: "overloaded" })],
  half: (text) => [startDelta, textDelta(text), startDelta],
};
const batch = fc.constantFrom<Batch>("answer", "answer", "begin", "begin", "more", "end", "end", "error", "half");

/** Mostly a writer that can write; sometimes one whose run has ended or was taken over. */
function pick(oracle: Oracle, { writers }: LedgerUnderTest, at: number): Writer | undefined {
  const isOutdated = ({ run, epoch }: Writer): boolean => oracle.run(run).epoch !== epoch;
  const [outdated, own] = [writers.filter(isOutdated), writers.filter((writer) => !isOutdated(writer))];
  const pool = at % 4 === 0 ? outdated : own.filter(({ run }) => oracle.isLive(run) === at % 4 > 1);
  return pool[at % Math.max(pool.length, 1)];
}

/** A command of one of the writers. */
function writing<Values extends { at: number }>(
  name: string,
  run: (oracle: Oracle, real: LedgerUnderTest, writer: Writer, values: Values) => Promise<unknown>,
): (values: Values) => Command {
  return (values) =>
    command(name, values, hasRun, async (oracle, real) => {
      const writer = pick(oracle, real, values.at);
      if (writer === undefined) return -1;
      await run(oracle, real, writer, values);
      return oracle.run(writer.run).thread;
    });
}

/** Mostly a batch that is legal at this position of the run. */
function chooseLegalBatch(oracle: Oracle, run: number, { at, batch: wanted }: { at: number; batch: Batch }): Batch {
  const legal: Batch[] = oracle.run(run).stream === "open" ? ["more", "end", "error"] : ["answer", "begin"];
  return at % 5 === 0 || legal.includes(wanted) ? wanted : (legal[at % legal.length] ?? wanted);
}

const stream = fc.record({ at: number, batch }).map(
  writing("stream", (oracle, real, { run, epoch, handle }, values) => {
    const [text = ""] = createTexts(1);
    const chosen = chooseLegalBatch(oracle, run, values);
    return performOnBoth(
      { real, step: "stream" },
      () => oracle.stream(run, epoch, chosen, text),
      () => handle.append(DELTAS[chosen](text)),
      () => undefined,
    );
  }),
);

const commit = fc.record({ at: number, given: fc.nat(4), expecting }).map(
  writing("commit", (oracle, real, { run, epoch, handle }, values) => {
    // Mostly the streamed messages.
    const messages = values.given > 2 ? createTexts(values.given - 2) : undefined;
    const { should, is } = resolveExpectedLeaf(oracle, real, oracle.run(run).thread, values.expecting);
    return performOnBoth(
      { real, step: "commit" },
      () => oracle.commit(run, epoch, messages, should),
      () => handle.commit(messages && toUserMessages(messages), is),
      (committed, { texts, superseded }) => {
        expect(real.learn(committed.messages)).toStrictEqual(texts);
        expect(committed.supersededRunIds).toStrictEqual(superseded.map((index) => real.runIds[index]));
      },
    );
  }),
);

const end = fc.record({ at: number, state: fc.constantFrom("failed" as const, "cancelled" as const) }).map(
  writing("end", (oracle, real, { run, epoch, handle }, { state }) =>
    performOnBoth(
      { real, step: state },
      () => oracle.end(run, epoch, state),
      () => (state === "failed" ? handle.fail("broken") : handle.cancel()),
      ({ messages }, { texts }) => expect(real.learn(messages)).toStrictEqual(texts),
    ),
  ),
);

/** A whole run: the most frequent command. */
const answer = fc.record({ through, at: number, place: knownPosition, mode, given: fc.boolean() }).map((values) =>
  command("answer", values, hasThread, async (oracle, real) => {
    const thread = values.at % oracle.threads.length;
    const fork = choose(oracle, real, thread, values.place);
    const texts = createTexts(1);
    oracle.beginRun(thread, { mode: values.mode, ...(fork && { fork: fork.where }) });
    const run = oracle.runs.length - 1;
    const handle = await real.ledger(values.through).beginRun({
      threadId: real.threadId(thread),
      mode: values.mode,
      ...(fork && { forkFromMessageId: fork.id }),
    });
    real.runIds.push(handle.id);
    real.writers.push({ run, epoch: 1, ledger: values.through, handle });
    if (!values.given) {
      oracle.stream(run, 1, "answer", texts[0] ?? "");
      await handle.append(DELTAS.answer(texts[0] ?? ""));
    }
    const { superseded } = oracle.commit(run, 1, values.given ? texts : undefined, {});
    const committed = await handle.commit(values.given ? toUserMessages(texts) : undefined);
    expect(real.learn(committed.messages)).toStrictEqual(texts);
    expect(committed.supersededRunIds).toStrictEqual(superseded.map((index) => real.runIds[index]));
    return thread;
  }),
);

const pass = fc.record({ share: fc.constantFrom(0.4, 0.4, 1, 1.1) }).map((values) =>
  command("pass", values, hasRun, (oracle, real) => {
    real.clock.pass(LEASE_MS * values.share);
    oracle.now = real.clock.ms;
    return Promise.resolve(-1);
  }),
);

const recover = fc.record({ through, wait: fc.constantFrom(0, 0, LEASE_MS, LEASE_MS + 1) }).map((values) =>
  command("recover", values, hasRun, async (oracle, real) => {
    real.clock.pass(values.wait);
    oracle.now = real.clock.ms;
    const recovered = await real.ledger(values.through).recover();
    const lost = oracle.recover();
    expect(new Set(recovered.map(({ runId }) => runId))).toStrictEqual(new Set(lost.map((each) => real.runIds[each])));
    real.count(lost.length > 0 ? "recover: some" : "recover: none");
    for (const { runId, messages } of recovered) {
      expect(readTexts(messages)).toStrictEqual(oracle.run(real.runIds.indexOf(runId)).texts);
    }
    for (const each of lost) await compareThread(oracle, real, oracle.run(each).thread, values.through);
    return -1;
  }),
);

const resume = fc.record({ through, at: number, force: fc.constantFrom(true, true, false) }).map((values) =>
  command("resume", values, hasRun, async (oracle, real) => {
    const runs = [...oracle.runs.keys()].filter((each) => oracle.isLive(each) === values.at % 4 > 0);
    const run = runs[values.at % Math.max(runs.length, 1)];
    if (run === undefined) return -1;
    await performOnBoth(
      { real, step: "resume" },
      () => oracle.resume(run, values.force),
      () => real.ledger(values.through).resumeRun(real.runIds[run] ?? "", { force: values.force }),
      (handle) => real.writers.push({ run, epoch: oracle.run(run).epoch, ledger: values.through, handle }),
    );
    return oracle.run(run).thread;
  }),
);

const reopen = fc.record({ through }).map((values) =>
  command("reopen", values, hasThread, async (oracle, real) => {
    oracle.giveBack(real.writers.filter(({ ledger }) => ledger === values.through));
    await real.reopen(values.through);
    return -1;
  }),
);

/** Weighted by importance. */
export const COMMANDS = [
  createThread,
  append,
  append,
  appendTwice,
  select,
  answer,
  answer,
  answer,
  beginRun,
  beginRun,
  stream,
  stream,
  stream,
  stream,
  commit,
  commit,
  end,
  pass,
  recover,
  resume,
  reopen,
];
