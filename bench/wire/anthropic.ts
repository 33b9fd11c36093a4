// Reads Anthropic Messages bodies for the benchmarks.
import type { Wire } from "./wire.ts";
import { objects, textsIn } from "./wire.ts";

const isText = (block: Record<string, unknown>): boolean => block["type"] === "text";

export const anthropic: Wire = {
  turns(body, kind) {
    if (kind === "requests") return objects(body["messages"]);
    const { role, content } = body;
    return role === undefined || content === undefined ? [] : [{ role, content }];
  },
  putTurns(body, kind, turns) {
    if (kind === "requests") body["messages"] = turns;
    // The turn of a response is the response object itself.
    else Object.assign(body, turns[0]);
  },
  outerTexts: (body) => textsIn("system", body, "system", isText),
  texts(turn) {
    return textsIn(turn["role"] === "assistant" ? "assistant" : "user", turn, "content", isText);
  },
  calls(turn) {
    return objects(turn["content"])
      .filter((block) => block["type"] === "tool_use")
      .map((block) => ({ id: block["id"], name: block["name"], input: block["input"] }));
  },
  results(turn) {
    return objects(turn["content"])
      .filter((block) => block["type"] === "tool_result")
      .map((block) => ({ id: block["tool_use_id"], name: undefined, output: block["content"] }));
  },
};
