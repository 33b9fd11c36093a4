// Builds the deltas that end a streamed answer, and decodes blocks that are buffered until they are complete.
import type { Delta, ErrorPayload } from "../../../model/delta.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../../model/parts.ts";
import type { ModelResponse } from "../../../model/response.ts";
import type { DecodeContext } from "../../dialect.ts";
import { DialectError } from "../../errors.ts";
import { toOpaquePart } from "../../kit/residue/opaque-parts.ts";
import { storeUnknownEvents } from "../../kit/residue/unknown-events.ts";

/**
 * Returns the `done` delta of an answer, with the finish reason and residue of `response` and with `unknownEvents` as
 * residue.
 */
export function buildDoneDelta(
  response: ModelResponse,
  unknownEvents: readonly JsonObject[],
  { dialect }: DecodeContext,
): Delta {
  storeUnknownEvents(response, dialect, unknownEvents);
  const { extra, message } = response;
  const { unified, raw } = response.finishReason;
  return {
    kind: "done",
    payload: {
      finishReason: unified,
      ...(raw !== undefined && { raw }),
      ...(extra !== undefined && { extra }),
      ...(message.extra !== undefined && { message: { extra: message.extra } }),
    },
  };
}

/**
 * Returns the delta that ends a failed answer: `reason`, with the response fields that have arrived before the failure
 * (B90).
 */
export function buildFailureDelta(
  reason: Delta,
  response: ModelResponse,
  hasStopReason: boolean,
  unknownEvents: readonly JsonObject[],
  { dialect }: DecodeContext,
): Delta {
  if (reason.kind !== "error") return reason;
  storeUnknownEvents(response, dialect, unknownEvents);
  const payload: ErrorPayload = { ...reason.payload };
  if (response.extra !== undefined) payload.extra = response.extra;
  if (hasStopReason) payload.finish = response.finishReason;
  return { kind: "error", payload };
}

/** The tool calls of all answers in one stream. */
export interface StreamCalls {
  assignId(call: ToolCallPart, dialect: string): void;
  /** Returns false if the result has no call, or if its call already has a result. */
  acceptResult(result: ToolResultPart): boolean;
}

/**
 * Decodes a complete block. It becomes an opaque part if it is malformed, or if it is a result without a call or a
 * second result of one call.
 */
export function decodeBufferedBlock(
  block: JsonObject,
  context: DecodeContext,
  calls: StreamCalls,
  decodeBlock: (block: JsonObject) => Part,
): Part {
  let part: Part;
  try {
    part = decodeBlock(block);
  } catch (error) {
    // A complete response with a malformed block is rejected. A stream is not, because the blocks before it are already
    // delivered.
    if (!(error instanceof DialectError)) throw error;
    context.pathTracker.reset();
    return toOpaquePart(block, context);
  }
  if (part.type === "tool-call") calls.assignId(part, context.dialect);
  return part.type === "tool-result" && !calls.acceptResult(part) ? toOpaquePart(block, context) : part;
}
