// Generates an agent's conversation independent of any dialect. The same sizes always give the same conversation.
import type { JsonObject, JsonValue } from "../../src/index.ts";
import type { Random } from "../random.ts";
import { prose, randomFrom, token } from "../random.ts";

export interface ToolSketch {
  name: string;
  description: string;
  schema: JsonObject;
}
export interface CallSketch {
  id: string;
  name: string;
  args: JsonObject;
}
export interface ResultSketch {
  call: CallSketch;
  output: JsonValue;
}
/** One turn: a user text, an assistant text with its tool calls, or tool results. */
export interface TurnSketch {
  user?: string;
  assistant?: string;
  calls?: CallSketch[];
  results?: ResultSketch[];
}
export interface Sketch {
  model: string;
  system: string;
  tools: ToolSketch[];
  turns: TurnSketch[];
  maxTokens: number;
  temperature: number;
}

/** The text length below which a request counts as small and gets small tools. */
const SMALL = 100;

function tool(random: Random, name: string, length: number): ToolSketch {
  const remark = (): string => prose(random, Math.min(length, 200) / 4);
  const properties: JsonObject = {
    path: { type: "string", description: remark() },
    content: { type: "string", description: remark() },
    limit: { type: "integer", description: remark() },
  };
  if (length >= SMALL) {
    const items = { type: "string", enum: ["new", "open", "closed"] };
    const filters = { type: "array", items, description: remark() };
    properties["options"] = { type: "object", properties: { filters, deep: { type: "boolean" } }, required: ["deep"] };
  }
  const schema = { type: "object", properties, required: ["path"] };
  return { name, description: prose(random, Math.min(length, 200)), schema };
}

function call(random: Random, tools: readonly ToolSketch[], length: number): CallSketch {
  const { name } = tools[Math.floor(random() * tools.length)] ?? { name: "none" };
  const args: JsonObject = {
    path: `src/${token(random, 8)}.ts`,
    content: prose(random, Math.floor(length / 4)),
    limit: Math.floor(random() * 1000),
  };
  if (length >= SMALL) args["options"] = { filters: ["new", "open"], deep: random() < 0.5 };
  return { id: `call_${token(random, 24)}`, name, args };
}

/** Returns a tool result; about every third result is JSON, which some wires contain as JSON and some as text. */
function result(random: Random, call: CallSketch, length: number): ResultSketch {
  if (random() < 2 / 3) return { call, output: prose(random, length) };
  const lines = Array.from({ length: 4 }, (_, line) => ({ line, text: prose(random, Math.floor(length / 5)) }));
  return { call, output: { found: lines.length, lines } };
}

/** Returns a question, an answer with one or two tool calls, their results and a final answer. */
function exchange(random: Random, tools: readonly ToolSketch[], length: number): TurnSketch[] {
  const calls = Array.from({ length: random() < 0.5 ? 1 : 2 }, () => call(random, tools, length));
  return [
    { user: prose(random, length) },
    { assistant: prose(random, length), calls },
    { results: calls.map((it) => result(random, it, length)) },
    { assistant: prose(random, length) },
  ];
}

export interface SketchSize {
  /** The approximate size of the request, measured with `sizeOf`. */
  bytes: number;
  /** The length of the texts in the request, in characters. */
  length: number;
  tools: number;
}

export function makeSketch(size: SketchSize, sizeOf: (sketch: Sketch) => number): Sketch {
  const { bytes, length } = size;
  const random = randomFrom(length);
  const tools = Array.from({ length: size.tools }, (_, index) => tool(random, `tool_${index}`, length));
  const system = prose(random, Math.min(bytes / 20, 2000));
  const start: Sketch = { model: "a-model", system, tools, turns: [], maxTokens: 4096, temperature: 0.7 };
  const turns: TurnSketch[] = [];
  for (let left = bytes - sizeOf(start); left > 0;) {
    const more = exchange(random, tools, length);
    turns.push(...more);
    left -= sizeOf({ ...start, turns: more }) - sizeOf(start);
  }
  // The last message must be a user message.
  return { ...start, turns: [...turns, { user: prose(random, length) }] };
}
