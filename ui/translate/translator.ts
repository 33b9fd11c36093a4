// One source in several dialects, as it comes to be: what was read, and the columns that have arrived. Framework-free.
import type { DialectId } from "koine";
import type { Answered, Asked, Code, CodeWish, Column, Engine, ReadFailure, Reading, Source, Target } from "./types.ts";

export interface TranslatorState {
  /** "idle": there is nothing to read. */
  status: "idle" | "reading" | "ready" | "failed";
  reading: Reading | undefined;
  failure: ReadFailure | undefined;
  columns: ReadonlyMap<DialectId, Column>;
  codes: readonly Code[] | undefined;
  /** Why there is no code. */
  codeFailure: string | undefined;
}

const IDLE: TranslatorState = {
  status: "idle",
  reading: undefined,
  failure: undefined,
  columns: new Map(),
  codes: undefined,
  codeFailure: undefined,
};

/** How long a new source waits for an old job. A worker hears nothing while it works: it is ended, and another begun. */
const PATIENCE = 500;

type Start = (onAnswer: (answered: Answered) => void, onFailure: (message: string) => void) => Engine;

export class Translator {
  #state: TranslatorState = IDLE;
  readonly #listeners = new Set<() => void>();
  readonly #start: Start;
  #engine: Engine | undefined;
  #turn = 0;
  #targets: readonly Target[] = [];
  /** Targets by dialect, as they were asked for in this turn. */
  #asked = new Map<DialectId, Target>();
  /** What is looked at, by a name: what is shown of something else goes at once. */
  #name: string | undefined;
  /** How many answers are owed. */
  #owed = 0;
  /** It has said something: one that is still being loaded is not at an old job. */
  #isUp = false;
  #waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(start: Start) {
    this.#start = start;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
  readonly getSnapshot = (): TranslatorState => this.#state;

  #show(change: Partial<TranslatorState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  /** Loads the engine before it is needed: from then on nothing is asked of the network. */
  begin(): void {
    this.#engine ??= this.#start(
      (answered) => this.#take(answered),
      (message) => this.#show({ ...IDLE, status: "failed", failure: { message } }),
    );
  }

  /**
   * What to read; undefined for nothing. Of what has the same name, what was shown stays until it has been read; of
   * something else it goes at once, so that nothing stands under a name that is not its own.
   */
  setSource(source: Source | undefined, name = ""): void {
    this.#turn++;
    this.#asked = new Map();
    clearTimeout(this.#waiting);
    const isOther = name !== this.#name;
    this.#name = name;
    if (source === undefined) return this.#show(IDLE);
    this.begin();
    this.#show({ ...(isOther && IDLE), status: "reading" });
    const turn = this.#turn;
    if (this.#isUp && this.#owed > 0)
      this.#waiting = setTimeout(() => this.#beginAnew({ type: "read", turn, source }), PATIENCE);
    this.#ask({ type: "read", turn, source });
  }

  /** Whether what is shown, or being read, has another name. */
  isOther(name: string): boolean {
    return this.#name !== name;
  }

  #ask(asked: Asked): void {
    this.#owed++;
    this.#engine?.ask(asked);
  }

  /** Ends a job that nobody waits for any more. */
  #beginAnew(asked: Asked): void {
    this.#engine?.close();
    this.#engine = undefined;
    this.#isUp = false;
    this.#owed = 0;
    this.begin();
    this.#ask(asked);
  }

  /** The columns that are wanted. Those that are there already stay. */
  setTargets(targets: readonly Target[]): void {
    this.#targets = targets;
    const kept = [...this.#state.columns].filter(([id]) => targets.some(({ dialect }) => dialect === id));
    if (kept.length < this.#state.columns.size) this.#show({ columns: new Map(kept) });
    if (this.#state.status === "ready") this.#askForColumns();
  }

  /** Code of what is shown, or of the whole that it is a part of. */
  askForCode(wish: CodeWish, source?: Source): void {
    this.#show({ codes: undefined, codeFailure: undefined });
    this.#ask({ type: "code", turn: this.#turn, wish, ...(source !== undefined && { source }) });
  }

  close(): void {
    clearTimeout(this.#waiting);
    this.#isUp = false;
    this.#owed = 0;
    this.#engine?.close();
    this.#engine = undefined;
    this.#turn++;
  }

  #askForColumns(): void {
    for (const target of this.#targets) {
      if (isSame(this.#asked.get(target.dialect), target)) continue;
      this.#asked.set(target.dialect, target);
      this.#ask({ type: "encode", turn: this.#turn, target });
    }
  }

  #take(answered: Answered): void {
    this.#isUp = true;
    // From here on it works for the last source: what was asked before is left undone.
    if (answered.type === "begun") {
      if (answered.turn === this.#turn) {
        clearTimeout(this.#waiting);
        this.#owed = 1;
      }
      return;
    }
    this.#owed = Math.max(0, this.#owed - 1);
    // An answer to what nobody asks any more.
    if (answered.turn !== this.#turn) return;
    switch (answered.type) {
      case "read":
        this.#show({ ...IDLE, status: "ready", reading: answered.reading });
        this.#askForColumns();
        break;
      case "unread":
        this.#show({ ...IDLE, status: "failed", failure: answered.failure });
        break;
      case "column":
        this.#takeColumn(answered.column);
        break;
      case "code":
        this.#show({ codes: answered.codes, codeFailure: answered.failure });
        break;
    }
  }

  #takeColumn(column: Column): void {
    const { dialect } = column.target;
    const wanted = this.#targets.find((target) => target.dialect === dialect);
    if (!isSame(wanted, column.target)) return;
    this.#show({ columns: new Map(this.#state.columns).set(dialect, column) });
  }
}

function isSame(one: Target | undefined, other: Target): boolean {
  return one !== undefined && one.dialect === other.dialect && one.model === other.model && one.vendor === other.vendor;
}
