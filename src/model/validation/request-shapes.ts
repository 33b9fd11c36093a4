// Defines the shapes of requests and responses, for `validateRequest`, `validateResponse` and the JSON Schema.
import { PROVIDER_ERROR_KINDS } from "../provider-error.ts";
import type { SchemaObject } from "../request.ts";
import type { Shape } from "./shape.ts";
import {
  boolean,
  dictionary,
  either,
  integer,
  json,
  list,
  number,
  object,
  reference,
  string,
  union,
  oneOf,
} from "./shape.ts";
import { cache, extra, finishReason, format, jsonObject, message, storedMessage, usage } from "./message-shapes.ts";

/** The shape of a plain JSON object. Its type is readonly, so that callers can pass `as const` values. */
const schemaObject: Shape<SchemaObject> = reference("JsonObject");
const toolFields = { cache, extra };
export const tool = union("type", {
  function: object(
    { type: oneOf("function"), name: string },
    {
      ...toolFields,
      description: string,
      inputSchema: schemaObject,
      outputSchema: schemaObject,
      strict: boolean,
      format,
      grammar: schemaObject,
    },
  ),
  provider: object({ type: oneOf("provider"), dialect: string, name: string, value: jsonObject }, toolFields),
});
const output = union("type", {
  text: object({ type: oneOf("text") }, {}),
  json: object({ type: oneOf("json") }, {}),
  "json-schema": object(
    { type: oneOf("json-schema"), schema: schemaObject },
    { name: string, description: string, strict: boolean },
  ),
});
const toolChoice = either(
  oneOf("auto", "none", "required"),
  object({ toolName: string }, {}),
  object({ toolNames: list(string), mode: oneOf("auto", "required") }, {}),
);
const sampling = object(
  {},
  {
    temperature: number,
    topP: number,
    topK: number,
    seed: number,
    presencePenalty: number,
    frequencyPenalty: number,
    stop: list(string),
    maxOutputTokens: number,
    logprobs: boolean,
    topLogprobs: number,
    n: number,
  },
);
export const request = object(
  { messages: list(either(message, storedMessage)) },
  {
    model: string,
    tools: list(tool),
    toolChoice,
    parallelToolCalls: boolean,
    output,
    sampling,
    reasoning: object({}, { effort: string, budget: number, summary: string }),
    metadata: dictionary(json),
    stream: boolean,
    extra,
  },
);

const providerError = object(
  { kind: oneOf(...PROVIDER_ERROR_KINDS), message: string },
  { status: integer, retryAfterMs: number, retryable: boolean, raw: json },
);
export const response = object(
  { id: string, model: string, message, finishReason },
  {
    alternatives: list(object({ message, finishReason }, { extra })),
    usage,
    createdAt: string,
    error: providerError,
    extra,
  },
);
