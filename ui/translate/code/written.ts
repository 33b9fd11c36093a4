// What the writer of one kind of code gives: the code, and what it does not say.
import type { Loss } from "koine";

export interface Written {
  text: string;
  /** Paths lead into the request. */
  losses: readonly Loss[];
}
