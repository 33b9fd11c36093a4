// How the events that end a stream look in each protocol: what tells a whole answer from one that was cut off.
import { isObject } from "../../model/kind.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { SseParser } from "../../sse/index.ts";

/** How an answer ended, as its last events say it. */
export type StreamEnd = "whole" | "failed";

/** What one event says about the end, by the type that it names and its data; undefined where it says nothing. */
export type EndOf = (type: string, data: JsonObject) => StreamEnd | undefined;

/** Those that name every event. */
export function endsByType(whole: readonly string[], failed: readonly string[]): EndOf {
  const ends = new Map<string, StreamEnd>();
  for (const type of whole) ends.set(type, "whole");
  for (const type of failed) ends.set(type, "failed");
  return (type) => ends.get(type);
}

/** Some servers leave out the last line, yet say why every choice ended. */
export function chatEnd(_: string, data: JsonObject): StreamEnd | undefined {
  if (isObject(data["error"])) return "failed";
  return some(data["choices"], "finish_reason") ? "whole" : undefined;
}

export function geminiEnd(_: string, data: JsonObject): StreamEnd | undefined {
  if (isObject(data["error"])) return "failed";
  const { promptFeedback } = data;
  const isBlocked = isObject(promptFeedback) && typeof promptFeedback["blockReason"] === "string";
  return isBlocked || some(data["candidates"], "finishReason") ? "whole" : undefined;
}

function some(list: JsonValue | undefined, field: string): boolean {
  return Array.isArray(list) && list.some((each) => isObject(each) && typeof each[field] === "string");
}

/** How whole events, the oldest first, say that the answer ended. A failure is one whatever follows it. */
export function endIn(pieces: readonly Uint8Array[], endOf: EndOf): StreamEnd | undefined {
  let end: StreamEnd | undefined;
  const parser = new SseParser();
  for (const piece of pieces) {
    for (const { event = "", data } of parser.push(piece)) {
      const said = data === "[DONE]" ? "whole" : endOfData(event, data, endOf);
      if (said === "failed") return said;
      end ??= said;
    }
  }
  return end;
}

function endOfData(event: string, text: string, endOf: EndOf): StreamEnd | undefined {
  let data: JsonValue;
  try {
    // As any value: `JSON.parse` gives JSON.
    data = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  if (!isObject(data)) return undefined;
  return endOf(typeof data["type"] === "string" ? data["type"] : event, data);
}
