// Declares the losses that the dialects of providers can cause in requests, in responses and in repairs of a history.
import { ANSWER_LOSSES } from "./answer-catalog.ts";
import { FOREIGN_SHAPE_LOSS_CODES } from "./shared-codes.ts";
import type { LossTable } from "./report.ts";

export const PROVIDER_LOSSES = {
  ...ANSWER_LOSSES,
  // Losses of data that only one provider can use.
  "context-not-portable": {
    action: "dropped",
    level: "breaks",
    message: "This value refers to content that only its provider has stored; put the content itself into the request.",
  },
  "response-metadata-not-portable": {
    action: "dropped",
    level: "note",
    message: "This field of another dialect describes the response, not its content; {target} does not receive it.",
  },
  "approval-not-portable": {
    action: "dropped",
    level: "breaks",
    message:
      "{target} has no approvals, and a reader would run the tool that is to be approved; this part was dropped.",
  },
  "tool-not-portable": {
    action: "dropped",
    level: "loss",
    message: "Only another provider has this tool; {target} does not receive it.",
  },
  "reasoning-unsupported": {
    action: "dropped",
    level: "loss",
    message:
      "{target} accepts reasoning only from its issuer; this reasoning was dropped, and is never sent as visible text.",
  },
  "annotation-unsupported": {
    action: "dropped",
    level: "loss",
    message: "{target} has no form for this citation; it was dropped.",
  },
  // Losses from repairs of a history. Encoders make no repairs if the option `repair` is false.
  "result-synthesized": {
    action: "synthesized",
    level: "loss",
    message: "{target} rejects a call without a result; an error result was added.",
  },
  "result-duplicate": {
    action: "repaired",
    level: "loss",
    message: "The call already has a result; only the first one was sent.",
  },
  "result-orphan": {
    action: "repaired",
    level: "loss",
    message: "{target} rejects a result without a call; it was written as text.",
  },
  "result-moved": {
    action: "repaired",
    level: "note",
    message: "{target} expects a result directly after its call; this one was moved there.",
  },
  "results-reordered": {
    action: "repaired",
    level: "note",
    message: "{target} expects results in the order of their calls; this one was moved.",
  },
  "call-id-repeated": {
    action: "repaired",
    level: "note",
    message: "An earlier call has the same id; this call and its result were sent with another one.",
  },
  "call-id-renamed": {
    action: "repaired",
    level: "note",
    message: "{target} does not accept this call id; `names` maps its replacement back.",
  },
  "tool-renamed": {
    action: "repaired",
    level: "note",
    message: "{target} does not accept this tool name; `names` maps its replacement back.",
  },
  "message-empty": {
    action: "repaired",
    level: "note",
    message: "{target} rejects empty messages; this message was not sent.",
  },
  "text-blank": { action: "repaired", level: "note", message: "{target} rejects blank text; this text was not sent." },
  "text-trimmed": {
    action: "repaired",
    level: "note",
    message: "{target} rejects a final assistant text that ends in white space; the white space was removed.",
  },
  "lone-surrogate-replaced": {
    action: "repaired",
    level: "loss",
    message: "{target} rejects lone surrogates (halves of a character); U+FFFD was written instead.",
  },
  "prefill-unsupported": {
    action: "approximated",
    level: "loss",
    message: "{target} does not continue a final assistant message; the model answers after it.",
  },
  "user-turn-synthesized": {
    action: "synthesized",
    level: "note",
    message: "{target} requires the user to begin; a user turn was added that marks the omission.",
  },
  "system-joined": {
    action: "approximated",
    level: "note",
    message: "{target} has one text for leading system and developer messages; they were joined with blank lines.",
  },
  "parts-reordered": {
    action: "moved",
    level: "loss",
    message:
      "{target} has one field each for reasoning, content, refusal and calls; this part was moved before parts that it followed.",
  },
  "texts-joined": {
    action: "approximated",
    level: "note",
    message: "Neighboring texts are one text in {target}; they were joined.",
  },
  // Losses of media parts.
  "media-moved": {
    action: "moved",
    level: "note",
    message: "A result of {target} cannot hold media; it was sent in a user message after the results.",
  },
  "media-format-unsupported": {
    action: "repaired",
    level: "loss",
    message: "{target} does not accept media of this format in this message; it was dropped.",
  },
  "media-converted": {
    action: "repaired",
    level: "note",
    message: "{target} does not accept this encoding of media; the same bytes were written as inline data or text.",
  },
  "mime-type-corrected": {
    action: "repaired",
    level: "note",
    message: "The MIME type was missing or not accepted by {target}; a matching one was written.",
  },
  // Losses of tools and schemas.
  "arguments-wrapped": {
    action: "repaired",
    level: "loss",
    message: "{target} requires arguments to be an object; these were wrapped in one.",
  },
  "schema-changed": {
    action: "approximated",
    level: "loss",
    message: "{target} supports only a part of JSON Schema; the schema was simplified.",
  },
  "schema-synthesized": {
    action: "synthesized",
    level: "note",
    message: "{target} requires an input schema for every tool; an object schema was written.",
  },
  "strict-disabled": {
    action: "repaired",
    level: "note",
    message: "The schema does not meet the rules of {target} for strict mode; strict mode was not requested.",
  },
  "tool-settings-dropped": {
    action: "repaired",
    level: "note",
    message: "{target} rejects this setting when there are no tools; it was dropped.",
  },
  "tool-choice-dropped": {
    action: "repaired",
    level: "loss",
    message: "The request requires a tool call, but no tool is left to call; the model decides by itself.",
  },
  "tool-choice-approximated": {
    action: "approximated",
    level: "loss",
    message: "{target} has no such tool choice; the model may call any of the tools.",
  },
  "tool-choice-incompatible": {
    action: "repaired",
    level: "loss",
    message: "{target} cannot force a tool call while reasoning is on; the model decides by itself.",
  },
  // Losses of request settings.
  "setting-approximated": {
    action: "approximated",
    level: "note",
    message: "{target} has no such value for this setting; the nearest one was written.",
  },
  "effort-as-budget": {
    action: "approximated",
    level: "note",
    message: "This model has no levels of reasoning effort; a token budget was requested.",
  },
  "stop-sequence-limit": {
    action: "repaired",
    level: "loss",
    message: "{target} limits the number of stop sequences (openai-chat: 1 to 4, gemini: 5); this value was dropped.",
  },
  "cache-breakpoint-limit": {
    action: "repaired",
    level: "note",
    message: "{target} accepts four cache breakpoints; only the first four were sent.",
  },
  "metadata-invalid": {
    action: "repaired",
    level: "loss",
    message:
      "{target} accepts 16 metadata strings of up to 512 characters, with keys of up to 64; this one was dropped.",
  },
  // Losses of response fields.
  "field-synthesized": {
    action: "synthesized",
    level: "note",
    message: "{target} requires this field; a default value was written.",
  },
  "failure-unsupported": {
    action: "dropped",
    level: "breaks",
    message: "A response of {target} cannot report that it failed; send the error instead.",
  },
  "usage-synthesized": {
    action: "synthesized",
    level: "note",
    message: "Clients of {target} require token counts; zeros were written.",
  },
  "usage-inconsistent": {
    action: "approximated",
    level: "note",
    message: "The token counts contradict each other; counts below zero were written as zero.",
  },
  "stream-result-dropped": {
    action: "dropped",
    level: "loss",
    message: "A stream of {target} holds only the model's output; this tool result between two answers was dropped.",
  },
} as const satisfies LossTable;

/** The codes of the losses that the dialect of every provider can cause. */
export const PROVIDER_LOSS_CODES = [
  ...FOREIGN_SHAPE_LOSS_CODES,
  "id-not-portable",
  "context-not-portable",
  "response-metadata-not-portable",
  "opaque-not-portable",
  "provider-tool-unsupported",
  "raw-finish-reason-dropped",
  "finish-reason-approximated",
  "tool-settings-dropped",
  "tool-renamed",
  "tool-default-omitted",
  "file-id-not-portable",
  "output-as-text",
  "reasoning-unsupported",
  "message-empty",
  "result-synthesized",
  "result-duplicate",
  "result-orphan",
  "result-moved",
  "results-reordered",
  "call-id-repeated",
  "lone-surrogate-replaced",
  "prefill-unsupported",
  "part-split",
  "late-dropped",
  "stream-result-dropped",
] as const satisfies readonly (keyof typeof PROVIDER_LOSSES)[];
