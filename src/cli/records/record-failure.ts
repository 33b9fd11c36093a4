// Converts an error to the failure of one record: a code, a path and a sentence.
import { AssemblyError } from "../../assembly/index.ts";
import { DialectError } from "../../dialects/index.ts";
import type { ErrorPayload } from "../../model/index.ts";
import { JsonError, KoineError } from "../../model/index.ts";
import type { RecordFailure } from "../write/conversion-report.ts";

/** The error code that all stream decoders report if a stream ends before its answer is complete. */
export const TRUNCATED_CODE = "truncated";

const JSON_ERROR_POSITION = /\bat line (\d+), column (\d+)/;

/** Returns the failure of a record. `line` is the first line of the record in its file. */
export function toRecordFailure(error: unknown, line: number): RecordFailure {
  if (error instanceof DialectError) {
    return { code: error.code, path: error.path, message: error.message };
  }
  if (error instanceof JsonError)
    return { code: error.code, path: error.path, message: adjustPosition(error.message, line) };
  if (error instanceof AssemblyError) return toAssemblyFailure(error);
  if (error instanceof KoineError) return { code: error.code, message: error.message };
  const reason = error instanceof Error ? error.message : String(error);
  return {
    code: "fault",
    message: `Internal error of Koine in this record, please report it: ${reason}`,
  };
}

/**
 * Returns the failure for the error of the answer, if the answer failed; otherwise for the rule of the delta contract
 * that the stream violates.
 */
function toAssemblyFailure({ error, rule, message }: AssemblyError): RecordFailure {
  return error === undefined ? { code: rule, message } : { code: error.errorCode, message: formatAnswerError(error) };
}

export function formatAnswerError({ errorCode, message = "" }: ErrorPayload): string {
  if (errorCode === TRUNCATED_CODE && message !== "") return message;
  return message === "" ? `The answer failed: ${errorCode}.` : `The answer failed (${errorCode}): ${message}`;
}

function adjustPosition(message: string, line: number): string {
  return message.replace(JSON_ERROR_POSITION, (_all, inner: string, column: string) =>
    inner === "1" ? `at column ${column}` : `at line ${line + Number(inner) - 1}, column ${column}`,
  );
}
