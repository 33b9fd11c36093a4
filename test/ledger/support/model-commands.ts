// What may happen to a ledger, as commands that fast-check puts in any order. Targets are numbers, taken modulo what
// there is, so that every command has something to do however a failing case is shortened.
import fc, { type AsyncCommand } from "fast-check";
import { expect } from "vitest";
import type { Delta } from "../../../src/model/index.ts";
import { delta } from "../../support/deltas.ts";
import { bothSides, compareThread, LEASE_MS, outcomeOf, type Real, said, type Writer } from "./model.ts";
import type { Batch, Oracle, Where } from "./oracle.ts";
import { begin, done, piece, textsOf } from "./runs.ts";

type Command = AsyncCommand<Oracle, Real>;
type Index = 0 | 1;

/** A command: what it needs, and what it does. It gives the thread that is looked at afterwards. */
function command<Values extends object>(
  name: string,
  values: Values,
  canRun: (oracle: Readonly<Oracle>, values: Values) => boolean,
  run: (oracle: Oracle, real: Real, values: Values) => Promise<number>,
): Command {
  return {
    check: (oracle) => canRun(oracle, values),
    run: async (oracle, real) => {
      const thread = await run(oracle, real, values);
      const other: Index = "through" in values && values.through === 0 ? 1 : 0;
      // Through the ledger that did not do it, as another process would look.
      if (thread >= 0) await compareThread(oracle, real, thread, other);
    },
    toString: () => `${name} ${JSON.stringify(values)}`,
  };
}

const number = fc.nat(1_000);
const through = fc.constantFrom<Index>(0, 1);
const mode = fc.constantFrom("replace" as const, "replace" as const, "branch" as const);
/** Which message: none named, the root, or one of the thread. */
const knownPlace = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ is: "absent" } as const) },
  { weight: 1, arbitrary: fc.constant({ is: "root" } as const) },
  { weight: 5, arbitrary: fc.record({ is: fc.constant("message" as const), number }) },
);
/** Also one of another thread, or of none at all. */
const place = fc.oneof(
  { weight: 9, arbitrary: knownPlace },
  { weight: 1, arbitrary: fc.constantFrom({ is: "foreign" } as const, { is: "unknown" } as const) },
);
type PlaceChoice = { is: "absent" | "root" | "foreign" | "unknown" } | { is: "message"; number: number };
/** Whether the caller says which leaf it saw, and whether it is right. */
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

