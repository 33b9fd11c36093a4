// Writes one conversation in each of the four wire formats, without Koine.
import type { JsonObject, JsonValue } from "../../src/index.ts";
import { isObject } from "../../src/index.ts";
import type { CallSketch, ResultSketch, Sketch, ToolSketch, TurnSketch } from "./sketch.ts";
import type { DialectName } from "../wire/wire.ts";

const asText = (output: JsonValue): string => (typeof output === "string" ? output : JSON.stringify(output));

/** Returns the messages of all turns, in order. */
function messages(turns: readonly TurnSketch[], write: (turn: TurnSketch) => JsonObject[]): JsonObject[] {
  return turns.flatMap(write);
}

function chatTurn({ user, assistant, calls, results }: TurnSketch): JsonObject[] {
  if (user !== undefined) return [{ role: "user", content: user }];
  if (results !== undefined) {
    return results.map(({ call, output }) => ({ role: "tool", tool_call_id: call.id, content: asText(output) }));
  }
  const said = { role: "assistant", content: assistant ?? null };
  if (calls === undefined) return [said];
  const written = calls.map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  return [{ ...said, tool_calls: written }];
}

function chat({ model, system, tools, turns, maxTokens, temperature }: Sketch): JsonObject {
  return {
    model,
    messages: [{ role: "system", content: system }, ...messages(turns, chatTurn)],
    tools: tools.map(({ name, description, schema }) => ({
      type: "function",
      function: { name, description, parameters: schema },
    })),
    max_completion_tokens: maxTokens,
    temperature,
  };
}

function responsesTurn({ user, assistant, calls = [], results = [] }: TurnSketch): JsonObject[] {
  const said: JsonObject[] = [];
  if (user !== undefined) said.push({ role: "user", content: user });
  if (assistant !== undefined) said.push({ role: "assistant", content: assistant });
  const called = calls.map(({ id, name, args }) => ({
    type: "function_call",
    call_id: id,
    name,
    arguments: JSON.stringify(args),
  }));
  const came = results.map(({ call, output }) => ({
    type: "function_call_output",
    call_id: call.id,
    output: asText(output),
  }));
  return [...said, ...called, ...came];
}

function responses({ model, system, tools, turns, maxTokens, temperature }: Sketch): JsonObject {
  return {
    model,
    instructions: system,
    input: messages(turns, responsesTurn),
    tools: tools.map(({ name, description, schema }) => ({
      type: "function",
      name,
      description,
      parameters: schema,
      strict: false,
    })),
    max_output_tokens: maxTokens,
    temperature,
  };
}

function anthropicTurn({ user, assistant, calls, results }: TurnSketch): JsonObject[] {
  if (user !== undefined) return [{ role: "user", content: user }];
  if (results !== undefined) {
    const write = ({ call, output }: ResultSketch): JsonObject => ({
      type: "tool_result",
      tool_use_id: call.id,
      content: asText(output),
    });
    return [{ role: "user", content: results.map(write) }];
  }
  if (calls === undefined) return [{ role: "assistant", content: assistant ?? "" }];
  const write = ({ id, name, args }: CallSketch): JsonObject => ({ type: "tool_use", id, name, input: args });
  return [{ role: "assistant", content: [{ type: "text", text: assistant ?? "" }, ...calls.map(write)] }];
}

function anthropic({ model, system, tools, turns, maxTokens, temperature }: Sketch): JsonObject {
  return {
    model,
    max_tokens: maxTokens,
    system,
    messages: messages(turns, anthropicTurn),
    tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
    temperature,
  };
}

/** Returns the contents of a turn. Gemini calls have no ids: results are paired with calls by name and order. */
function geminiTurn({ user, assistant, calls = [], results }: TurnSketch): JsonObject[] {
  if (user !== undefined) return [{ role: "user", parts: [{ text: user }] }];
  if (results !== undefined) {
    const write = ({ call, output }: ResultSketch): JsonObject => ({
      functionResponse: { name: call.name, response: isObject(output) ? output : { output } },
    });
    return [{ role: "user", parts: results.map(write) }];
  }
  const called = calls.map(({ name, args }) => ({ functionCall: { name, args } }));
  return [{ role: "model", parts: [{ text: assistant ?? "" }, ...called] }];
}

/** Returns the schema with types in capital letters, as in most requests to Gemini. */
function openApi(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(openApi);
  if (!isObject(schema)) return schema;
  const fields = Object.entries(schema).map(([key, value]): [string, JsonValue] => {
    return [key, key === "type" && typeof value === "string" ? value.toUpperCase() : openApi(value)];
  });
  return Object.fromEntries(fields);
}

function gemini({ system, tools, turns, maxTokens, temperature }: Sketch): JsonObject {
  const declare = ({ name, description, schema }: ToolSketch): JsonObject => ({
    name,
    description,
    parameters: openApi(schema),
  });
  return {
    systemInstruction: { parts: [{ text: system }] },
    contents: messages(turns, geminiTurn),
    tools: [{ functionDeclarations: tools.map(declare) }],
    generationConfig: { maxOutputTokens: maxTokens, temperature },
  };
}

export const WRITERS: Readonly<Record<DialectName, (sketch: Sketch) => JsonObject>> = {
  "openai-chat": chat,
  "openai-responses": responses,
  anthropic,
  gemini,
};
