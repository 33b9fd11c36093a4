// Reads the text and the tool call arguments of a stream without Koine, only from its delta events, as a client that shows
// them live.
import type { JsonObject, JsonValue } from "../../src/index.ts";
import { isObject } from "../../src/index.ts";
import type { DialectName } from "./wire.ts";

export interface StreamFacts {
  text: string;
  /** The joined and parsed arguments of all calls. */
  args: string;
}

type Reader = (data: JsonObject, facts: StreamFacts) => void;

const at = (value: JsonValue | undefined, ...path: (string | number)[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((it, key) => {
    if (Array.isArray(it) && typeof key === "number") return it[key];
    return isObject(it) ? it[key] : undefined;
  }, value);

const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

const READERS: Readonly<Record<DialectName, Reader>> = {
  "openai-chat"(data, facts) {
    facts.text += textOf(at(data, "choices", 0, "delta", "content"));
    facts.args += textOf(at(data, "choices", 0, "delta", "tool_calls", 0, "function", "arguments"));
  },
  "openai-responses"(data, facts) {
    if (data["type"] === "response.output_text.delta") facts.text += textOf(data["delta"]);
    if (data["type"] === "response.function_call_arguments.delta") facts.args += textOf(data["delta"]);
  },
  anthropic(data, facts) {
    facts.text += textOf(at(data, "delta", "text"));
    facts.args += textOf(at(data, "delta", "partial_json"));
  },
  gemini(data, facts) {
    const parts = at(data, "candidates", 0, "content", "parts");
    for (const part of Array.isArray(parts) ? parts : []) {
      if (at(part, "thought") !== true) facts.text += textOf(at(part, "text"));
      const args = at(part, "functionCall", "args");
      if (args !== undefined) facts.args += JSON.stringify(args);
    }
  },
};

/** Reads server-sent events with one line of data each; the benchmarks write no others. */
export function streamFacts(dialect: DialectName, stream: string): StreamFacts {
  const facts: StreamFacts = { text: "", args: "" };
  for (const line of stream.split("\n")) {
    if (!line.startsWith("data:") || line.includes("[DONE]")) continue;
    const data = JSON.parse(line.slice("data:".length)) as JsonValue;
    if (isObject(data)) READERS[dialect](data, facts);
  }
  return facts;
}
