// Lists the codes of the losses that the interchange dialects (flat, tagged and run) can cause.
import type { COMMON_LOSSES } from "./catalog.ts";
import { FOREIGN_SHAPE_LOSS_CODES } from "./shared-codes.ts";

export const INTERCHANGE_LOSS_CODES = [
  ...FOREIGN_SHAPE_LOSS_CODES,
  "invalid-call-unsupported",
  "media-as-file",
  "provider-tool-unsupported",
  "result-empty",
  "role-approximated",
] as const satisfies readonly (keyof typeof COMMON_LOSSES)[];
