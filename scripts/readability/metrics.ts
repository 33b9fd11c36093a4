// All readability metrics, in the order of the report.
import { COMMENT_METRICS } from "./comments.ts";
import { DUPLICATE_METRICS } from "./duplicates.ts";
import { ENTRY_METRICS } from "./entries.ts";
import { FOLDER_METRICS } from "./folders.ts";
import { IDENTIFIER_METRICS } from "./identifiers.ts";
import type { Metric } from "./metric.ts";
import { TYPE_METRICS } from "./types.ts";

export type { Measurement, Metric } from "./metric.ts";

export const METRICS: readonly Metric[] = [
  ...TYPE_METRICS,
  ...IDENTIFIER_METRICS,
  ...FOLDER_METRICS,
  ...COMMENT_METRICS,
  ...ENTRY_METRICS,
  ...DUPLICATE_METRICS,
];
