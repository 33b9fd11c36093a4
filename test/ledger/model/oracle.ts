// The oracle: a minimal implementation of the ledger's rules with lists and paths, without a store and ids. Messages
// are identified by their texts, runs by their numbers. Every method returns the expected result, or throws the allowed
// error codes.
import type { LedgerErrorCode } from "../../../src/ledger/errors.ts";
import type { RunMode, RunState } from "../../../src/ledger/store/rows.ts";

/** An error that the rules require. */
export class OracleError {
  readonly codes: readonly LedgerErrorCode[];

  constructor(...codes: LedgerErrorCode[]) {
    this.codes = codes;
  }
}

export interface OracleMessage {
  text: string;
  parent: string | null;
  run: number | null;
  interrupted: boolean;
}

export interface OracleThread {
  messages: OracleMessage[];
  leaf: string | null;
}

export interface OracleRun {
  thread: number;
  state: RunState;
  mode: RunMode;
  /** undefined if it follows the active leaf. */
  fork: string | null | undefined;
  epoch: number;
  leaseUntil: number;
  /** The streamed batches, and how the last of them ended. */
  answers: string[];
  stream: "nothing" | "open" | "done" | "error";
  /** The result. */
  texts: string[];
  superseded: number[];
}

/** The deltas of one batch; `half` begins legally and continues with an illegal delta. */
export type Batch = "answer" | "begin" | "more" | "end" | "error" | "half";

/** A position in a thread as a caller names it: a text, the root, or a message that the thread does not have. */
export type OraclePosition = string | null | { unknown: true };

export interface LeafExpectation {
  expectedLeaf?: string | null;
}

export class Oracle {
  readonly leaseMs: number;
  readonly threads: OracleThread[] = [];
  readonly runs: OracleRun[] = [];
  now = 0;

  constructor(leaseMs: number) {
    this.leaseMs = leaseMs;
  }

  createThread(): void {
    this.threads.push({ messages: [], leaf: null });
  }

  thread(index: number): OracleThread {
    const thread = this.threads[index];
    if (thread === undefined) throw new Error(`There is no thread ${index}.`);
    return thread;
  }

  run(index: number): OracleRun {
    const run = this.runs[index];
    if (run === undefined) throw new Error(`There is no run ${index}.`);
    return run;
  }

  isLive(index: number): boolean {
    const { state } = this.run(index);
    return state === "created" || state === "streaming";
  }

  /** Returns the path from the root to the message. */
  path(thread: number, leaf: string | null): OracleMessage[] {
    const path: OracleMessage[] = [];
    for (let next = leaf; next !== null;) {
      const message = this.thread(thread).messages.find(({ text }) => text === next);
      if (message === undefined) throw new Error(`There is no message ${next}.`);
      path.unshift(message);
      next = message.parent;
    }
    return path;
  }

  append(
    thread: number,
    texts: string[],
    { parent, expectedLeaf }: LeafExpectation & { parent?: OraclePosition },
  ): string[] {
    const { leaf } = this.thread(thread);
    this.#expect(thread, expectedLeaf);
    const above = parent === undefined ? leaf : this.#place(parent);
    this.#insert(thread, texts, above, null, false);
    this.thread(thread).leaf = texts.at(-1) ?? null;
    return texts;
  }

  select(thread: number, where: OraclePosition): void {
    this.thread(thread).leaf = this.#place(where);
  }

  beginRun(
    thread: number,
    { fork, mode, expectedLeaf }: LeafExpectation & { fork?: OraclePosition; mode: RunMode },
  ): void {
    this.#expect(thread, expectedLeaf);
    const leaseUntil = this.now + this.leaseMs;
    const nothing = { answers: [], stream: "nothing", texts: [], superseded: [] } as const;
    const point = fork === undefined ? undefined : this.#place(fork);
    const rest = { answers: [...nothing.answers], texts: [], superseded: [], stream: nothing.stream };
    this.runs.push({ thread, state: "created", mode, fork: point, epoch: 1, leaseUntil, ...rest });
  }

