// Holds the state of a translation: the decoded source, and the columns that the worker has returned. It does not use
// React.
import type { DialectId } from "koine";
import type {
  EngineResponse,
  EngineRequest,
  CodeSample,
  CodeOptions,
  TranslatedColumn,
  EngineClient,
  ReadFailure,
  ReadResult,
  TranslationSource,
  ColumnTarget,
} from "./types.ts";

export interface TranslatorState {
  /** State of the source; "idle" if there is no source. */
  status: "idle" | "reading" | "ready" | "failed";
  reading: ReadResult | undefined;
  failure: ReadFailure | undefined;
  columns: ReadonlyMap<DialectId, TranslatedColumn>;
  codes: readonly CodeSample[] | undefined;
  /** Reason why no code could be generated; undefined if code was generated or is not requested yet. */
  codeFailure: string | undefined;
}

const INITIAL_TRANSLATOR: TranslatorState = {
  status: "idle",
  reading: undefined,
  failure: undefined,
  columns: new Map(),
  codes: undefined,
  codeFailure: undefined,
};

/**
 * Time after which a worker is replaced if it is still busy with an earlier source. A busy worker does not receive the
 * new source.
 */
const WORKER_RESTART_MS = 500;

type StartEngine = (onAnswer: (answered: EngineResponse) => void, onFailure: (message: string) => void) => EngineClient;

export class Translator {
  #state: TranslatorState = INITIAL_TRANSLATOR;
  readonly #listeners = new Set<() => void>();
  readonly #start: StartEngine;
  #engine: EngineClient | undefined;
  #sourceNumber = 0;
  #targets: readonly ColumnTarget[] = [];
  /** Targets that were sent to the worker since the current source was set, by dialect; they are not sent again. */
  #requested = new Map<DialectId, ColumnTarget>();
  /**
   * Name of the current source, which the caller of `setSource` chooses. An edited source keeps its name: its results
   * stay shown until the new results arrive. A source with another name removes the shown results at once.
   */
  #name: string | undefined;
  /** Number of requests to which the worker has not responded yet. */
  #pendingResponses = 0;
  /**
   * True once this worker has responded to any request; before that, the worker may still be loading and is not
   * replaced.
   */
  #hasResponded = false;
  #restartTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(start: StartEngine) {
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

  /** Starts the worker, if it does not run. Loading the worker is the only network access of a translation. */
  startWorker(): void {
    this.#engine ??= this.#start(
      (answered) => this.#handleResponse(answered),
      (message) => this.#show({ ...INITIAL_TRANSLATOR, status: "failed", failure: { message } }),
    );
  }

  /**
   * Sets the source; undefined removes it. If the new source has the name of the current one, the shown results stay
   * until the worker has read the new source; otherwise they are removed at once.
   */
  setSource(source: TranslationSource | undefined, name = ""): void {
    this.#sourceNumber++;
    this.#requested = new Map();
    clearTimeout(this.#restartTimer);
    const isOther = name !== this.#name;
    this.#name = name;
    if (source === undefined) return this.#show(INITIAL_TRANSLATOR);
    this.startWorker();
    this.#show({ ...(isOther && INITIAL_TRANSLATOR), status: "reading" });
    const turn = this.#sourceNumber;
    if (this.#hasResponded && this.#pendingResponses > 0)
      this.#restartTimer = setTimeout(() => this.#restartWorker({ type: "read", turn, source }), WORKER_RESTART_MS);
    this.#send({ type: "read", turn, source });
  }

  /** True if the current source, which is shown or being read, has another name than `name`. */
  hasOtherName(name: string): boolean {
    return this.#name !== name;
  }

  #send(request: EngineRequest): void {
    this.#pendingResponses++;
    this.#engine?.send(request);
  }

  /** Replaces a worker that is busy with an earlier source, and sends the request to the new worker. */
  #restartWorker(request: EngineRequest): void {
    this.#engine?.close();
    this.#engine = undefined;
    this.#hasResponded = false;
    this.#pendingResponses = 0;
    this.startWorker();
    this.#send(request);
  }

  /**
   * Sets the columns to show, and requests the translations of those that have none. Columns that were already shown
   * keep their translations.
   */
  setTargets(targets: readonly ColumnTarget[]): void {
    this.#targets = targets;
    const remaining = [...this.#state.columns].filter(([id]) => targets.some(({ dialect }) => dialect === id));
    if (remaining.length < this.#state.columns.size) this.#show({ columns: new Map(remaining) });
    if (this.#state.status === "ready") this.#requestColumns();
  }

  /**
   * Requests code for the shown source. If the view shows only a part of a conversation, `source` is the whole
   * conversation, and the code is generated for it.
   */
  requestCode(options: CodeOptions, source?: TranslationSource): void {
    this.#show({ codes: undefined, codeFailure: undefined });
    this.#send({ type: "code", turn: this.#sourceNumber, options, ...(source !== undefined && { source }) });
  }

  close(): void {
    clearTimeout(this.#restartTimer);
    this.#hasResponded = false;
    this.#pendingResponses = 0;
    this.#engine?.close();
    this.#engine = undefined;
    this.#sourceNumber++;
  }

  #requestColumns(): void {
    for (const target of this.#targets) {
      if (areSameTargets(this.#requested.get(target.dialect), target)) continue;
      this.#requested.set(target.dialect, target);
      this.#send({ type: "encode", turn: this.#sourceNumber, target });
    }
  }

  #handleResponse(response: EngineResponse): void {
    this.#hasResponded = true;
    // "begun": the worker has started to read a source. If it is the current source, the worker has dropped all earlier
    // requests, so only the response to this read is still pending.
    if (response.type === "begun") {
      if (response.turn === this.#sourceNumber) {
        clearTimeout(this.#restartTimer);
        this.#pendingResponses = 1;
      }
      return;
    }
    this.#pendingResponses = Math.max(0, this.#pendingResponses - 1);
    // A response to a request of an earlier source is ignored.
    if (response.turn !== this.#sourceNumber) return;
    switch (response.type) {
      case "read":
        this.#show({ ...INITIAL_TRANSLATOR, status: "ready", reading: response.reading });
        this.#requestColumns();
        break;
      case "unread":
        this.#show({ ...INITIAL_TRANSLATOR, status: "failed", failure: response.failure });
        break;
      case "column":
        this.#addColumn(response.column);
        break;
      case "code":
        this.#show({ codes: response.codes, codeFailure: response.failure });
        break;
    }
  }

  #addColumn(column: TranslatedColumn): void {
    const { dialect } = column.target;
    const requested = this.#targets.find((target) => target.dialect === dialect);
    if (!areSameTargets(requested, column.target)) return;
    this.#show({ columns: new Map(this.#state.columns).set(dialect, column) });
  }
}

function areSameTargets(one: ColumnTarget | undefined, other: ColumnTarget): boolean {
  return one !== undefined && one.dialect === other.dialect && one.model === other.model && one.vendor === other.vendor;
}
