// Calls listeners such as `onAttempt` or a log function, whose failures must not fail the call.

/**
 * Calls a listener and waits for its promise. Exceptions and rejections are ignored, because the answer is already paid
 * for and the caller of the model cannot repair the listener.
 */
export async function notifyListener(listener: () => unknown): Promise<void> {
  try {
    await listener();
  } catch {
    // The failure of a listener is ignored, because it must not fail the call.
  }
}
