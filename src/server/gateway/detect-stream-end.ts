// Detects the end of an answer in the events of a stream, so that the server distinguishes a complete answer from an
// interrupted one.
import { isObject } from "../../model/value-kind.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import { SseParser } from "../../sse/index.ts";

/**
 * The way in which an answer ended, according to its stream: "whole" if it is complete, "failed" if an event reports an
 * error.
 */
export type StreamEnd = "whole" | "failed";

/** Returns the end that an event with this type and data announces; undefined if the event does not end the answer. */
export type DetectStreamEnd = (type: string, data: JsonObject) => StreamEnd | undefined;

/**
 * Creates the detector for a protocol in which the type of an event determines whether the event ends the answer.
 * `whole` and `failed` are the event types that end it.
 */
export function detectEndByType(whole: readonly string[], failed: readonly string[]): DetectStreamEnd {
  const ends = new Map<string, StreamEnd>();
  for (const type of whole) ends.set(type, "whole");
  for (const type of failed) ends.set(type, "failed");
  return (type) => ends.get(type);
}

/** Detects the end of a Chat stream. A finish reason counts as the end, because some servers omit the last `[DONE]`. */
export function detectChatEnd(_: string, data: JsonObject): StreamEnd | undefined {
  if (isObject(data["error"])) return "failed";
  return hasStringField(data["choices"], "finish_reason") ? "whole" : undefined;
}

export function detectGeminiEnd(_: string, data: JsonObject): StreamEnd | undefined {
  if (isObject(data["error"])) return "failed";
  const { promptFeedback } = data;
  const isBlocked = isObject(promptFeedback) && typeof promptFeedback["blockReason"] === "string";
  return isBlocked || hasStringField(data["candidates"], "finishReason") ? "whole" : undefined;
}

function hasStringField(list: JsonValue | undefined, field: string): boolean {
  return Array.isArray(list) && list.some((each) => isObject(each) && typeof each[field] === "string");
}

/** Returns the end that the events in the chunks announce; undefined if there is none. A failure has priority. */
export function findStreamEnd(chunks: readonly Uint8Array[], detectEnd: DetectStreamEnd): StreamEnd | undefined {
  let end: StreamEnd | undefined;
  const parser = new SseParser();
  for (const chunk of chunks) {
    for (const { event = "", data } of parser.push(chunk)) {
      const eventEnd = data === "[DONE]" ? "whole" : detectEndInData(event, data, detectEnd);
      if (eventEnd === "failed") return eventEnd;
      end ??= eventEnd;
    }
  }
  return end;
}

function detectEndInData(event: string, text: string, detectEnd: DetectStreamEnd): StreamEnd | undefined {
  let data: JsonValue;
  try {
    // The cast is safe: `JSON.parse` returns a JSON value.
    data = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  if (!isObject(data)) return undefined;
  return detectEnd(typeof data["type"] === "string" ? data["type"] : event, data);
}
