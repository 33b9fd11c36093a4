// Returns the error of a step, for tests that check more than `toThrow` does.

/** Returns the error of the class that a step throws; throws if the step throws another error or none. */
export function requireError<E extends Error>(kind: abstract new (...args: never[]) => E, step: () => unknown): E {
  try {
    step();
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}
