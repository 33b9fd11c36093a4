// Defines the result of a code generator: the text of the code, and the losses.
import type { Loss } from "koine";

export interface GeneratedCode {
  text: string;
  /** Paths are JSON pointers into the request. */
  losses: readonly Loss[];
}
