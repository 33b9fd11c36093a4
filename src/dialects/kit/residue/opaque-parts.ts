// Opaque parts: blocks without a canonical form. They return verbatim to their own dialect and provider, and are
// reported everywhere else (B5, B43).
import type { JsonObject } from "../../../model/json/index.ts";
import type { OpaquePart } from "../../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../../dialect.ts";
import { STORED_BLOCKS } from "../losses/stored-context.ts";
import { isObject } from "../fields/read-wire.ts";
import { isSealFor } from "../seals/seals.ts";

/** Returns a block as an opaque part, with its issuer where the provider is known. */
export function toOpaquePart(value: JsonObject, { dialect, provider }: DecodeContext): OpaquePart {
  const part: OpaquePart = { type: "opaque", dialect, value };
  if (provider !== undefined) part.issuer = { dialect, provider };
  return part;
}

/** True if a block is of this dialect, and of this provider where both are known. */
export function isOwnOpaque({ dialect, issuer }: OpaquePart, context: EncodeContext): boolean {
  return dialect === context.dialect && isSealFor({ ...issuer, dialect }, context);
}

/** True if a block can be sent; otherwise reports it. A block that refers to stored content breaks the request. */
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
