// Helpers that return the error of a failed call.
import { ClientError } from "../../../src/client/index.ts";
import type { AnswerStream } from "../../../src/client/index.ts";
import type { Delta } from "../../../src/index.ts";

/** Returns the error of a call; fails the test if there is none or one of another class. */
export async function errorOf(call: Promise<unknown>): Promise<ClientError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ClientError) return error;
    throw error;
  }
  throw new Error("The call did not fail.");
}

/** Reads a stream to its end. Returns its deltas and its error. */
export async function readAll(stream: AnswerStream): Promise<{ deltas: Delta[]; error?: ClientError }> {
  const deltas: Delta[] = [];
  try {
    for await (const delta of stream) deltas.push(delta);
  } catch (error) {
    if (error instanceof ClientError) return { deltas, error };
    throw error;
  }
  return { deltas };
}
