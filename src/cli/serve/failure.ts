// Why a server does not start, as an error for people.
import { LedgerError } from "../../ledger/index.ts";
import { ServerError } from "../../server/errors.ts";
import { toCliError } from "../data.ts";
import { CliError } from "../exit.ts";

export function startError(error: unknown): unknown {
  if (error instanceof LedgerError) return toCliError(error);
  if (!(error instanceof ServerError) || error.code !== "configuration") return error;
  // What the operating system refused is the cause; without one, a setting is wrong.
  return new CliError(error.cause === undefined ? "usage" : "io", error.message, { cause: error });
}
