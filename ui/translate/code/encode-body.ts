// Encodes a request as the JSON body of a dialect, and returns the losses of the encoding.
import type { Loss, ModelRequest } from "koine";
import { dialect, isObject } from "koine";
import type { WireBody } from "./merge-bodies.ts";
import { omitFields } from "./merge-bodies.ts";

export interface EncodedBody {
  body: WireBody;
  losses: readonly Loss[];
}

export function encodeBody(id: string, request: ModelRequest): EncodedBody {
  const { wire, losses } = dialect(id).encodeRequest(request);
  if (!isObject(wire)) throw new TypeError("The encoded request is not a JSON object.");
  return { body: omitFields(wire, "stream_options"), losses };
}