  /** Appends a batch of deltas by the writer with this epoch. */
  stream(index: number, epoch: number, batch: Batch, text: string): void {
    const run = this.run(index);
    // An outdated writer receives "fenced", unless its own check fails first.
    if (run.epoch !== epoch) throw new OracleError("fenced", "invalid-input");
    if (!this.isLive(index)) throw new OracleError("illegal-transition");
    const begins = batch === "answer" || batch === "begin";
    const isLegal = begins ? run.stream === "nothing" || run.stream === "done" : run.stream === "open";
    if (batch === "half" || !isLegal) throw new OracleError("invalid-input");
    run.state = "streaming";
    run.leaseUntil = this.now + this.leaseMs;
    if (begins) run.answers.push("");
    run.answers.push(`${run.answers.pop() ?? ""}${text}`);
    run.stream = batch === "error" ? "error" : batch === "answer" || batch === "end" ? "done" : "open";
  }

  commit(index: number, epoch: number, given: string[] | undefined, { expectedLeaf }: LeafExpectation): OracleRun {
    const run = this.run(index);
    if (run.epoch !== epoch) throw new OracleError("fenced", ...(given === undefined ? (["conflict"] as const) : []));
    if (run.state === "committed" || run.state === "superseded") return run;
    if (!this.isLive(index)) throw new OracleError("conflict");
    if (given === undefined && run.stream !== "done") throw new OracleError("conflict");
    this.#expect(run.thread, expectedLeaf);
    const thread = this.thread(run.thread);
    const parent = run.fork === undefined ? thread.leaf : run.fork;
    const before = this.path(run.thread, thread.leaf);
    run.texts = given ?? run.answers;
    this.#insert(run.thread, run.texts, parent, index, false);
    if (run.mode === "replace") {
      thread.leaf = run.texts.at(-1) ?? parent;
      const after = new Set(this.path(run.thread, thread.leaf));
      const left = new Set(before.filter((message) => !after.has(message)).map((message) => message.run));
      run.superseded = [...this.runs.keys()].filter((each) => left.has(each) && this.run(each).state === "committed");
      for (const each of run.superseded) this.run(each).state = "superseded";
    }
    run.state = "committed";
    return run;
  }

  end(index: number, epoch: number, state: "failed" | "cancelled"): OracleRun {
    const run = this.run(index);
    if (run.epoch !== epoch) throw new OracleError("fenced");
    if (run.state === state) return run;
    if (!this.isLive(index)) throw new OracleError("conflict");
    this.#interrupt(index, state);
    return run;
  }

  /** Returns the recovered runs. */
  recover(): number[] {
    const lost = [...this.runs.keys()].filter((each) => this.isLive(each) && this.run(each).leaseUntil < this.now);
    for (const each of lost) {
      this.#interrupt(each, "failed");
      this.run(each).epoch++;
    }
    return lost;
  }

  resume(index: number, force: boolean): void {
    const run = this.run(index);
    if (!this.isLive(index)) throw new OracleError("illegal-transition");
    if (!force && run.leaseUntil >= this.now) throw new OracleError("conflict");
    run.epoch++;
    run.leaseUntil = this.now + this.leaseMs;
  }

  /** Closes a ledger: its writers give up their leases. */
  giveBack(writers: readonly { run: number; epoch: number }[]): void {
    for (const { run, epoch } of writers) {
      if (this.run(run).epoch === epoch) this.run(run).leaseUntil = 0;
    }
  }

  #interrupt(index: number, state: "failed" | "cancelled"): void {
    const run = this.run(index);
    const parent = run.fork === undefined ? this.thread(run.thread).leaf : run.fork;
    run.texts = run.answers;
    this.#insert(run.thread, run.texts, parent, index, true);
    run.state = state;
  }

  #insert(thread: number, texts: string[], above: string | null, run: number | null, interrupted: boolean): void {
    let parent = above;
    for (const text of texts) {
      this.thread(thread).messages.push({ text, parent, run, interrupted });
      parent = text;
    }
  }

  #expect(thread: number, expectedLeaf: string | null | undefined): void {
    if (expectedLeaf !== undefined && expectedLeaf !== this.thread(thread).leaf) throw new OracleError("conflict");
  }

  #place(where: OraclePosition): string | null {
    if (where !== null && typeof where === "object") throw new OracleError("unknown-message");
    return where;
  }
}
