// Decodes an Anthropic error body that arrived in place of a response.
import type { JsonObject } from "../../../model/json/index.ts";
import type { ModelResponse } from "../../../model/response.ts";
import { buildErrorResponse } from "../../blocks/errors.ts";
import { storeField } from "../../blocks/fields.ts";
import { readError } from "./errors.ts";

/** Returns a response with the error. `body` is the field `error` of `wire`. */
export function decodeErrorResponse(wire: JsonObject, body: JsonObject, dialect: string): ModelResponse {
  const response = buildErrorResponse(readError({ type: "error", error: body }), dialect);
  for (const key in wire) if (key !== "type" && key !== "error") storeField(response, wire, key, dialect);
  return response;
}
