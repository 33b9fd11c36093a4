// Watches the threads of a tenant: each change as it happens, the same one of a thread at most once in a while. Whoever is
// slow to read is told everything once; whoever does not read at all is left behind.
import { LedgerError } from "../errors.ts";
import { whenClosed } from "../follow/index.ts";
import type { Scope } from "../scope.ts";
import type { ThreadChange, WatchOptions } from "./types.ts";

/** How long the same change of a thread is not told again. */
const GATHER_MS = 250;
/** The most that waits for one reader. */
const MOST = 10_000;

/** Resolves when it has begun: everything after that is told. */
export async function watch(scope: Scope, { signal }: WatchOptions = {}): Promise<AsyncIterableIterator<ThreadChange>> {
  const watching = new Watching();
  const unwatch = await scope.store.watchThreads(scope.tenant, (changes) => watching.tell(changes));
  const leave = (): void => watching.end();
  const closed = (): void =>
    watching.fail(new LedgerError("closed", "The ledger was closed; open it again and watch on."));
  const stay = whenClosed(scope.store, closed);
  signal?.addEventListener("abort", leave, { once: true });
  watching.onEnd = () => {
    unwatch();
    stay();
    signal?.removeEventListener("abort", leave);
  };
  if (signal?.aborted === true) leave();
  return watching;
}

type Result = IteratorResult<ThreadChange, void>;

class Watching implements AsyncIterableIterator<ThreadChange, void> {
  onEnd: () => void = () => undefined;
  /** What the reader may have now, and what must wait; each change of a thread once. */
  readonly #ready = new Map<string, ThreadChange>();
  readonly #waiting = new Map<string, ThreadChange>();
  #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;
  #reading: Promise<unknown> = Promise.resolve();
  #isOver = false;
  #error: LedgerError | undefined;

  [Symbol.asyncIterator](): this {
    return this;
  }

  tell(changes: readonly ThreadChange[]): void {
    if (this.#isOver) return;
    for (const change of changes) putLast(this.#waiting, change);
    if (this.#timer === undefined) this.#release();
    if (this.#ready.size <= MOST && this.#waiting.size <= MOST) return;
    const message = "More has happened than is kept for a reader; read the list of threads, and watch anew.";
    this.fail(new LedgerError("busy", message));
  }

  /** One after the other, however many are asked for at once. */
  next(): Promise<Result> {
    const next = this.#reading.then(() => this.#next());
    this.#reading = next.catch(() => undefined);
    return next;
  }

  async #next(): Promise<Result> {
    while (this.#ready.size === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    if (this.#error !== undefined) throw this.#error;
    const [first] = this.#ready;
    if (this.#isOver || first === undefined) return { done: true, value: undefined };
    this.#ready.delete(first[0]);
    return { done: false, value: first[1] };
  }

  async return(): Promise<Result> {
    this.end();
    return { done: true, value: undefined };
  }

  fail(error: LedgerError): void {
    if (!this.#isOver) this.#error = error;
    this.end();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#ready.clear();
    this.#waiting.clear();
    this.onEnd();
    this.#wake?.();
  }

  /** Gives what waits, and lets what follows wait for a while. */
  #release(): void {
    for (const change of this.#waiting.values()) putLast(this.#ready, change);
    this.#waiting.clear();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#waiting.size > 0) this.#release();
    }, GATHER_MS).unref();
    this.#wake?.();
  }
}

/** What takes the other back. */
const OPPOSITES: Partial<Record<ThreadChange["change"], ThreadChange["change"]>> = {
  created: "deleted",
  deleted: "created",
};

/** The last word of a thread comes last: one that was deleted and made again is there. */
function putLast(changes: Map<string, ThreadChange>, { threadId, change }: ThreadChange): void {
  const opposite = OPPOSITES[change];
  if (opposite !== undefined) changes.delete(`${opposite} ${threadId}`);
  changes.delete(`${change} ${threadId}`);
  changes.set(`${change} ${threadId}`, { threadId, change });
}
