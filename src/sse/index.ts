// Parses and formats server-sent events, in any runtime with TextDecoder.

export { SseError, type SseErrorCode, type SseEvent } from "./event.ts";
export { formatSse, formatSseComment, type JsonEvent } from "./format.ts";
export { SseParser } from "./parse.ts";
