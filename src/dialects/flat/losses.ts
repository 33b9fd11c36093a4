// What encoding into the flat shape can lose.
import type { EncodeContext } from "../dialect.ts";
import type { LossDeclaration } from "../report.ts";
import { FOREIGN_LOSSES } from "../residue.ts";

export const LOSSES = {
  ...FOREIGN_LOSSES,
  order: {
    action: "approximated",
    level: "loss",
    says: "A flat message holds reasoning, content, refusal and tool calls in this order; this part came later in the original.",
  },
  "message-split": {
    action: "approximated",
    level: "note",
    says: "A flat tool message holds one result, so this message was written as several.",
  },
  "result-moved": {
    action: "moved",
    level: "note",
    says: "A result stands in a tool message of its own here.",
  },
  "tool-part-moved": {
    action: "moved",
    level: "loss",
    says: "A tool message holds a result only; this part was written into a user message beside it.",
  },
  "tool-message-empty": {
    action: "synthesized",
    level: "note",
    says: "A tool message without a result reads as an empty result without a call.",
  },
  "content-filled": {
    action: "synthesized",
    level: "note",
    says: "A result needs content; this one had none and was given an empty text.",
  },
  "thinking-blocks-stale": {
    action: "dropped",
    level: "loss",
    says: "`reasoning` was edited and no longer says what the signed thinking blocks say; the blocks were left out.",
  },
  "thought-signatures-stale": {
    action: "dropped",
    level: "loss",
    says: "These thought signatures belong to no part of the message and were left out.",
  },
  "residue-clash": {
    action: "dropped",
    level: "loss",
    says: "This field was kept from the wire, but an edit has put something else in its place.",
  },
  "form-stale": {
    action: "dropped",
    level: "note",
    says: "How this was once spelled no longer fits what it says now; it was written in the plain form.",
  },
  "seal-origin": {
    action: "dropped",
    level: "note",
    says: "The artefact travels, but not which provider and model issued it.",
  },
  "summary-as-text": {
    action: "approximated",
    level: "loss",
    says: "There is no place for summaries of reasoning; they were written as the reasoning itself.",
  },
  "summary-dropped": {
    action: "dropped",
    level: "loss",
    says: "There is no place for summaries of reasoning beside its text.",
  },
  "output-as-text": {
    action: "approximated",
    level: "note",
    says: "A result is a text here; this JSON value was written as JSON text.",
  },
  "output-in-content": {
    action: "approximated",
    level: "note",
    says: "A result is a text or parts here; the output was written as the first of the parts.",
  },
  "error-flag": {
    action: "dropped",
    level: "loss",
    says: "Nothing here says that a result is an error; say so in its text.",
  },
  "provider-executed": {
    action: "dropped",
    level: "loss",
    says: "A tool that the provider ran is left out: a reader would take it for a call to execute (B33).",
  },
  "tool-kind": {
    action: "dropped",
    level: "loss",
    says: "Every tool is a plain function here; the provider's own word for it was left out.",
  },
  "tool-default": {
    action: "dropped",
    level: "note",
    says: "What every tool of this shape is goes unsaid: run by the client, speaking JSON.",
  },
  "free-form": {
    action: "approximated",
    level: "loss",
    says: "Tools speak JSON here; this free text stands where JSON is expected.",
  },
  "call-invalid": {
    action: "dropped",
    level: "loss",
    says: "Whether a call is invalid is told from its arguments alone: one that can be read, yet was cut off, looks whole here. Do not execute it.",
  },
  "video-as-file": {
    action: "approximated",
    level: "loss",
    says: "There is no video part; it was written as a file with its mime type.",
  },
  "text-as-data": {
    action: "approximated",
    level: "note",
    says: "A plain-text document was written as base64 of its UTF-8 bytes.",
  },
  "source-dropped": {
    action: "dropped",
    level: "loss",
    says: "Media are data, a URL or a file id here; this other source of the same part was left out.",
  },
  "media-elsewhere": {
    action: "dropped",
    level: "breaks",
    says: "Media are data, a URL or a file id here; this is a path, a ledger reference, parts or nothing. Inline it first.",
  },
  "part-unsayable": {
    action: "dropped",
    level: "loss",
    says: "A part of this type cannot stand here.",
  },
  "opaque-foreign": {
    action: "dropped",
    level: "loss",
    says: "A block of another dialect, kept verbatim there, cannot be said here.",
  },
  "name-dropped": {
    action: "dropped",
    level: "loss",
    says: "The name on a tool message is the tool's; the sender's name was left out.",
  },
  "field-unsaid": {
    action: "dropped",
    level: "loss",
    says: "Flat messages have no field for this.",
  },
  bookkeeping: {
    action: "dropped",
    level: "note",
    says: "Metadata, times, sizes and cache breakpoints have no place in flat messages; keep the canonical ones.",
  },
} as const satisfies Record<string, LossDeclaration>;

export type FlatLoss = keyof typeof LOSSES;
export type FlatContext = EncodeContext<FlatLoss>;
