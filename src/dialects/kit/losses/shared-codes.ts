// Lists the codes of the losses that all dialects, or all dialects except the canonical one, can cause.
import type { COMMON_LOSSES } from "./catalog.ts";

/** The codes of the losses that every dialect can cause. */
export const UNIVERSAL_LOSS_CODES = [
  "field-unsupported",
  "form-not-portable",
  "media-source-unsupported",
  "metadata-dropped",
  "part-unsupported",
  "residue-not-portable",
  "seal-not-portable",
] as const satisfies readonly (keyof typeof COMMON_LOSSES)[];

/**
 * The codes of the losses that every dialect except the canonical one can cause. The canonical dialect does not restore
 * residue, so it cannot cause `form-stale` and `residue-conflict`.
 */
export const FOREIGN_SHAPE_LOSS_CODES = [
  ...UNIVERSAL_LOSS_CODES,
  "form-stale",
  "residue-conflict",
] as const satisfies readonly (keyof typeof COMMON_LOSSES)[];
