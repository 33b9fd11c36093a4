// Work on a store, written once for stores that answer at once (memory, SQLite) and stores that answer later
// (Postgres). Work is a generator that yields only what it has to wait for: a synchronous store runs it in one go, so
// that no other work comes between and no promise is made.

/** A value, now or later. */
export type Awaitable<T> = T | PromiseLike<T>;

/** Work that gives a T. It yields promises, and is given what they came to. */
export type Steps<T> = Generator<PromiseLike<unknown>, T, unknown>;

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** `const row = yield* got(tx.message(…))`: the value, waited for where need be. */
export function* got<T>(value: Awaitable<T>): Steps<T> {
  // The runner sends back what the yielded promise came to.
  return isPromise(value) ? ((yield value) as T) : value;
}

/** The value with a function applied, without a promise where none is needed. */
export function mapAwaitable<T, R>(value: Awaitable<T>, map: (value: T) => R): Awaitable<R> {
  return isPromise(value) ? value.then(map) : map(value);
}

/** Runs work of a store that answers at once. */
export function runNow<T>(steps: Steps<T>): T {
  const step = steps.next();
  if (step.done === true) return step.value;
  throw new TypeError("A store that answers at once returned a promise.");
}

/** Runs work of any store: at once where nothing has to be waited for. */
export function runMixed<T>(steps: Steps<T>): Awaitable<T> {
  const step = steps.next();
  return step.done === true ? step.value : runRest(steps, step);
}

/** Runs work of any store. */
export async function runLater<T>(steps: Steps<T>): Promise<T> {
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
