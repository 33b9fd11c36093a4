// Deltas of a local provider. It is code that somebody wrote: it may not heed its signal, and is then left behind.
import type { Delta, Request } from "../../model/index.ts";
import type { LocalProvider } from "../types.ts";
import { AttemptFailure } from "./failure.ts";
import { orAborted } from "./or-aborted.ts";
import type { DeltaSource } from "./reading.ts";
import type { CallScope } from "./scope.ts";

/** What a provider gives without waiting is given on together, yet not so much that nobody else gets a turn. */
const MOST_AT_ONCE = 64;

export class LocalSource implements DeltaSource {
  private readonly scope: CallScope;
  private readonly signal: AbortSignal;
  private readonly iterator: Iterator<Delta> | AsyncIterator<Delta>;
  private readonly isSync: boolean;
  private hasBegun = false;
  private isOver = false;
  /** What a provider threw after it had said something that came first. */
  private thrown: { error: unknown } | undefined;

  constructor(provider: LocalProvider, request: Request, scope: CallScope) {
    this.scope = scope;
    this.signal = scope.signal;
    const deltas: unknown = provider.answer(request, { signal: scope.signal });
    this.isSync = isObject(deltas) && Symbol.iterator in deltas;
    this.iterator = iteratorOf(deltas);
  }

  async read(): Promise<readonly Delta[] | undefined> {
    // The signal's reason says who ended it.
    if (this.signal.aborted) throw this.signal.reason;
    // Which of the two it is was found out above.
    if (this.isSync) return this.readSync(this.iterator as Iterator<Delta>);
    // Before its first delta it may take its time, as a server may before its headers.
    if (this.hasBegun) this.scope.reading();
    const result = await orAborted((this.iterator as AsyncIterator<Delta>).next(), this.signal);
    this.scope.read();
    this.hasBegun = true;
    this.isOver = result.done === true;
    return result.done === true ? undefined : [result.value];
  }

  private readSync(iterator: Iterator<Delta>): readonly Delta[] | undefined {
    const deltas: Delta[] = [];
    while (deltas.length < MOST_AT_ONCE && !this.isOver) {
      try {
        const result = iterator.next();
        if (result.done === true) this.isOver = true;
        else deltas.push(result.value);
      } catch (error) {
        this.isOver = true;
        this.thrown = { error };
      }
    }
    if (deltas.length > 0) return deltas;
    if (this.thrown !== undefined) throw this.thrown.error;
    return undefined;
  }

  finish(): void {
    this.stop();
  }

  stop(): readonly Delta[] {
    if (this.isOver) return [];
    this.isOver = true;
    void this.dismiss();
    return [];
  }

  /** A generator that waits for something ends only then. Nobody waits for it, and what it says at its end is its own. */
  private async dismiss(): Promise<void> {
    try {
      await this.iterator.return?.();
    } catch {
      // The answer has ended without it.
    }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function iteratorOf(deltas: unknown): Iterator<Delta> | AsyncIterator<Delta> {
  // What it iterates over is checked delta by delta.
  if (isObject(deltas) && Symbol.iterator in deltas) return (deltas as Iterable<Delta>)[Symbol.iterator]();
  if (isObject(deltas) && Symbol.asyncIterator in deltas)
    return (deltas as AsyncIterable<Delta>)[Symbol.asyncIterator]();
  throw new AttemptFailure({
    kind: "server",
    message: "The local provider's answer is nothing to iterate over; return deltas, or write `async *answer`",
    retryable: false,
  });
}
