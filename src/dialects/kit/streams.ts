// What stream codecs of every dialect share: how a stream that breaks off reads, and how texts are cut.
import type { Delta, StartPayload } from "../../model/delta.ts";
import { CONTRACT_VERSION } from "../../model/delta.ts";

/** The delta that begins an answer; decoders add what they know. */
export function startDelta(payload: Omit<StartPayload, "contractVersion">): Delta {
  return { kind: "start", payload: { ...payload, contractVersion: CONTRACT_VERSION } };
}

/** The input has ended before the answer did (B73). */
export function truncated(): Delta {
  return {
    kind: "error",
    payload: {
      errorCode: "truncated",
      message: "The stream ended before the answer did; what came is a part of it.",
      retryable: true,
    },
  };
}

/** Half a character that waits for its other half. */
export interface Held {
  held?: string;
}

/**
 * The text that may go out now: a character that two deltas share goes out with the second (B50). What is held at the
 * end of the part is still to be said.
 */
export function wholeCharacters(state: Held, text: string): string {
  const { held } = state;
  if (held === undefined && (text.charCodeAt(text.length - 1) & 0xfc00) !== 0xd800) return text;
  const joined = (held ?? "") + text;
  const isHalf = (joined.charCodeAt(joined.length - 1) & 0xfc00) === 0xd800;
  if (isHalf) {
    state.held = joined.slice(-1);
    return joined.slice(0, -1);
  }
  delete state.held;
  return joined;
}
