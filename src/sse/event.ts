// Defines the type of a server-sent event, and the error class of the SSE parser and formatter.

import { KoineError } from "../model/errors.ts";

/** One server-sent event. Fields that the stream did not send are absent. */
export interface SseEvent {
  /** The event's type; absent if the stream has no `event:` line or an empty one. */
  event?: string;
  data: string;
  /** The event's id; "" is a valid id that resets the client's last event id. */
  id?: string;
  /** The reconnection time in milliseconds, if the stream set it since the previous event. */
  retry?: number;
}

/**
 * The codes of `SseError`. "ended": `push` was called after `end`. "invalid-field": server-sent events cannot represent
 * the value of a field.
 */
export type SseErrorCode = "ended" | "invalid-field";

/** Thrown for incorrect use of the SSE parser or formatter; data from the wire never causes it. */
export class SseError extends KoineError<SseErrorCode> {
  override readonly name = "SseError";
}
