// Waits for a promise of code that may ignore its abort signal.

/**
 * Returns a promise that settles as `promise` does, or rejects with the reason of the signal if the signal is aborted
 * first. The result of `promise` is then ignored.
 */
export function orAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const settled = (): void => signal.removeEventListener("abort", abort);
    const abort = (): void => {
      settled();
      // The reason of an abort signal can be any value, so the rejection may not be an `Error`.
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      reject(signal.reason);
    };
    // The handlers are attached even after an abort, because an unhandled rejection would end the process.
    promise.then(
      (value) => {
        settled();
        resolve(value);
      },
      (error: unknown) => {
        settled();
        // The promise can reject with any value, so the rejection may not be an `Error`.
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        reject(error);
      },
    );
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
  });
}
