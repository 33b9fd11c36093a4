// The log lines of all writers of one database, in the order of arrival.
import type { OperationFault, WriterLogLine, Operation, OperationKind, OperationResult } from "../writer/writer-log.ts";

/**
 * The outcome of an attempt. "done": acknowledged, so its effect must be visible. "refused": failed without effect.
 * "maybe": no response, or one that leaves it open.
 */
export type AttemptOutcome = "done" | "refused" | "maybe";

export interface Attempt {
  /** The operation's name; a retry has the same. */
  name: string;
  /** The position among all attempts of the database. */
  at: number;
  /** The number of the worker. */
  worker: number;
  what: Operation;
  result?: OperationResult;
  fault?: OperationFault;
}

export function readOutcome({ result, fault }: Attempt): AttemptOutcome {
  if (result !== undefined) return "done";
  return fault === undefined || fault.outcome === "unknown" ? "maybe" : "refused";
}

/** An attempt of one kind of operation. */
export type AttemptOf<Kind extends OperationKind> = Attempt & { what: Extract<Operation, { kind: Kind }> };

export function isOperationKind<Kind extends OperationKind>(
  attempt: Attempt,
  ...kinds: Kind[]
): attempt is AttemptOf<Kind> {
  return (kinds as OperationKind[]).includes(attempt.what.kind);
}

export class WriterHistory {
  readonly attempts: Attempt[] = [];
  readonly #open = new Map<string, Attempt>();
  readonly #byThread = new Map<string, Attempt[]>();
  readonly #byName = new Map<string, Attempt[]>();

  take(worker: number, line: WriterLogLine): void {
    if (line.at === "intent") return this.#begin(worker, line.operation, line.what);
    if (line.at !== "done" && line.at !== "fault") return;
    const attempt = this.#open.get(`${worker} ${line.operation}`);
    if (attempt === undefined) throw new Error(`An answer to ${line.operation} without an intent.`);
    if (line.at === "done") attempt.result = line.result;
    else attempt.fault = line.fault;
  }

  #begin(worker: number, name: string, what: Operation): void {
    const attempt: Attempt = { name, at: this.attempts.length, worker, what };
    this.attempts.push(attempt);
    this.#open.set(`${worker} ${name}`, attempt);
    if ("threadId" in what) pushTo(this.#byThread, what.threadId, attempt);
    pushTo(this.#byName, name, attempt);
  }

  inThread(threadId: string): readonly Attempt[] {
    return this.#byThread.get(threadId) ?? [];
  }

  named(name: string): readonly Attempt[] {
    return this.#byName.get(name) ?? [];
  }
}

export function pushTo<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
