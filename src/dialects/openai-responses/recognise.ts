// What a payload is, where it can be nothing but one of this dialect's.
import type { JsonObject } from "../../model/json.ts";
import type { PayloadKind } from "../dialect.ts";

/** Errors look like Chat's, so that none is recognised. */
export function recognise(wire: JsonObject): PayloadKind | undefined {
  const { object, output, input, type, messages, contents } = wire;
  if (object === "response" && Array.isArray(output)) return "response";
  if (typeof type === "string" && type.startsWith("response.")) return "stream";
  const isInput = typeof input === "string" || Array.isArray(input);
  return isInput && messages === undefined && contents === undefined && type === undefined ? "request" : undefined;
}
