// Transactions written once for synchronous stores (memory, SQLite) and asynchronous ones (Postgres). A transaction is
// a generator that yields only promises: a synchronous store runs it without interruption and without creating a
// promise.

/** A value or a promise of it. */
export type Awaitable<T> = T | PromiseLike<T>;

/** The steps of a transaction that returns a T. It yields promises and receives their values. */
export type Steps<T> = Generator<PromiseLike<unknown>, T, unknown>;

/** True for any thenable. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** Returns the value, after waiting for it if it is a promise: `const row = yield* wait(tx.message(…))`. */
export function* wait<T>(value: Awaitable<T>): Steps<T> {
  // The runner passes the resolved value of the yielded promise.
  return isPromise(value) ? ((yield value) as T) : value;
}

/** Applies a function to the value; creates no promise if the value is not one. */
export function mapAwaitable<T, R>(value: Awaitable<T>, map: (value: T) => R): Awaitable<R> {
  return isPromise(value) ? value.then(map) : map(value);
}

/** Runs the steps of a synchronous store. */
export function runSync<T>(steps: Steps<T>): T {
  const step = steps.next();
  if (step.done === true) return step.value;
  throw new TypeError("A synchronous store returned a promise.");
}

/** Runs the steps of any store: synchronously if nothing needs to be awaited. */
export function runSyncOrAsync<T>(steps: Steps<T>): Awaitable<T> {
  const step = steps.next();
  return step.done === true ? step.value : runRest(steps, step);
}

/** Runs the steps of any store and returns a promise. */
export async function runAsync<T>(steps: Steps<T>): Promise<T> {
  return runRest(steps, steps.next());
}

async function runRest<T>(steps: Steps<T>, first: IteratorResult<PromiseLike<unknown>, T>): Promise<T> {
  let step = first;
  while (step.done !== true) {
    let value: unknown;
    try {
      value = await step.value;
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(value);
  }
  return step.value;
}
