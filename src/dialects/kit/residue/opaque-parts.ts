// Creates and sends opaque parts: wire blocks without a canonical counterpart. They are sent unchanged to the dialect
// and provider that they came from, and reported as losses for every other target (B5, B43).
import type { JsonObject } from "../../../model/json/index.ts";
import type { OpaquePart } from "../../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../../dialect.ts";
import { STORED_BLOCKS } from "../losses/stored-context.ts";
import { isObject } from "../fields/read-wire.ts";
import { isSealFor } from "../seals/seals.ts";

/** Returns the opaque part for a wire block. The part has an issuer if the provider is known. */
export function toOpaquePart(value: JsonObject, { dialect, provider }: DecodeContext): OpaquePart {
  const part: OpaquePart = { type: "opaque", dialect, value };
  if (provider !== undefined) part.issuer = { dialect, provider };
  return part;
}

/** True if an opaque part came from the target's dialect and, if both providers are known, the target's provider. */
export function isOwnOpaque({ dialect, issuer }: OpaquePart, context: EncodeContext): boolean {
  return dialect === context.dialect && isSealFor({ ...issuer, dialect }, context);
}

/**
 * True if an opaque part can be sent to the target. Otherwise reports its loss; the loss has the level "breaks" if the
 * part refers to content that its provider stored.
 */
export function canSendOpaque(
  part: OpaquePart,
  context: EncodeContext<"opaque-not-portable" | "context-not-portable">,
): boolean {
  if (isOwnOpaque(part, context)) return true;
  const { value } = part;
  const isStored = isObject(value) && STORED_BLOCKS.has(value["type"]);
  context.report.addLoss(isStored ? "context-not-portable" : "opaque-not-portable");
  return false;
}
