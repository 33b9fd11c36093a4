// Blocks that Koine has no word for: verbatim back to their own dialect and provider, reported everywhere else (B5, B43).
import type { JsonObject } from "../../model/json.ts";
import type { OpaquePart } from "../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { STORED_BLOCKS } from "./provider-losses.ts";
import { isObject } from "./read.ts";
import { isSealFor } from "./residue.ts";

/** A block as it came; who issued it is told where that is known. */
export function opaquePart(value: JsonObject, { dialect, provider }: DecodeContext): OpaquePart {
  const part: OpaquePart = { type: "opaque", dialect, value };
  if (provider !== undefined) part.issuer = { dialect, provider };
  return part;
}

/** Whether a block is this dialect's, and of this provider where both are known. */
export function isOwnOpaque({ dialect, issuer }: OpaquePart, context: EncodeContext): boolean {
  return dialect === context.dialect && isSealFor({ ...issuer, dialect }, context);
}

/** Whether a block may go out here; if not, that is reported, and what stood for stored content breaks. */
export function isOpaqueFor(part: OpaquePart, context: EncodeContext<"opaque-foreign" | "context-foreign">): boolean {
  if (isOwnOpaque(part, context)) return true;
  const { value } = part;
  const isStored = isObject(value) && STORED_BLOCKS.has(value["type"]);
  context.report.addLoss(isStored ? "context-foreign" : "opaque-foreign");
  return false;
}
