// Telling those who only listen. They must not fail a call that they merely hear of.

/**
 * Calls a listener, and waits for the promise that it may give. What it throws, at once or later, goes no further: the
 * answer is paid for, and nobody who asked for it can mend the listener.
 */
export async function tell(listen: () => unknown): Promise<void> {
  try {
    await listen();
  } catch {
    // The listener's own affair.
  }
}
