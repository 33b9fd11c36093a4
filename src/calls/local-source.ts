// Reads the deltas of a local provider. The provider is the caller's code and may ignore its signal; the call then ends
// without waiting for the provider.
import type { Delta, ModelRequest } from "../model/index.ts";
import { isObject, describeKind } from "../model/value-kind.ts";
import type { DeltaSource } from "./answer-reader.ts";
import { AttemptFailure } from "./attempt-failure.ts";
import type { CallScope } from "./call-scope.ts";
import { nextEventLoopTurn } from "./effects.ts";
import { orAborted } from "./or-aborted.ts";
import type { LocalProvider, Timeouts } from "./types.ts";

/** The largest number of deltas in one batch of a synchronous provider. */
const MAX_BATCH_DELTAS = 64;
/**
 * After `MAX_DELTAS_PER_TURN` deltas or `MAX_TURN_MS` milliseconds, the source waits for a turn of the event loop.
 * Without that turn, no time limit or signal could end a synchronous provider.
 */
const MAX_DELTAS_PER_TURN = 1024;
const MAX_TURN_MS = 10;

export class LocalDeltaSource implements DeltaSource {
  readonly #scope: CallScope;
  readonly #signal: AbortSignal;
  readonly #iterator: Iterator<Delta> | AsyncIterator<Delta>;
  readonly #isSync: boolean;
  readonly #replyMs: number;
  #hasBegun = false;
  #isOver = false;
  /** An exception of the provider; it is thrown once the deltas before it have been returned. */
  #thrown: { error: unknown } | undefined;
  /** The number of deltas since the last turn of the event loop. `#turnStartedAt` is the time of that turn. */
  #deltasInTurn = 0;
  #turnStartedAt: number;

  constructor(
    provider: LocalProvider,
    request: ModelRequest,
    scope: CallScope,
    { replyMs }: Pick<Timeouts, "replyMs">,
  ) {
    this.#scope = scope;
    this.#signal = scope.signal;
    this.#replyMs = replyMs;
    this.#turnStartedAt = scope.now();
    const deltas: unknown = provider.answer(request, { signal: scope.signal });
    this.#isSync = isIterable(deltas, Symbol.iterator);
    this.#iterator = openIterator(deltas);
  }

  async read(): Promise<readonly Delta[] | undefined> {
    if (this.#deltasInTurn >= MAX_DELTAS_PER_TURN || this.#isTurnLong()) await this.#yieldTurn();
    if (this.#signal.aborted) throw this.#signal.reason;
    return this.#isSync
      ? this.#readSync(this.#iterator as Iterator<Delta>)
      : this.#readAsync(this.#iterator as AsyncIterator<Delta>);
  }

  async #yieldTurn(): Promise<void> {
    await nextEventLoopTurn();
    this.#deltasInTurn = 0;
    this.#turnStartedAt = this.#scope.now();
  }

  #isTurnLong(): boolean {
    return this.#scope.now() - this.#turnStartedAt >= MAX_TURN_MS;
  }

  async #readAsync(iterator: AsyncIterator<Delta>): Promise<readonly Delta[] | undefined> {
    // The wait for the first delta is limited by `replyMs`, like the wait for the headers of a server.
    if (this.#hasBegun) this.#scope.startSilence();
    else this.#scope.awaitReply(this.#replyMs);
    const result = await orAborted(iterator.next(), this.#signal);
    if (this.#hasBegun) this.#scope.endSilence();
    else this.#scope.resetSilence();
    this.#hasBegun = true;
    this.#isOver = result.done === true;
    this.#deltasInTurn += 1;
    return result.done === true ? undefined : [assertDelta(result.value)];
  }

  #readSync(iterator: Iterator<Delta>): readonly Delta[] | undefined {
    const deltas: Delta[] = [];
    while (deltas.length < MAX_BATCH_DELTAS && !this.#isOver) {
      try {
        const result = iterator.next();
        if (result.done === true) this.#isOver = true;
        else deltas.push(assertDelta(result.value));
      } catch (error) {
        this.#thrown = { error };
        // If the exception is that of `assertDelta`, which rejects an invalid delta, the iterator is still open and
        // must be closed.
        this.stop();
      }
      if (this.#isTurnLong()) break;
    }
    this.#deltasInTurn += deltas.length;
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
    void this.#closeIterator();
    return [];
  }

  /**
   * Closes the iterator. Callers do not await this, because `return` of an async generator settles only after the
   * promise that the generator is waiting for.
   */
  async #closeIterator(): Promise<void> {
    try {
      await this.#iterator.return?.();
    } catch {
      // An exception of the iterator is ignored, because the answer has already ended.
    }
  }
}

/**
 * Returns the value as a delta. Throws if it is not a delta, because a provider may be written without static types.
 */
function assertDelta(delta: unknown): Delta {
  if (isObject(delta) && typeof delta["kind"] === "string" && isObject(delta["payload"]))
    return delta as unknown as Delta;
  throw providerMistake(`The local provider yielded ${describeKind(delta)}; a delta has a kind and a payload`);
}

function providerMistake(message: string): AttemptFailure {
  return new AttemptFailure({ kind: "server", message, retryable: false });
}

function isIterable(deltas: unknown, symbol: typeof Symbol.iterator | typeof Symbol.asyncIterator): boolean {
  return typeof deltas === "object" && deltas !== null && symbol in deltas;
}

function openIterator(deltas: unknown): Iterator<Delta> | AsyncIterator<Delta> {
  // The casts are safe, because `assertDelta` checks each value that the iterator yields.
  if (isIterable(deltas, Symbol.iterator)) return (deltas as Iterable<Delta>)[Symbol.iterator]();
  if (isIterable(deltas, Symbol.asyncIterator)) return (deltas as AsyncIterable<Delta>)[Symbol.asyncIterator]();
  throw providerMistake("The local provider returned no iterable; return deltas, or write `async *answer`");
}