/** The choice for the oracle and for the ledger; undefined where none is named. */
function choose(
  oracle: Oracle,
  real: Real,
  thread: number,
  choice: PlaceChoice,
): { where: Where; id: string | null } | undefined {
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

/** The leaf that the caller expects, for both. */
function expected(oracle: Oracle, real: Real, thread: number, expectation: "nothing" | "right" | "wrong") {
  const { leaf, messages } = oracle.thread(thread);
  if (expectation === "nothing") return { should: {}, is: {} };
  const other = messages.find(({ text }) => text !== leaf)?.text ?? (leaf === null ? "nobody said this" : null);
  const expectedLeaf = expectation === "right" ? leaf : other;
  const id = other === "nobody said this" && expectation === "wrong" ? UNKNOWN : real.idOf(expectedLeaf);
  return { should: { expectedLeaf }, is: { expectedLeaf: id } };
}

let count = 0;
/** Texts that nobody has said before. */
const fresh = (length: number): string[] => Array.from({ length }, () => `text ${++count}`);

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
  .record({ through, at: number, length: fc.integer({ min: 1, max: 3 }), place, expecting })
  .map((values) =>
    command("append", values, hasThread, async (oracle, real) => {
      const thread = values.at % oracle.threads.length;
      const texts = fresh(values.length);
      const parent = choose(oracle, real, thread, values.place);
      const { should, is } = expected(oracle, real, thread, values.expecting);
      await bothSides(
        { real, step: "append" },
        () => oracle.append(thread, texts, { ...should, ...(parent && { parent: parent.where }) }),
        () =>
          real
            .ledger(values.through)
            .append(real.threadId(thread), said(texts), { ...is, ...(parent && { parentMessageId: parent.id }) }),
        (messages) => expect(real.learn(messages)).toStrictEqual(texts),
      );
      return thread;
    }),
  );

/** The same request again, and another one with the same key (B95). */
const appendTwice = fc.record({ through, at: number }).map((values) =>
  command("appendTwice", values, hasThread, async (oracle, real) => {
    const thread = values.at % oracle.threads.length;
    const [texts, others] = [fresh(2), fresh(1)];
    const options = { idempotencyKey: `key of ${texts.join()}` };
    const [one, other] = [real.ledger(values.through), real.ledger(values.through === 0 ? 1 : 0)];
    const messages = await one.append(real.threadId(thread), said(texts), options);
    oracle.append(thread, texts, {});
    expect(await other.append(real.threadId(thread), said(texts), options)).toStrictEqual(messages);
    const refusal = await outcomeOf(() => one.append(real.threadId(thread), said(others), options));
    expect(refusal).toStrictEqual({ code: "conflict" });
    return thread;
  }),
);

const select = fc.record({ through, at: number, place }).map((values) =>
  command("select", values, hasThread, async (oracle, real) => {
    const thread = values.at % oracle.threads.length;
    const chosen = choose(oracle, real, thread, values.place) ?? { where: null, id: null };
    await bothSides(
      { real, step: "select" },
      () => oracle.select(thread, chosen.where),
      () => real.ledger(values.through).select(real.threadId(thread), chosen.id),
      () => undefined,
    );
    return thread;
  }),
);

const beginRun = fc.record({ through, at: number, place, mode, expecting }).map((values) =>
  command("beginRun", values, hasThread, async (oracle, real) => {
    const thread = values.at % oracle.threads.length;
    const fork = choose(oracle, real, thread, values.place);
    const { should, is } = expected(oracle, real, thread, values.expecting);
    const { mode } = values;
    const input = { threadId: real.threadId(thread), mode, ...is, ...(fork && { forkFromMessageId: fork.id }) };
    await bothSides(
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
  answer: (text) => [begin, piece(text), done],
  begin: (text) => [begin, piece(text)],
  more: (text) => [piece(text)],
  end: (text) => [piece(text), done],
  error: (text) => [piece(text), delta("error", { errorCode: "overloaded" })],
  half: (text) => [begin, piece(text), begin],
};
const batch = fc.constantFrom<Batch>("answer", "answer", "begin", "begin", "more", "end", "end", "error", "half");

/** Mostly a writer that can write; now and then one whose run is over or in other hands. */
function pick(oracle: Oracle, { writers }: Real, at: number): Writer | undefined {
  const isOutdated = ({ run, epoch }: Writer): boolean => oracle.run(run).epoch !== epoch;
  const [outdated, own] = [writers.filter(isOutdated), writers.filter((writer) => !isOutdated(writer))];
  const pool = at % 4 === 0 ? outdated : own.filter(({ run }) => oracle.isLive(run) === at % 4 > 1);
  return pool[at % Math.max(pool.length, 1)];
}

/** A command of one of the writers. */
function writing<Values extends { at: number }>(
  name: string,
  run: (oracle: Oracle, real: Real, writer: Writer, values: Values) => Promise<unknown>,
): (values: Values) => Command {
  return (values) =>
    command(name, values, hasRun, async (oracle, real) => {
      const writer = pick(oracle, real, values.at);
      if (writer === undefined) return -1;
      await run(oracle, real, writer, values);
      return oracle.run(writer.run).thread;
    });
}

/** Mostly a batch that is legal at this point of the run. */
function fitting(oracle: Oracle, run: number, { at, batch: wanted }: { at: number; batch: Batch }): Batch {
  const legal: Batch[] = oracle.run(run).stream === "open" ? ["more", "end", "error"] : ["answer", "begin"];
  return at % 5 === 0 || legal.includes(wanted) ? wanted : (legal[at % legal.length] ?? wanted);
}

const stream = fc.record({ at: number, batch }).map(
  writing("stream", (oracle, real, { run, epoch, handle }, values) => {
    const [text = ""] = fresh(1);
    const chosen = fitting(oracle, run, values);
    return bothSides(
      { real, step: "stream" },
      () => oracle.stream(run, epoch, chosen, text),
      () => handle.append(DELTAS[chosen](text)),
      () => undefined,
    );
  }),
);

const commit = fc.record({ at: number, given: fc.nat(4), expecting }).map(
  writing("commit", (oracle, real, { run, epoch, handle }, values) => {
    // Mostly what was streamed.
    const given = values.given > 2 ? fresh(values.given - 2) : undefined;
    const { should, is } = expected(oracle, real, oracle.run(run).thread, values.expecting);
    return bothSides(
      { real, step: "commit" },
      () => oracle.commit(run, epoch, given, should),
      () => handle.commit(given && said(given), is),
      (committed, { texts, superseded }) => {
        expect(real.learn(committed.messages)).toStrictEqual(texts);
        expect(committed.supersededRunIds).toStrictEqual(superseded.map((index) => real.runIds[index]));
      },
    );
  }),
);

const end = fc.record({ at: number, state: fc.constantFrom("failed" as const, "cancelled" as const) }).map(
  writing("end", (oracle, real, { run, epoch, handle }, { state }) =>
    bothSides(
      { real, step: state },
      () => oracle.end(run, epoch, state),
      () => (state === "failed" ? handle.fail("broken") : handle.cancel()),
      ({ messages }, { texts }) => expect(real.learn(messages)).toStrictEqual(texts),
    ),
  ),
);

/** A whole run: the most frequent thing that happens. */
const answer = fc.record({ through, at: number, place: knownPlace, mode, given: fc.boolean() }).map((values) =>
  command("answer", values, hasThread, async (oracle, real) => {
    const thread = values.at % oracle.threads.length;
    const fork = choose(oracle, real, thread, values.place);
    const texts = fresh(1);
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
    const committed = await handle.commit(values.given ? said(texts) : undefined);
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
      expect(textsOf(messages)).toStrictEqual(oracle.run(real.runIds.indexOf(runId)).texts);
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
    await bothSides(
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

/** Each as often as it is interesting. */
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
