// Creates the deltas that start an answer or end it with an error, for stream decoders, and a context whose loss report
// is discarded, for stream encoders.
import type { Delta, StartPayload } from "../../../model/delta.ts";
import { CONTRACT_VERSION } from "../../../model/delta.ts";
import type { ProviderError } from "../../../model/provider-error.ts";
import { isRetryable } from "../../../model/provider-error.ts";
import type { EncodeContext } from "../../dialect.ts";
import { PathTracker } from "../fields/path-tracker.ts";

/** Returns the delta that starts an answer. */
export function createStartDelta(payload: Omit<StartPayload, "contractVersion">): Delta {
  return { kind: "start", payload: { ...payload, contractVersion: CONTRACT_VERSION } };
}

type ErrorDelta = Extract<Delta, { kind: "error" }>;

/** Returns the error delta for a stream that ended before the answer was complete (B73). */
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

/** Returns the error delta for an error that the provider reported (B72). */
export function createErrorDelta(error: ProviderError): ErrorDelta {
  const { kind, ...rest } = error;
  return { kind: "error", payload: { errorCode: kind, retryable: isRetryable(error), ...rest } };
}

/**
 * Returns a copy of the context with a separate path and loss report, for parts that are encoded before the answer is
 * complete. That report is discarded, because the losses are reported once, from the complete answer.
 */
export function withDetachedReport<Code extends string>(context: EncodeContext<Code>): EncodeContext<Code> {
  const pathTracker = new PathTracker();
  return { ...context, pathTracker, report: context.report.createEmpty(pathTracker) };
}
