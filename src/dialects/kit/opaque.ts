// Blocks that Koine has no word for: verbatim back to their own dialect and provider, reported everywhere else (B5, B43).
import type { OpaquePart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { STORED_BLOCKS } from "./provider-losses.ts";
import { isObject } from "./read.ts";
import { isSealFor } from "./residue.ts";

/** Whether a block may go out here; if not, that is reported, and what stood for stored content breaks. */
export function isOpaqueFor(part: OpaquePart, context: EncodeContext<"opaque-foreign" | "context-foreign">): boolean {
  const { dialect, issuer, value } = part;
  if (dialect === context.dialect && isSealFor({ ...issuer, dialect }, context)) return true;
  const isStored = isObject(value) && STORED_BLOCKS.has(value["type"]);
  context.report.lose(isStored ? "context-foreign" : "opaque-foreign");
  return false;
}
