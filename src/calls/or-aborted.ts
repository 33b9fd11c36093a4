// Abortable waiting for promises of code that may ignore its signal.

/** Settles as the promise does, or rejects with the signal's reason if it aborts first; the promise is then abandoned. */
export function orAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const settled = (): void => signal.removeEventListener("abort", abort);
    const abort = (): void => {
      settled();
      // An abort reason can be any value.
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      reject(signal.reason);
    };
    // Attached even after an abort: an unhandled rejection would end the process.
    promise.then(
      (value) => {
        settled();
        resolve(value);
      },
      (error: unknown) => {
        settled();
        // A rejection can have any value.
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        reject(error);
      },
    );
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
  });
}
