// What a step throws, for tests that look at an error more closely than `toThrow` does.

/** The error of a class that a step throws; a test fails where it throws another one or none. */
export function requireError<E extends Error>(kind: abstract new (...args: never[]) => E, step: () => unknown): E {
  try {
    step();
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}
