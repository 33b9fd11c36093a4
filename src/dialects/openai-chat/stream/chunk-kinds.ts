// Classifies the payloads of a Chat stream: chunks, pings, errors and complete responses.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { ProviderError } from "../../../model/provider-error.ts";
import { decodeOpenAiError } from "../../openai/errors.ts";
import { isObject } from "../../kit/fields/read-wire.ts";

export const WHOLE_OBJECT = "chat.completion";

export function isPing(chunk: JsonObject, event: string | undefined): boolean {
  if (event === "ping" || event === "keepalive") return true;
  for (const key in chunk) if (key !== "type" || chunk[key] !== "ping") return false;
  return true;
}

/** Fields of a chunk. Every chunk has at least one of these fields. */
const CHUNK_FIELDS = ["choices", "object", "id", "model", "usage", "created"];

/** Returns the error that a chunk contains or that is sent instead of a chunk (B72); undefined if there is none. */
export function findError(chunk: JsonObject, event: string | undefined, isFirst: boolean): ProviderError | undefined {
  const { error, object } = chunk;
  if (isObject(error)) return decodeOpenAiError({ error });
  const isBody =
    object === "error" || event === "error" || (typeof error === "string" && chunk["choices"] === undefined);
  if (isBody) return decodeOpenAiError(chunk);
  // If the first payload has no field of a chunk, it can be an error that a proxy sends in its own format instead of
  // the provider's answer.
  const isForeignBody = isFirst && !CHUNK_FIELDS.some((field) => chunk[field] !== undefined);
  const decoded = isForeignBody ? decodeOpenAiError(chunk) : undefined;
  return decoded?.message === "" ? undefined : decoded;
}

/** True if the payload is a complete response, which some servers send instead of a stream (B74). */
export function isWholeAnswer({ object, choices }: JsonObject): boolean {
  if (!Array.isArray(choices)) return false;
  const areMessages = choices.every(
    (choice) => isObject(choice) && isObject(choice["message"]) && choice["delta"] === undefined,
  );
  return areMessages && (choices.length > 0 || object === WHOLE_OBJECT);
}

/** True if a delta has a value other than null and the empty string. */
export function hasContent(delta: JsonValue | undefined): boolean {
  if (!isObject(delta)) return false;
  for (const key in delta) if (delta[key] !== null && delta[key] !== "") return true;
  return false;
}
