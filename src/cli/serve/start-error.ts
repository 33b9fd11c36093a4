// Converts an error at the start of the server to a CliError.
import { LedgerError } from "../../ledger/index.ts";
import { ServerError } from "../../server/errors.ts";
import { toCliError } from "../data.ts";
import { CliError } from "../exit.ts";

export function toStartError(error: unknown): unknown {
  if (error instanceof LedgerError) return toCliError(error);
  if (!(error instanceof ServerError) || error.code !== "configuration") return error;
  // A ServerError with a cause comes from the operating system; without a cause, it means that a setting is wrong.
  return new CliError(error.cause === undefined ? "usage" : "io", error.message, { cause: error });
}
