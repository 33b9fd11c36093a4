// Why a record failed, in a sentence for people and as data.
import { AssemblyError } from "../../assembly/index.ts";
import { DialectError } from "../../dialects/index.ts";
import type { ErrorPayload } from "../../model/index.ts";
import { JsonError, KoineError } from "../../model/index.ts";
import type { Failure } from "../write/report.ts";

/** What every decoder calls the end of a stream that comes before the end of its answer. */
export const TRUNCATED = "truncated";

const POSITION = /\bat line (\d+), column (\d+)/;

/** `line` is where the record begins; a place within it is counted from there. */
export function failureOf(error: unknown, line: number): Failure {
  if (error instanceof DialectError) {
    return { code: error.code, path: error.path, message: error.message };
  }
  if (error instanceof JsonError) return { code: error.code, path: error.path, message: placed(error.message, line) };
  if (error instanceof AssemblyError) return assemblyFailure(error);
  if (error instanceof KoineError) return { code: error.code, message: error.message };
  const reason = error instanceof Error ? error.message : String(error);
  return {
    code: "fault",
    message: `Koine cannot read this, which is a fault of Koine's own; please report it: ${reason}`,
  };
}

/** An answer that ended in an error says why itself; only what broke a rule is a matter of deltas. */
function assemblyFailure({ error, rule, message }: AssemblyError): Failure {
  return error === undefined ? { code: rule, message } : { code: error.errorCode, message: errorSentence(error) };
}

export function errorSentence({ errorCode, message = "" }: ErrorPayload): string {
  if (errorCode === TRUNCATED && message !== "") return message;
  return message === "" ? `The answer failed: ${errorCode}.` : `The answer failed (${errorCode}): ${message}`;
}

function placed(message: string, line: number): string {
  return message.replace(POSITION, (_all, inner: string, column: string) =>
    inner === "1" ? `at column ${column}` : `at line ${line + Number(inner) - 1}, column ${column}`,
  );
}
