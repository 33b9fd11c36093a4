// The ledger's error: one class, a stable code for what went wrong, and a message that says what to do about it.
import { KoineError } from "../model/errors.ts";

/** What can go wrong with a ledger. The sentence says what the code means. */
export const LEDGER_ERRORS = {
  "invalid-input": "An argument is not what the method takes.",
  "unknown-thread": "The tenant has no thread of this id.",
  "unknown-message": "The thread has no message of this id; fork points and parents of other threads count as unknown.",
  "unknown-run": "The tenant has no run of this id.",
  "unknown-blob": "The tenant has no blob of this hash.",
  conflict:
    "What the caller relies on no longer holds: the leaf moved, the key was used for something else, the id is taken.",
  "illegal-transition": "The run is in a state from which this step is not possible.",
  fenced: "Another writer has taken the run over; this one must stop.",
  "cursor-invalid": "The cursor was not made by this ledger.",
  "cursor-gone": "The cursor points into deltas that were compacted away; read the transcript and follow from its end.",
  busy: "Another process held the database for longer than the timeout.",
  "read-only": "The database cannot be written to.",
  "disk-full": "There is no room to write; nothing was written.",
  corrupt: "The database itself is damaged.",
  "not-koine": "The database belongs to another program.",
  "schema-too-old": "The tables are missing or older than this Koine, and the ledger was opened to be read only.",
  "schema-too-new": "The database was written by a newer Koine.",
  unavailable: "The database cannot be reached.",
  "missing-driver": "A package that this store needs is not installed.",
  closed: "The ledger was closed.",
} as const;
export type LedgerErrorCode = keyof typeof LEDGER_ERRORS;

/** What an error may say beside its code and message. */
export interface LedgerErrorDetails extends ErrorOptions {
  /** Which argument or record, as a JSON pointer or a name: "/messages/0/parts", "forkFromMessageId". */
  path?: string;
  /** Which line of an import, from 1. */
  line?: number;
  /** Set where a lost connection leaves open whether a write took place; retrying with the same key is safe. */
  outcome?: "unknown";
}

export class LedgerError extends KoineError<LedgerErrorCode> {
  override readonly name = "LedgerError";
  readonly path: string;
  readonly line: number | undefined;
  readonly outcome: "unknown" | undefined;

  constructor(code: LedgerErrorCode, message: string, details: LedgerErrorDetails = {}) {
    super(code, message, "cause" in details ? { cause: details.cause } : undefined);
    this.path = details.path ?? "";
    this.line = details.line;
    this.outcome = details.outcome;
  }
}
