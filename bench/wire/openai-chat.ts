// Reads OpenAI Chat Completions bodies for the benchmarks.
import { isObject } from "../../src/index.ts";
import type { Wire } from "./wire.ts";
import { objects, ROLES, textsIn } from "./wire.ts";

export const openaiChat: Wire = {
  turns(body, kind) {
    if (kind === "requests") return objects(body["messages"]);
    return objects(body["choices"]).flatMap(({ message }) => (isObject(message) ? [message] : []));
  },
  putTurns(body, kind, turns) {
    if (kind === "requests") body["messages"] = turns;
    else {
      const withMessage = objects(body["choices"]).filter(({ message }) => isObject(message));
      withMessage.forEach((choice, index) => (choice["message"] = turns[index] ?? null));
    }
  },
  outerTexts: () => [],
  texts(turn) {
    const role = ROLES.get(turn["role"]);
    return role === undefined ? [] : textsIn(role, turn, "content", (block) => block["type"] === "text");
  },
  calls(turn) {
    return objects(turn["tool_calls"]).map((call) => {
      const { function: json, custom } = call;
      if (isObject(json)) return { id: call["id"], name: json["name"], input: json["arguments"] };
      const free = isObject(custom) ? custom : {};
      return { id: call["id"], name: free["name"], input: free["input"] };
    });
  },
  results(turn) {
    if (turn["role"] !== "tool") return [];
    return [{ id: turn["tool_call_id"], name: undefined, output: turn["content"] }];
  },
};
