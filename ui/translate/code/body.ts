// A request as the body that a dialect sends, and what it does not say.
import type { Loss, ModelRequest } from "koine";
import { dialect, isObject } from "koine";
import type { Body } from "./merge.ts";
import { without } from "./merge.ts";

export interface Said {
  body: Body;
  losses: readonly Loss[];
}

export function bodyOf(id: string, request: ModelRequest): Said {
  const { wire, losses } = dialect(id).encodeRequest(request);
  if (!isObject(wire)) throw new TypeError("A request is an object in every dialect.");
  return { body: without(wire, "stream_options"), losses };
}
