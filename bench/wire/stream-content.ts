// Reads the text and the tool call arguments of a stream without Koine. Reads only the delta events, like a client that
// shows the answer live.
import type { JsonObject, JsonValue } from "../../src/index.ts";
import { isObject } from "../../src/index.ts";
import type { DialectName } from "./wire.ts";

export interface StreamContent {
  text: string;
  /** The joined and parsed arguments of all calls. */
  args: string;
}

type StreamEventReader = (data: JsonObject, content: StreamContent) => void;

const readPath = (value: JsonValue | undefined, ...path: (string | number)[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((it, key) => {
    if (Array.isArray(it) && typeof key === "number") return it[key];
    return isObject(it) ? it[key] : undefined;
  }, value);

const toText = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

const READERS: Readonly<Record<DialectName, StreamEventReader>> = {
  "openai-chat"(data, content) {
    content.text += toText(readPath(data, "choices", 0, "delta", "content"));
    content.args += toText(readPath(data, "choices", 0, "delta", "tool_calls", 0, "function", "arguments"));
  },
  "openai-responses"(data, content) {
    if (data["type"] === "response.output_text.delta") content.text += toText(data["delta"]);
    if (data["type"] === "response.function_call_arguments.delta") content.args += toText(data["delta"]);
  },
  anthropic(data, content) {
    content.text += toText(readPath(data, "delta", "text"));
    content.args += toText(readPath(data, "delta", "partial_json"));
  },
  gemini(data, content) {
    const parts = readPath(data, "candidates", 0, "content", "parts");
    for (const part of Array.isArray(parts) ? parts : []) {
      if (readPath(part, "thought") !== true) content.text += toText(readPath(part, "text"));
      const args = readPath(part, "functionCall", "args");
      if (args !== undefined) content.args += JSON.stringify(args);
    }
  },
};

/** Reads the content of a stream whose events have one line of data each; the benchmarks write no other events. */
export function readStreamContent(dialect: DialectName, stream: string): StreamContent {
  const content: StreamContent = { text: "", args: "" };
  for (const line of stream.split("\n")) {
    if (!line.startsWith("data:") || line.includes("[DONE]")) continue;
    const data = JSON.parse(line.slice("data:".length)) as JsonValue;
    if (isObject(data)) READERS[dialect](data, content);
  }
  return content;
}
