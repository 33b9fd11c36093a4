// The deltas that begin or fail an answer, for the stream decoders of every dialect, and the detached report of their
// encoders.
import type { Delta, StartPayload } from "../../../model/delta.ts";
import { CONTRACT_VERSION } from "../../../model/delta.ts";
import type { ProviderError } from "../../../model/provider-error.ts";
import { isRetryable } from "../../../model/provider-error.ts";
import type { EncodeContext } from "../../dialect.ts";
import { PathTracker } from "../fields/path-tracker.ts";

/** Returns the delta that begins an answer. */
export function createStartDelta(payload: Omit<StartPayload, "contractVersion">): Delta {
  return { kind: "start", payload: { ...payload, contractVersion: CONTRACT_VERSION } };
}

type ErrorDelta = Extract<Delta, { kind: "error" }>;

/** Returns the error of an input that ended before its answer did (B73). */
export function createTruncatedDelta(): ErrorDelta {
  return {
    kind: "error",
    payload: {
      errorCode: "truncated",
      message: "The stream ended before the answer was complete.",
      retryable: true,
    },
  };
}

/** Returns the delta of an error that the provider reported (B72). */
export function createErrorDelta(error: ProviderError): ErrorDelta {
  const { kind, ...rest } = error;
  return { kind: "error", payload: { errorCode: kind, retryable: isRetryable(error), ...rest } };
}

/**
 * Returns a context with its own path and report, for parts of an answer that are emitted before all of it is known.
 * Their report is discarded: losses are reported once, from the finished answer.
 */
export function withDetachedReport<Code extends string>(context: EncodeContext<Code>): EncodeContext<Code> {
  const pathTracker = new PathTracker();
  return { ...context, pathTracker, report: context.report.createEmpty(pathTracker) };
}
