// Calls listeners such as `onAttempt` or a log function, whose failures must not fail the call.

/**
 * Calls a listener and waits for its promise. Exceptions and rejections are ignored: the answer is already paid for, and
 * the caller of the model cannot repair the listener.
 */
export async function notifyListener(listener: () => unknown): Promise<void> {
  try {
    await listener();
  } catch {
    // Ignored, as documented above.
  }
}
