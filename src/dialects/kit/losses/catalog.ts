// Declares the losses that any dialect can cause. The losses.ts of a dialect picks the codes that the dialect uses, and
// declares the losses that only this dialect can cause. `fillTarget` replaces `{target}` in a message by the id of the
// dialect. The losses of answers and of providers are in separate files, so that a bundle with only an interchange
// dialect does not contain their messages.
import type { LossTable } from "./report.ts";

export const COMMON_LOSSES = {
  // Losses of residue, forms and seals.
  "residue-not-portable": {
    action: "dropped",
    level: "loss",
    message: "Only the dialect that this field came from can send it; {target} does not receive it.",
  },
  "form-not-portable": {
    action: "dropped",
    level: "note",
    message: "Another dialect's spelling of this value means nothing to {target}; the plain form was written.",
  },
  "form-stale": {
    action: "dropped",
    level: "note",
    message: "The stored spelling no longer fits the value; the plain form was written.",
  },
  "residue-conflict": {
    action: "dropped",
    level: "loss",
    message: "Another value now stands where this stored field belongs; the stored field was not written.",
  },
  "seal-not-portable": {
    action: "dropped",
    level: "loss",
    message: "Only its issuer can read this seal; {target} does not receive it.",
  },
  "opaque-not-portable": {
    action: "dropped",
    level: "loss",
    message: "Only the dialect that this block came from can send it; {target} does not receive it.",
  },
  // Losses of messages and parts.
  "metadata-dropped": {
    action: "dropped",
    level: "note",
    message: "{target} has no field for this id, time, metadata or cache breakpoint; keep the canonical message.",
  },
  "field-unsupported": {
    action: "dropped",
    level: "loss",
    message: "{target} has no field for this value; it was dropped.",
  },
  "part-unsupported": {
    action: "dropped",
    level: "loss",
    message: "{target} has no equivalent of this part; it was dropped.",
  },
  "role-approximated": {
    action: "approximated",
    level: "loss",
    message: "{target} has no such role; the nearest one was written.",
  },
  "refusal-as-text": {
    action: "approximated",
    level: "loss",
    message: "{target} has no refusals; this one was written as text.",
  },
  "summary-as-text": {
    action: "approximated",
    level: "loss",
    message: "{target} does not separate reasoning from its summaries; both are written as reasoning text.",
  },
  // Losses of media parts.
  "media-as-file": {
    action: "approximated",
    level: "loss",
    message: "{target} has no such kind of media; it was written as a file, and only its MIME type tells its kind.",
  },
  "media-source-unsupported": {
    action: "dropped",
    level: "loss",
    message: "{target} does not accept media from this source; it was dropped. Inline the media first.",
  },
  "file-id-not-portable": {
    action: "dropped",
    level: "breaks",
    message: "{target} cannot resolve this file id; the file was dropped. Inline the file first.",
  },
  "text-as-data": {
    action: "approximated",
    level: "note",
    message: "{target} has no inline text documents; the text was written as base64 data.",
  },
  // Losses of tool calls and results.
  "provider-tool-unsupported": {
    action: "dropped",
    level: "loss",
    message: "The provider ran this tool, and a reader of {target} would run it again; it was dropped.",
  },
  "tool-default-omitted": {
    action: "dropped",
    level: "note",
    message: "Every tool of {target} is run by the client with JSON arguments; this default was not written.",
  },
  "result-tool-name-dropped": {
    action: "dropped",
    level: "note",
    message: "Only calls name their tool in {target}; the name on this result was dropped.",
  },
  "invalid-call-unsupported": {
    action: "dropped",
    level: "loss",
    message: "{target} cannot mark a call as invalid; a reader may run it.",
  },
  "output-as-text": {
    action: "approximated",
    level: "note",
    message: "{target} takes output as text; the JSON value was written as text.",
  },
  "output-in-content": {
    action: "approximated",
    level: "note",
    message: "A result of {target} has either output or content; the output was written as the first content part.",
  },
  "result-empty": {
    action: "synthesized",
    level: "note",
    message: "{target} requires content in a result; empty content was written.",
  },
  "result-text-joined": {
    action: "approximated",
    level: "note",
    message: "A result of {target} has one text; this text was joined to it.",
  },
  "error-flag-unsupported": {
    action: "dropped",
    level: "loss",
    message: "{target} cannot mark a result as an error; only its text can tell.",
  },
} as const satisfies LossTable;

/** The losses of data that only the dialect or issuer it came from can use. Every dialect can cause them. */
export const NOT_PORTABLE_LOSSES = /* @__PURE__ */ pickLosses(COMMON_LOSSES, [
  "residue-not-portable",
  "form-not-portable",
  "seal-not-portable",
]);
/** The code of a loss in `NOT_PORTABLE_LOSSES`. */
export type NotPortableLoss = keyof typeof NOT_PORTABLE_LOSSES;

/** Returns the entries of a catalog that have one of the given codes. */
export function pickLosses<Catalog extends LossTable, Code extends keyof Catalog>(
  catalog: Catalog,
  codes: readonly Code[],
): Readonly<Pick<Catalog, Code>> {
  // The cast adds the keys, which the type of `Object.fromEntries` lacks. It is safe: there is one entry for each code.
  return Object.fromEntries(codes.map((code) => [code, catalog[code]])) as Pick<Catalog, Code>;
}
