// What a call says must fit into the record before anybody is asked, and paid: numbers that are too large for JSON's
// readers can be passed on, but not be kept.
import { LedgerError } from "../../ledger/index.ts";
import { isSoundJson } from "../../ledger/sound.ts";
import { json } from "../../model/shape.ts";
import { structuralIssues } from "../../model/validate.ts";
import type { RecordedCall } from "./types.ts";

/** Throws a `LedgerError` "invalid-input" that names the place. Messages are looked at where a history is recognised. */
export function checkSettings({ request, dialect, previousResponse }: RecordedCall): void {
  const { messages: _, ...settings } = request;
  // What follows a response is not recognised.
  const said = previousResponse === undefined ? settings : request;
  // As deep as it stands in the facts of a run.
  if (isSoundJson({ request: said })) return;
  const [issue] = structuralIssues(said, json);
  const path = placeOf(issue?.path ?? "", dialect);
  throw new LedgerError("invalid-input", `At "${path}": ${issue?.message ?? "nested too deep; flatten it."}`, { path });
}

/** What a dialect keeps of a request stands, in its own words, beside the other fields. */
function placeOf(path: string, dialect: string): string {
  const kept = `/extra/${dialect}/`;
  return path.startsWith(kept) ? path.slice(kept.length - 1) : path;
}
