// Deltas of a local provider. It is code that somebody wrote: it may not heed its signal, and is then left behind.
import type { Delta, ModelRequest } from "../../model/index.ts";
import { isObject, kindOf } from "../../model/kind.ts";
import { nextTurn } from "../effects.ts";
import type { LocalProvider, Timeouts } from "../types.ts";
import { AttemptFailure } from "./failure.ts";
import { orAborted } from "./or-aborted.ts";
import type { DeltaSource } from "./reading.ts";
import type { CallScope } from "./scope.ts";

/** What a provider gives without waiting is given on together, yet not so much that nobody else gets a turn. */
const MOST_AT_ONCE = 64;
/** So many deltas, or so long, and everybody else gets one: a provider that never waits would let no limit act. */
const MOST_IN_A_ROW = 1024;
const LONGEST_MS = 10;

export class LocalSource implements DeltaSource {
  readonly #scope: CallScope;
  readonly #signal: AbortSignal;
  readonly #iterator: Iterator<Delta> | AsyncIterator<Delta>;
  readonly #isSync: boolean;
  readonly #replyMs: number;
  #hasBegun = false;
  #isOver = false;
  /** What a provider threw after it had said something that came first. */
  #thrown: { error: unknown } | undefined;
  /** How many deltas were read since everybody else had a turn, and when that was. */
  #inRow = 0;
  #turnAt: number;

  constructor(
    provider: LocalProvider,
    request: ModelRequest,
    scope: CallScope,
    { replyMs }: Pick<Timeouts, "replyMs">,
  ) {
    this.#scope = scope;
    this.#signal = scope.signal;
    this.#replyMs = replyMs;
    this.#turnAt = scope.now();
    const deltas: unknown = provider.answer(request, { signal: scope.signal });
    this.#isSync = isIterable(deltas, Symbol.iterator);
    this.#iterator = iteratorOf(deltas);
  }

  async read(): Promise<readonly Delta[] | undefined> {
    if (this.#inRow >= MOST_IN_A_ROW || this.#isLong()) await this.#giveTurn();
    // The signal's reason says who ended it.
    if (this.#signal.aborted) throw this.#signal.reason;
    // Which of the two it is was found out above.
    return this.#isSync
      ? this.#readSync(this.#iterator as Iterator<Delta>)
      : this.#readAsync(this.#iterator as AsyncIterator<Delta>);
  }

  /** Signals and limits act between turns of the event loop. */
  async #giveTurn(): Promise<void> {
    await nextTurn();
    this.#inRow = 0;
    this.#turnAt = this.#scope.now();
  }

  #isLong(): boolean {
    return this.#scope.now() - this.#turnAt >= LONGEST_MS;
  }

  async #readAsync(iterator: AsyncIterator<Delta>): Promise<readonly Delta[] | undefined> {
    // Before its first delta it may take its time, as a server may before its headers.
    if (this.#hasBegun) this.#scope.reading();
    else this.#scope.awaitReply(this.#replyMs);
    const result = await orAborted(iterator.next(), this.#signal);
    if (this.#hasBegun) this.#scope.read();
    else this.#scope.resetSilence();
    this.#hasBegun = true;
    this.#isOver = result.done === true;
    this.#inRow += 1;
    return result.done === true ? undefined : [checkedDelta(result.value)];
  }

  #readSync(iterator: Iterator<Delta>): readonly Delta[] | undefined {
    const deltas: Delta[] = [];
    while (deltas.length < MOST_AT_ONCE && !this.#isOver) {
      try {
        const result = iterator.next();
        if (result.done === true) this.#isOver = true;
        else deltas.push(checkedDelta(result.value));
      } catch (error) {
        this.#thrown = { error };
        // It may be its delta that is wrong: then it is still there to be left.
        this.stop();
      }
      if (this.#isLong()) break;
    }
    this.#inRow += deltas.length;
    if (deltas.length > 0) return deltas;
    if (this.#thrown !== undefined) throw this.#thrown.error;
    return undefined;
  }

  finish(): void {
    this.stop();
  }

  stop(): readonly Delta[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    void this.#dismiss();
    return [];
  }

  /** A generator that waits for something ends only then. Nobody waits for it, and what it says at its end is its own. */
  async #dismiss(): Promise<void> {
    try {
      await this.#iterator.return?.();
    } catch {
      // The answer has ended without it.
    }
  }
}

/** It is somebody's own code, perhaps without types. */
function checkedDelta(delta: unknown): Delta {
  if (isObject(delta) && typeof delta["kind"] === "string" && isObject(delta["payload"]))
    return delta as unknown as Delta;
  throw mistake(`The local provider gave ${kindOf(delta)} that is no delta: a delta has a kind and a payload`);
}

function mistake(message: string): AttemptFailure {
  return new AttemptFailure({ kind: "server", message, retryable: false });
}

function isIterable(deltas: unknown, how: typeof Symbol.iterator | typeof Symbol.asyncIterator): boolean {
  return typeof deltas === "object" && deltas !== null && how in deltas;
}

function iteratorOf(deltas: unknown): Iterator<Delta> | AsyncIterator<Delta> {
  // What it iterates over is checked delta by delta.
  if (isIterable(deltas, Symbol.iterator)) return (deltas as Iterable<Delta>)[Symbol.iterator]();
  if (isIterable(deltas, Symbol.asyncIterator)) return (deltas as AsyncIterable<Delta>)[Symbol.asyncIterator]();
  throw mistake("The local provider's answer is nothing to iterate over; return deltas, or write `async *answer`");
}
