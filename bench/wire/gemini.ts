// Reads Gemini generateContent bodies for the benchmarks.
import type { JsonObject, JsonValue } from "../../src/index.ts";
import { isObject } from "../../src/index.ts";
import type { Wire } from "./wire.ts";
import { objects, textsIn } from "./wire.ts";

const isText = (part: JsonObject): boolean => part["thought"] !== true;

function inParts(turn: JsonObject, key: string): JsonObject[] {
  return objects(turn["parts"]).flatMap((part) => (isObject(part[key]) ? [part[key]] : []));
}

function systemOf(body: JsonObject): JsonValue | undefined {
  return body["systemInstruction"] ?? body["system_instruction"];
}

export const gemini: Wire = {
  turns(body, kind) {
    if (kind === "requests") return objects(body["contents"]);
    return objects(body["candidates"]).flatMap(({ content }) => (isObject(content) ? [content] : []));
  },
  putTurns(body, kind, turns) {
    if (kind === "requests") body["contents"] = turns;
    else {
      const withContent = objects(body["candidates"]).filter(({ content }) => isObject(content));
      withContent.forEach((candidate, index) => (candidate["content"] = turns[index] ?? null));
    }
  },
  outerTexts(body) {
    const system = systemOf(body);
    return isObject(system) ? textsIn("system", system, "parts", isText) : [];
  },
  texts: (turn) => textsIn(turn["role"] === "model" ? "assistant" : "user", turn, "parts", isText),
  calls(turn) {
    return inParts(turn, "functionCall").map((call) => ({ id: call["id"], name: call["name"], input: call["args"] }));
  },
  results(turn) {
    return inParts(turn, "functionResponse").map((result) => ({
      id: result["id"],
      name: result["name"],
      output: result["response"],
    }));
  },
};
