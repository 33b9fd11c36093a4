// What a ledger should do, in the most obvious way: lists and paths, no store, no ids. Messages are known by their
// texts, runs by their numbers. Every method gives what should come of it, or throws the codes that it may be refused
// with.
import type { LedgerErrorCode } from "../../../src/ledger/errors.ts";
import type { RunMode, RunState } from "../../../src/ledger/rows.ts";

/** A refusal that the rules ask for. */
export class Refused {
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
  /** undefined: it chains. */
  fork: string | null | undefined;
  epoch: number;
  leaseUntil: number;
  /** What was streamed, and how the last of it ended. */
  answers: string[];
  stream: "nothing" | "open" | "done" | "error";
  /** What it came to. */
  texts: string[];
  superseded: number[];
}

/** Deltas in one batch; `half` begins well and goes on with a delta that is illegal. */
export type Batch = "answer" | "begin" | "more" | "end" | "error" | "half";

/** A place in a thread as a caller names it: a text, the root, or a message that the thread does not have. */
export type Where = string | null | { unknown: true };

export interface Expecting {
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

  /** From the root to the message. */
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

  append(thread: number, texts: string[], { parent, expectedLeaf }: Expecting & { parent?: Where }): string[] {
    const { leaf } = this.thread(thread);
    this.#expect(thread, expectedLeaf);
    const above = parent === undefined ? leaf : this.#place(parent);
    this.#insert(thread, texts, above, null, false);
    this.thread(thread).leaf = texts.at(-1) ?? null;
    return texts;
  }

  select(thread: number, where: Where): void {
    this.thread(thread).leaf = this.#place(where);
  }

  beginRun(thread: number, { fork, mode, expectedLeaf }: Expecting & { fork?: Where; mode: RunMode }): void {
    this.#expect(thread, expectedLeaf);
    const leaseUntil = this.now + this.leaseMs;
    const nothing = { answers: [], stream: "nothing", texts: [], superseded: [] } as const;
    const point = fork === undefined ? undefined : this.#place(fork);
    const rest = { answers: [...nothing.answers], texts: [], superseded: [], stream: nothing.stream };
    this.runs.push({ thread, state: "created", mode, fork: point, epoch: 1, leaseUntil, ...rest });
  }

  /** A batch of deltas of the writer that has this epoch. */
  stream(index: number, epoch: number, batch: Batch, text: string): void {
    const run = this.run(index);
    // A writer that is outdated hears of it, unless it sees something wrong by itself.
    if (run.epoch !== epoch) throw new Refused("fenced", "invalid-input");
    if (!this.isLive(index)) throw new Refused("illegal-transition");
    const begins = batch === "answer" || batch === "begin";
    const isLegal = begins ? run.stream === "nothing" || run.stream === "done" : run.stream === "open";
    if (batch === "half" || !isLegal) throw new Refused("invalid-input");
    run.state = "streaming";
    run.leaseUntil = this.now + this.leaseMs;
    if (begins) run.answers.push("");
    run.answers.push(`${run.answers.pop() ?? ""}${text}`);
    run.stream = batch === "error" ? "error" : batch === "answer" || batch === "end" ? "done" : "open";
  }

  commit(index: number, epoch: number, given: string[] | undefined, { expectedLeaf }: Expecting): OracleRun {
    const run = this.run(index);
    if (run.epoch !== epoch) throw new Refused("fenced", ...(given === undefined ? (["conflict"] as const) : []));
    if (run.state === "committed" || run.state === "superseded") return run;
    if (!this.isLive(index)) throw new Refused("conflict");
    if (given === undefined && run.stream !== "done") throw new Refused("conflict");
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
    if (run.epoch !== epoch) throw new Refused("fenced");
    if (run.state === state) return run;
    if (!this.isLive(index)) throw new Refused("conflict");
    this.#interrupt(index, state);
    return run;
  }

  /** The runs that were ended. */
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
    if (!this.isLive(index)) throw new Refused("illegal-transition");
    if (!force && run.leaseUntil >= this.now) throw new Refused("conflict");
    run.epoch++;
    run.leaseUntil = this.now + this.leaseMs;
  }

  /** A ledger is closed: its writers give their leases back. */
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
    if (expectedLeaf !== undefined && expectedLeaf !== this.thread(thread).leaf) throw new Refused("conflict");
  }

  #place(where: Where): string | null {
    if (where !== null && typeof where === "object") throw new Refused("unknown-message");
    return where;
  }
}
