// The codes of the losses that all dialects, or all dialects except the canonical one, can cause.
import type { COMMON_LOSSES } from "./catalog.ts";

/** The codes that every dialect can cause. */
export const UNIVERSAL_LOSS_CODES = [
  "field-unsupported",
  "form-not-portable",
  "media-source-unsupported",
  "metadata-dropped",
  "part-unsupported",
  "residue-not-portable",
  "seal-not-portable",
] as const satisfies readonly (keyof typeof COMMON_LOSSES)[];

/** The codes that every dialect except the canonical one can cause. Two of them concern the restoring of residue. */
export const FOREIGN_SHAPE_LOSS_CODES = [
  ...UNIVERSAL_LOSS_CODES,
  "form-stale",
  "residue-conflict",
] as const satisfies readonly (keyof typeof COMMON_LOSSES)[];
