// Completes an encoded part with its provider options and residue, in the same way for both AI SDK formats.
import type { JsonObject } from "../../model/json/index.ts";
import type { PartBase } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { restoreResidue } from "../kit/residue/residue.ts";
import { encodeProviderOptions } from "./provider-options.ts";

/**
 * Adds the provider options of a part, in the field that the format has for them, and restores the residue of the part.
 */
export function addOptionsAndResidue(
  wire: JsonObject,
  part: PartBase,
  field: "providerOptions" | "providerMetadata",
  context: Parameters<typeof encodeProviderOptions>[1] & EncodeContext<"residue-conflict">,
  ...inner: string[]
): JsonObject {
  const options = encodeProviderOptions(part, context);
  if (options !== undefined) wire[field] = options;
  restoreResidue(wire, part, context, ...inner);
  return wire;
}

/** Returns the encoded part as a list, which is empty if the part was dropped. */
export function toList(wire: JsonObject | undefined): JsonObject[] {
  return wire === undefined ? [] : [wire];
}
