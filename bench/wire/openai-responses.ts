// Reads OpenAI Responses bodies for the benchmarks; each item counts as a turn.
import type { Wire } from "./wire.ts";
import { objects, ROLES, textsIn } from "./wire.ts";

const TEXT = new Set<unknown>(["input_text", "output_text", "text"]);
const CALLS = new Set<unknown>(["function_call", "custom_tool_call"]);
const RESULTS = new Set<unknown>(["function_call_output", "custom_tool_call_output"]);

export const openaiResponses: Wire = {
  turns: (body, kind) => objects(body[kind === "requests" ? "input" : "output"]),
  putTurns(body, kind, turns) {
    body[kind === "requests" ? "input" : "output"] = turns;
  },
  outerTexts(body) {
    const system = textsIn("system", body, "instructions", () => false);
    return typeof body["input"] === "string" ? [...system, { role: "user", holder: body, key: "input" }] : system;
  },
  texts(turn) {
    const role = turn["type"] === undefined || turn["type"] === "message" ? ROLES.get(turn["role"]) : undefined;
    return role === undefined ? [] : textsIn(role, turn, "content", (block) => TEXT.has(block["type"]));
  },
  calls(turn) {
    if (!CALLS.has(turn["type"])) return [];
    return [{ id: turn["call_id"], name: turn["name"], input: turn["arguments"] ?? turn["input"] }];
  },
  results(turn) {
    return RESULTS.has(turn["type"]) ? [{ id: turn["call_id"], name: undefined, output: turn["output"] }] : [];
  },
};
