// The errors of calls, for tests that look at them more closely.
import { ClientError } from "../../../src/client/index.ts";
import type { AnswerStream } from "../../../src/client/index.ts";
import type { Delta } from "../../../src/index.ts";

/** The error of a call; a test fails where there is none, or another. */
export async function errorOf(call: Promise<unknown>): Promise<ClientError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ClientError) return error;
    throw error;
  }
  throw new Error("The call did not fail.");
}

/** Everything that a stream gives, and what it throws. */
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
