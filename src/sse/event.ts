// The shape of a server-sent event, and the error of this folder. Bytes are parse.ts and format.ts.

import { KoineError } from "../model/errors.ts";

/** One server-sent event; a field that the stream did not name is absent. */
export interface SseEvent {
  /** The event's type; absent where the stream has no `event:` line or an empty one. */
  event?: string;
  data: string;
  /** The event's id; "" is a real value that tells a client to forget the last one. */
  id?: string;
  /** The reconnection time in milliseconds that the stream announced since the event before. */
  retry?: number;
}

/** `ended`: bytes after `end()`. `invalid-field`: a field that the wire format cannot carry. */
export type SseErrorCode = "ended" | "invalid-field";

/** Misuse of the SSE reader or writer; data from the wire never causes it. */
export class SseError extends KoineError<SseErrorCode> {
  override readonly name = "SseError";
}
