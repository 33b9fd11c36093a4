// Optional fields of a message that are a string or nothing; an explicit null is form (B42).
import type { JsonObject } from "../../model/json.ts";
import type { Extra } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { kindOf } from "../read.ts";
import { keepForm } from "../residue.ts";
import type { Hints } from "./hints.ts";
import { FLAT } from "./names.ts";

export function optionalString(
  wire: JsonObject,
  field: string,
  target: { extra?: Extra },
  context: DecodeContext,
): string | undefined {
  const value = wire[field];
  if (value === undefined || typeof value === "string") return value;
  if (value !== null) context.fail("wrong-type", `Expected a string, found ${kindOf(value)}.`, field);
  keepForm(target, FLAT, field, "null");
  return undefined;
}

export function writeOptional(wire: JsonObject, field: string, value: string | undefined, hints: Hints): void {
  if (value !== undefined) wire[field] = value;
  else if (hints.says(field, "null")) wire[field] = null;
}
