// Defines the ledger's error class and its stable codes.
import { KoineError } from "../model/errors.ts";

/** The codes of LedgerError with their meaning. */
export const LEDGER_ERRORS = {
  "invalid-input": "An argument has a wrong type or an invalid value.",
  "unknown-thread": "The tenant has no thread with this id.",
  "unknown-message":
    "The thread has no message with this id; fork points and parents of other threads count as unknown.",
  "unknown-run": "The tenant has no run with this id.",
  "unknown-blob": "The tenant has no blob with this hash.",
  conflict:
    "A condition of the call does not hold: the leaf moved, the key was used for another request, or the id already exists.",
  "illegal-transition": "The run is in a state that does not allow this step.",
  fenced: "Another writer has taken over the run; this writer must stop.",
  "cursor-invalid": "The cursor was not made by this ledger.",
  "cursor-gone": "The cursor points into deltas that were compacted; read the transcript and follow from its end.",
  busy: "Another process held the database for longer than the timeout.",
  "read-only": "The database cannot be written to.",
  "disk-full": "The disk is full; nothing was written.",
  corrupt: "The database itself is damaged.",
  "not-koine": "The database belongs to another program.",
  "schema-too-old": "The tables are missing or older than this Koine, and the ledger was opened read-only.",
  "schema-too-new": "The database was written by a newer Koine.",
  unavailable: "The database cannot be reached.",
  "missing-driver": "A package that this store needs is not installed.",
  closed: "The ledger was closed.",
} as const;
/** One of the codes of `LEDGER_ERRORS`. */
export type LedgerErrorCode = keyof typeof LEDGER_ERRORS;

/** Optional details of a LedgerError. */
export interface LedgerErrorDetails extends ErrorOptions {
  /**
   * The argument or record that caused the error, as a JSON pointer or a name: "/messages/0/parts",
   * "forkFromMessageId".
   */
  path?: string;
  /** The number of the faulty line of an import, from 1. */
  line?: number;
  /**
   * "unknown" if the connection was lost during a write, which may or may not have taken place. Retrying with the same
   * idempotency key is safe.
   */
  outcome?: "unknown";
}

/** The error that all ledger methods throw. `code` is stable; the message states the fault and the remedy. */
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
