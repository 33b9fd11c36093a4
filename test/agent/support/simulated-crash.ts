// Simulates the death of a process: from a chosen step on, no operation on its ledger has an effect.
import type { Ledger, Run } from "../../../src/ledger/index.ts";
import type { Delta, MessageDelta } from "../../../src/model/index.ts";

const NEVER = new Promise<never>(() => undefined);

/** The recorded operations, and the moment of the death. */
export class Fate {
  /** All operations in order, such as "run.mergeMetadata" or "append". */
  readonly steps: string[] = [];
  /** The calls whose results are durable. */
  readonly acknowledged = new Set<string>();
  readonly died: Promise<void>;
  readonly #die: () => void;
  readonly #at: number;
  readonly #isAfter: boolean;

  /** The process dies before or after its `at`-th operation. */
  constructor(at: number, moment: "before" | "after") {
    this.#at = at;
    this.#isAfter = moment === "after";
    const { promise, resolve } = Promise.withResolvers<void>();
    this.died = promise;
    this.#die = resolve;
  }

  async step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const index = this.steps.push(name) - 1;
    const isLast = index === this.#at;
    if (index > this.#at || (isLast && !this.#isAfter)) {
      this.#die();
      return NEVER;
    }
    const result = await work();
    if (!isLast) return result;
    this.#die();
    return NEVER;
  }
}

function resultIds(deltas: readonly (Delta | MessageDelta)[]): string[] {
  return deltas.flatMap((each) =>
    each.kind === "part" && each.payload.value.type === "tool-result" ? [each.payload.value.toolCallId] : [],
  );
}

function mortalRun(run: Run, fate: Fate): Run {
  const mortal: Partial<Run> = {
    append: (deltas) =>
      fate.step("run.append", async () => {
        await run.append(deltas);
        for (const id of resultIds(deltas)) fate.acknowledged.add(id);
      }),
    push: (deltas) => void fate.step("run.push", () => run.push(deltas)),
    mergeMetadata: (facts) => fate.step("run.note", () => run.mergeMetadata(facts)),
    commit: (...given) => fate.step("run.commit", () => run.commit(...given)),
    fail: (error) => fate.step("run.fail", () => run.fail(error)),
    cancel: () => fate.step("run.cancel", () => run.cancel()),
  };
  return new Proxy(run, {
    get: (target, name) => Reflect.get(name in mortal ? mortal : target, name) as unknown,
  });
}

/** Wraps the ledger of such a process. Reads do not count because they have no effect. */
export function mortalLedger(ledger: Ledger, fate: Fate): Ledger {
  const mortal: Partial<Ledger> = {
    createThread: (thread) => fate.step("createThread", () => ledger.createThread(thread)),
    append: (...given) => fate.step("append", () => ledger.append(...given)),
    beginRun: (run) => fate.step("beginRun", async () => mortalRun(await ledger.beginRun(run), fate)),
    resumeRun: (...given) => fate.step("resumeRun", async () => mortalRun(await ledger.resumeRun(...given), fate)),
  };
  return new Proxy(ledger, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in mortal ? mortal : target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
