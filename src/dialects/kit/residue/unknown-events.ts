// Stores stream events that the protocol does not define (B43) as residue of the answer or of the part that they belong
// to, and reads them for the stream encoder, which writes them again.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { copyExtra, mergeExtra } from "../../../model/merge-extra.ts";
import type { WithExtra } from "../../../model/parts.ts";
import type { ModelResponse } from "../../../model/response.ts";
import type { EncodeContext } from "../../dialect.ts";
import { isObject, unknownFields } from "../fields/read-wire.ts";
import { EVENTS_KEY } from "./residue.ts";

/** Appends unknown events to the residue of an answer or part. */
export function storeUnknownEvents(target: WithExtra, dialect: string, events: readonly JsonValue[]): void {
  if (events.length === 0) return;
  const residue = { [dialect]: { [EVENTS_KEY]: [...events] } };
  target.extra = mergeExtra(target.extra && copyExtra(target.extra), residue);
}

/** Returns the unknown events that are stored in the residue of an answer or part. */
export function readUnknownEvents({ extra }: WithExtra, dialect: string): JsonObject[] {
  const events = extra?.[dialect]?.[EVENTS_KEY];
  return Array.isArray(events) ? events.filter(isObject) : [];
}

/** Reports the stored events of an answer or part that is not encoded as a stream, because only a stream has events. */
export function reportUnknownEvents(
  { extra }: WithExtra,
  { dialect, report }: EncodeContext<"field-unsupported">,
): void {
  if (extra?.[dialect]?.[EVENTS_KEY] !== undefined) report.addLoss("field-unsupported", ["extra", dialect, EVENTS_KEY]);
}

/** Returns an answer without its stored events. A stream encoder has written them, so it must not report them. */
export function withoutUnknownEvents(response: ModelResponse, dialect: string): ModelResponse {
  const { message } = response;
  const parts = message.parts.map((part) => withoutEventsKey(part, dialect));
  return withoutEventsKey({ ...response, message: { ...message, parts } }, dialect);
}

const EVENTS_ONLY: ReadonlySet<string> = new Set([EVENTS_KEY]);

function withoutEventsKey<T extends WithExtra>(target: T, dialect: string): T {
  const residue = target.extra?.[dialect];
  if (residue?.[EVENTS_KEY] === undefined) return target;
  return { ...target, extra: { ...target.extra, [dialect]: unknownFields(residue, EVENTS_ONLY) ?? {} } };
}
