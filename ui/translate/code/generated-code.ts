// Result of a code generator: the code, and the losses.
import type { Loss } from "koine";

export interface GeneratedCode {
  text: string;
  /** Paths are JSON pointers into the request. */
  losses: readonly Loss[];
}
