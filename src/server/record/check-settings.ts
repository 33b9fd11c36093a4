// Checks that the settings of a request can be stored. The check happens before the model is called and billed. For
// example, numbers beyond the double range can be forwarded, but not stored.
import { LedgerError } from "../../ledger/index.ts";
import { isStorableJson } from "../../ledger/shape-predicates.ts";
import { json } from "../../model/validation/shape.ts";
import { structuralIssues } from "../../model/validation/validate.ts";
import type { RecordedCall } from "./types.ts";

/** Throws a `LedgerError` "invalid-input" with the path of a setting that cannot be stored. */
export function checkSettings({ request, dialect, previousResponse }: RecordedCall): void {
  const { messages: _, ...settings } = request;
  // `findThread` checks the messages, but it is not called for a call with a `previous_response_id`. The messages of
  // such a call are therefore checked here.
  const checked = previousResponse === undefined ? settings : request;
  // The value is wrapped in an object, as in the run's metadata, because the ledger limits the nesting depth of the
  // metadata.
  if (isStorableJson({ request: checked })) return;
  const [issue] = structuralIssues(checked, json);
  const path = toClientPath(issue?.path ?? "", dialect);
  throw new LedgerError(
    "invalid-input",
    `At "${path}": ${issue?.message ?? "the value is nested too deep; flatten it."}`,
    { path },
  );
}

/** Converts the path of a residue field to its path in the client's body; other paths are returned unchanged. */
function toClientPath(path: string, dialect: string): string {
  const extraPrefix = `/extra/${dialect}/`;
  return path.startsWith(extraPrefix) ? path.slice(extraPrefix.length - 1) : path;
}
