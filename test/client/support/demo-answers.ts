// Helpers for the demo tests: one checked and assembled answer, and the history that continues it.
import { expect } from "vitest";
import type { Delta, FunctionTool, Message, Part, ModelRequest, ModelResponse } from "koine";
import { assemble, checkDeltas, toolResult, user } from "koine";
import type { DemoOptions } from "koine/client";
import { demo } from "koine/client";

const WEATHER: FunctionTool = {
  type: "function",
  name: "weather",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const CLOCK: FunctionTool = { type: "function", name: "clock" };
const SHELL: FunctionTool = { type: "function", name: "shell", format: "text" };
export const tools = [WEATHER, CLOCK, SHELL];

/** The fields of a request besides its messages. */
export type Rest = Partial<Omit<ModelRequest, "messages">>;
export const { signal } = new AbortController();

/** Returns all deltas of a synchronous answer. */
export function deltasOf(messages: string | Message[], rest: Rest = {}, options: DemoOptions = {}): Delta[] {
  const request = { messages: typeof messages === "string" ? [user(messages)] : messages, ...rest };
  const deltas = demo(options).answer(request, { signal });
  if (!(Symbol.iterator in deltas)) throw new Error("This answer has to be waited for.");
  return [...deltas];
}

export function answerDemo(messages: string | Message[], rest: Rest = {}, options: DemoOptions = {}): ModelResponse {
  const deltas = deltasOf(messages, rest, options);
  expect(checkDeltas(deltas)).toStrictEqual([]);
  return assemble(deltas);
}

export function readText({ message }: ModelResponse, type: "text" | "reasoning" | "refusal" = "text"): string {
  return message.parts.map((part) => (part.type === type ? part.text : "")).join("");
}

export function callsOf({ message }: ModelResponse): Extract<Part, { type: "tool-call" }>[] {
  return message.parts.filter((part) => part.type === "tool-call");
}

/** Returns the history with a result for every call. */
export function withResults(
  before: Message[],
  response: ModelResponse,
  output: (tool: string) => unknown = () => "fine",
): Message[] {
  return [...before, response.message, ...callsOf(response).map((call) => toolResult(call, output(call.toolName)))];
}
