// One source in several dialects, as it comes to be: what was read, and the columns that have arrived. Framework-free.
import type { DialectId } from "koine";
import type { Engine } from "./engine-client.ts";
import type { Answered, Code, CodeWish, Column, ReadFailure, Reading, Source, Target } from "./types.ts";

export interface TranslatorState {
  /** "idle": there is nothing to read. */
  status: "idle" | "reading" | "ready" | "failed";
  reading: Reading | undefined;
  failure: ReadFailure | undefined;
  columns: ReadonlyMap<DialectId, Column>;
  codes: readonly Code[] | undefined;
}

const IDLE: TranslatorState = {
  status: "idle",
  reading: undefined,
  failure: undefined,
  columns: new Map(),
  codes: undefined,
};

type Start = (onAnswer: (answered: Answered) => void, onFailure: (message: string) => void) => Engine;

export class Translator {
  private state: TranslatorState = IDLE;
  private readonly listeners = new Set<() => void>();
  private readonly start: Start;
  private engine: Engine | undefined;
  private turn = 0;
  private targets: readonly Target[] = [];
  /** Targets by dialect, as they were asked for in this turn. */
  private asked = new Map<DialectId, Target>();

  constructor(start: Start) {
    this.start = start;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };
  readonly getSnapshot = (): TranslatorState => this.state;

  private show(change: Partial<TranslatorState>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }

  /** Loads the engine before it is needed: from then on nothing is asked of the network. */
  begin(): void {
    this.engine ??= this.start(
      (answered) => this.take(answered),
      (message) => this.show({ ...IDLE, status: "failed", failure: { message } }),
    );
  }

  /** What to read; undefined for nothing. What was shown stays until something else has been read. */
  setSource(source: Source | undefined): void {
    this.turn++;
    this.asked = new Map();
    if (source === undefined) return this.show(IDLE);
    this.begin();
    this.show({ status: "reading" });
    this.engine?.ask({ type: "read", turn: this.turn, source });
  }

  /** The columns that are wanted. Those that are there already stay. */
  setTargets(targets: readonly Target[]): void {
    this.targets = targets;
    const kept = [...this.state.columns].filter(([id]) => targets.some(({ dialect }) => dialect === id));
    if (kept.length < this.state.columns.size) this.show({ columns: new Map(kept) });
    if (this.state.status === "ready") this.askForColumns();
  }

  askForCode(wish: CodeWish): void {
    this.show({ codes: undefined });
    this.engine?.ask({ type: "code", turn: this.turn, wish });
  }

  close(): void {
    this.engine?.close();
    this.engine = undefined;
    this.turn++;
  }

  private askForColumns(): void {
    for (const target of this.targets) {
      if (isSame(this.asked.get(target.dialect), target)) continue;
      this.asked.set(target.dialect, target);
      this.engine?.ask({ type: "encode", turn: this.turn, target });
    }
  }

  private take(answered: Answered): void {
    // An answer to what nobody asks any more.
    if (answered.turn !== this.turn) return;
    switch (answered.type) {
      case "read":
        this.show({ ...IDLE, status: "ready", reading: answered.reading });
        this.askForColumns();
        break;
      case "unread":
        this.show({ ...IDLE, status: "failed", failure: answered.failure });
        break;
      case "column":
        this.takeColumn(answered.column);
        break;
      case "code":
        this.show({ codes: answered.codes });
        break;
    }
  }

  private takeColumn(column: Column): void {
    const { dialect } = column.target;
    const wanted = this.targets.find((target) => target.dialect === dialect);
    if (!isSame(wanted, column.target)) return;
    this.show({ columns: new Map(this.state.columns).set(dialect, column) });
  }
}

function isSame(one: Target | undefined, other: Target): boolean {
  return one !== undefined && one.dialect === other.dialect && one.model === other.model && one.vendor === other.vendor;
}
