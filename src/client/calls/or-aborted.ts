// Waiting for code that may not heed a signal.

/** What the promise gives, or the signal's reason where that comes first; the promise is then left behind. */
export function orAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const settled = (): void => signal.removeEventListener("abort", abort);
    const abort = (): void => {
      settled();
      // The reason is the caller's own, whatever it is.
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      reject(signal.reason);
    };
    // Heard in any case: what fails with nobody listening ends a process.
    promise.then(
      (value) => {
        settled();
        resolve(value);
      },
      (error: unknown) => {
        settled();
        // Whatever it was.
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        reject(error);
      },
    );
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
  });
}
