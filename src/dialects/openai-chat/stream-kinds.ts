// What comes in a stream of chunks: most are chunks, some are not.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { ProviderError } from "../../model/provider-error.ts";
import { decodeOpenAiError } from "../kit/openai-errors.ts";
import { isObject } from "../kit/read.ts";

export const WHOLE = "chat.completion";

export function isPing(chunk: JsonObject, event: string | undefined): boolean {
  if (event === "ping" || event === "keepalive") return true;
  for (const key in chunk) if (key !== "type" || chunk[key] !== "ping") return false;
  return true;
}

/** What a chunk has, at least one of them. */
const KNOWN = ["choices", "object", "id", "model", "usage", "created"];

/** What went wrong, in a chunk or instead of one (B72). */
export function errorOf(chunk: JsonObject, event: string | undefined, isFirst: boolean): ProviderError | undefined {
  const { error, object } = chunk;
  if (isObject(error)) return decodeOpenAiError({ error });
  const isBody =
    object === "error" || event === "error" || (typeof error === "string" && chunk["choices"] === undefined);
  if (isBody) return decodeOpenAiError(chunk);
  // Whatever answers instead of a provider has its own words for it.
  const isOther = isFirst && !KNOWN.some((field) => chunk[field] !== undefined);
  const told = isOther ? decodeOpenAiError(chunk) : undefined;
  return told?.message === "" ? undefined : told;
}

/** An answer in one piece instead of a stream (B74). */
export function isWhole({ object, choices }: JsonObject): boolean {
  if (!Array.isArray(choices)) return false;
  const isSaid = choices.every(
    (choice) => isObject(choice) && isObject(choice["message"]) && choice["delta"] === undefined,
  );
  return isSaid && (choices.length > 0 || object === WHOLE);
}

/** Whether a delta says anything. */
export function saysMore(delta: JsonValue | undefined): boolean {
  if (!isObject(delta)) return false;
  for (const key in delta) if (delta[key] !== null && delta[key] !== "") return true;
  return false;
}
