// Detects the end of a stream in each protocol, to tell a complete answer from one that was cut off.
import { isObject } from "../../model/value-kind.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import { SseParser } from "../../sse/index.ts";

/** The end of an answer according to its last events. */
export type StreamEnd = "whole" | "failed";

/** Returns the end that one event announces, from its type and data; undefined for any other event. */
export type DetectStreamEnd = (type: string, data: JsonObject) => StreamEnd | undefined;

/** For protocols that name every event. */
export function detectEndByType(whole: readonly string[], failed: readonly string[]): DetectStreamEnd {
  const ends = new Map<string, StreamEnd>();
  for (const type of whole) ends.set(type, "whole");
  for (const type of failed) ends.set(type, "failed");
  return (type) => ends.get(type);
}

/** The finish reason counts as the end, because some servers omit the final `[DONE]` line. */
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

/** Finds the end in chunks of whole events, oldest first. A failure wins over anything after it. */
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
    // `JSON.parse` returns a JSON value.
    data = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  if (!isObject(data)) return undefined;
  return detectEnd(typeof data["type"] === "string" ? data["type"] : event, data);
}
