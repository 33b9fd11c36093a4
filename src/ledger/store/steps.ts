// Runs transactions, which are written once for synchronous stores (memory, SQLite) and asynchronous stores (Postgres).
// A transaction is a generator that yields only promises. A synchronous store returns no promises, so it runs a
// transaction without interruption.

/** A value or a promise of it. */
export type Awaitable<T> = T | PromiseLike<T>;

/** A transaction as a generator: it yields promises, receives their values, and returns a T. */
export type Steps<T> = Generator<PromiseLike<unknown>, T, unknown>;

/** True if a value is an object with a `then` method. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** Returns the value, after waiting for it if it is a promise: `const row = yield* wait(tx.message(…))`. */
export function* wait<T>(value: Awaitable<T>): Steps<T> {
  // The cast is safe, because `runRest` passes the resolved value of the yielded promise.
  return isPromise(value) ? ((yield value) as T) : value;
}

/** Applies `map` to a value, or to the result of a promise. Creates no promise for a plain value. */
export function mapAwaitable<T, R>(value: Awaitable<T>, map: (value: T) => R): Awaitable<R> {
  return isPromise(value) ? value.then(map) : map(value);
}

/** Runs a transaction of a synchronous store. Throws if the transaction yields a promise. */
export function runSync<T>(steps: Steps<T>): T {
  const step = steps.next();
  if (step.done === true) return step.value;
  throw new TypeError("A synchronous store returned a promise.");
}

/** Runs a transaction of any store. Returns a promise only if the transaction yields one. */
export function runSyncOrAsync<T>(steps: Steps<T>): Awaitable<T> {
  const step = steps.next();
  return step.done === true ? step.value : runRest(steps, step);
}

/** Runs a transaction of any store and always returns a promise. */
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
