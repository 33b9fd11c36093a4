// The common vocabulary of losses: one code means the same in every dialect. A dialect declares the codes it can cause
// by spreading them into its own table; each stands alone, so that a bundle holds only the sentences it needs.
import type { LossDeclaration } from "./report.ts";

type Declared<Code extends string> = Readonly<Record<Code, LossDeclaration>>;

export const residueForeign: Declared<"residue-foreign"> = {
  "residue-foreign": { action: "dropped", level: "loss", message: "A field that only another dialect has." },
};

export const formForeign: Declared<"form-foreign"> = {
  "form-foreign": {
    action: "dropped",
    level: "note",
    message: "How another dialect spelled this; it means nothing here.",
  },
};

export const sealForeign: Declared<"seal-foreign"> = {
  "seal-foreign": {
    action: "dropped",
    level: "loss",
    message: "It means something only to its issuer.",
  },
};

export const opaqueForeign: Declared<"opaque-foreign"> = {
  "opaque-foreign": { action: "dropped", level: "loss", message: "A block that only another dialect can say." },
};

export const formStale: Declared<"form-stale"> = {
  "form-stale": {
    action: "dropped",
    level: "note",
    message: "Its old spelling no longer fits; the plain form was written.",
  },
};

export const residueClash: Declared<"residue-clash"> = {
  "residue-clash": {
    action: "dropped",
    level: "loss",
    message: "It was kept from the wire, but its place is taken by now.",
  },
};

export const bookkeeping: Declared<"bookkeeping"> = {
  bookkeeping: {
    action: "dropped",
    level: "note",
    message: "Ids, times, metadata and cache breakpoints have no place; keep the canonical message.",
  },
};

export const fieldUnsaid: Declared<"field-unsaid"> = {
  "field-unsaid": { action: "dropped", level: "loss", message: "There is no field for this." },
};

export const partUnsayable: Declared<"part-unsayable"> = {
  "part-unsayable": { action: "dropped", level: "loss", message: "There is no word for this part." },
};

export const roleApproximated: Declared<"role-approximated"> = {
  "role-approximated": {
    action: "approximated",
    level: "loss",
    message: "There is no such role; the nearest one was written.",
  },
};

export const refusalAsText: Declared<"refusal-as-text"> = {
  "refusal-as-text": {
    action: "approximated",
    level: "loss",
    message: "There are no refusals; it was written as text.",
  },
};

export const mediaAsFile: Declared<"media-as-file"> = {
  "media-as-file": {
    action: "approximated",
    level: "loss",
    message: "There is no such kind of media; its mime type tells what it is.",
  },
};

export const mediaElsewhere: Declared<"media-elsewhere"> = {
  "media-elsewhere": {
    action: "dropped",
    level: "loss",
    message: "Media from this source cannot be said; inline it first.",
  },
};

export const fileId: Declared<"file-id"> = {
  "file-id": {
    action: "dropped",
    level: "breaks",
    message: "A provider's file id cannot be said; inline the file first.",
  },
};

export const textAsData: Declared<"text-as-data"> = {
  "text-as-data": { action: "approximated", level: "note", message: "The text was written as base64." },
};

export const providerTool: Declared<"provider-tool"> = {
  "provider-tool": {
    action: "dropped",
    level: "loss",
    message: "The provider ran this tool; left out, as a reader would run it again.",
  },
};

export const toolDefault: Declared<"tool-default"> = {
  "tool-default": {
    action: "dropped",
    level: "note",
    message: "It goes unsaid: tools are run by the client and speak JSON.",
  },
};

export const toolName: Declared<"tool-name"> = {
  "tool-name": {
    action: "dropped",
    level: "note",
    message: "Only calls name the tool, and no earlier call has this name.",
  },
};

export const callInvalid: Declared<"call-invalid"> = {
  "call-invalid": { action: "dropped", level: "loss", message: "Nothing can say that this call must not be executed." },
};

export const outputAsText: Declared<"output-as-text"> = {
  "output-as-text": { action: "approximated", level: "note", message: "The JSON value was written as text." },
};

export const outputInContent: Declared<"output-in-content"> = {
  "output-in-content": {
    action: "approximated",
    level: "note",
    message: "The output was written as the first of the parts.",
  },
};

export const resultEmpty: Declared<"result-empty"> = {
  "result-empty": {
    action: "synthesized",
    level: "note",
    message: "A result needs content; an empty text was written.",
  },
};

export const idForeign: Declared<"id-foreign"> = {
  "id-foreign": { action: "dropped", level: "note", message: "An id that means something only to its issuer." },
};

export const contextForeign: Declared<"context-foreign"> = {
  "context-foreign": {
    action: "dropped",
    level: "breaks",
    message: "It refers to what only its provider has stored; put the content itself into the request.",
  },
};

export const echoForeign: Declared<"echo-foreign"> = {
  "echo-foreign": { action: "dropped", level: "note", message: "What another dialect's answer says about itself." },
};

export const finishRaw: Declared<"finish-raw"> = {
  "finish-raw": { action: "dropped", level: "note", message: "The provider's own word for how it ended." },
};

export const turnsMerged: Declared<"turns-merged"> = {
  "turns-merged": { action: "moved", level: "note", message: "Neighbours go out as one turn." },
};

export const systemJoined: Declared<"system-joined"> = {
  "system-joined": {
    action: "approximated",
    level: "note",
    message: "Leading system and developer messages go out as one text, joined by blank lines.",
  },
};

export const systemMoved: Declared<"system-moved"> = {
  "system-moved": {
    action: "moved",
    level: "loss",
    message: "System text has one place here: it went to the beginning.",
  },
};

export const developerAsSystem: Declared<"developer-as-system"> = {
  "developer-as-system": {
    action: "approximated",
    level: "note",
    message: "There are no developer messages; it went out as system text.",
  },
};

export const reasoningUnsaid: Declared<"reasoning-unsaid"> = {
  "reasoning-unsaid": {
    action: "dropped",
    level: "loss",
    message: "Reasoning goes back only to who can verify it, and never into the visible text.",
  },
};

export const errorUnsaid: Declared<"error-unsaid"> = {
  "error-unsaid": {
    action: "dropped",
    level: "loss",
    message: "A result cannot say that its tool failed; its text may.",
  },
};

export const mediaMoved: Declared<"media-moved"> = {
  "media-moved": {
    action: "moved",
    level: "note",
    message: "A result cannot hold media; it went out as a user message after the results.",
  },
};

export const schemaChanged: Declared<"schema-changed"> = {
  "schema-changed": { action: "approximated", level: "loss", message: "The target takes only part of JSON Schema." },
};

/** Repairs of the history: reported, made at encode only, and never made with `repair: false`. */
export const HISTORY_LOSSES = {
  "result-synthesized": {
    action: "synthesized",
    level: "loss",
    message: "The call has no result, which the target refuses; one was made that says so.",
  },
  "result-duplicate": {
    action: "repaired",
    level: "loss",
    message: "The call already has a result; the first one counts.",
  },
  "result-orphan": {
    action: "repaired",
    level: "loss",
    message: "The result answers no call, which the target refuses; it was written as text.",
  },
  "call-id-repeated": {
    action: "repaired",
    level: "note",
    message: "An earlier call has the same id; this one, and its result, go out under another.",
  },
  "results-reordered": { action: "repaired", level: "note", message: "Results go out in the order of their calls." },
  "result-moved": { action: "repaired", level: "note", message: "The result goes out directly after its call." },
  surrogates: {
    action: "repaired",
    level: "loss",
    message: "Half a character, which providers refuse; U+FFFD stands in its place.",
  },
  prefill: {
    action: "approximated",
    level: "loss",
    message: "The target does not continue a final assistant message; it answers after it.",
  },
} as const satisfies Declared<string>;

export const textBlank: Declared<"text-blank"> = {
  "text-blank": { action: "repaired", level: "note", message: "Blank text, which the target refuses, was left out." },
};

export const textTrimmed: Declared<"text-trimmed"> = {
  "text-trimmed": {
    action: "repaired",
    level: "note",
    message: "White space at the end of a final assistant text, which the target refuses, was left out.",
  },
};

export const userFirst: Declared<"user-first"> = {
  "user-first": {
    action: "synthesized",
    level: "note",
    message: "The target wants the user to speak first; a turn was made that says that something is left out.",
  },
};

export const NAME_LOSSES = {
  "call-id-renamed": {
    action: "repaired",
    level: "note",
    message: "The target does not take this id; `names` says what stands for it.",
  },
  "tool-renamed": {
    action: "repaired",
    level: "note",
    message: "The target does not take this name; `names` says what stands for it.",
  },
} as const satisfies Declared<string>;

export const argumentsWrapped: Declared<"arguments-wrapped"> = {
  "arguments-wrapped": {
    action: "repaired",
    level: "loss",
    message: "Arguments must be an object here; they were put into one.",
  },
};

export const toolsEmpty: Declared<"tools-empty"> = {
  "tools-empty": {
    action: "repaired",
    level: "note",
    message: "It means nothing without tools, and targets refuse it.",
  },
};

export const choiceLost: Declared<"choice-lost"> = {
  "choice-lost": {
    action: "repaired",
    level: "loss",
    message: "A call was demanded, but no tool is left that could be called; the model answers as it likes.",
  },
};

export const schemaMade: Declared<"schema-made"> = {
  "schema-made": {
    action: "synthesized",
    level: "note",
    message: "A tool must describe its input; an object was written.",
  },
};

export const effortAsBudget: Declared<"effort-as-budget"> = {
  "effort-as-budget": {
    action: "approximated",
    level: "note",
    message: "This model has no levels of thinking; a budget was asked for.",
  },
};

export const strictUnmet: Declared<"strict-unmet"> = {
  "strict-unmet": {
    action: "repaired",
    level: "note",
    message: "The schema does not meet the target's rules for strict, so it is not claimed.",
  },
};

export const messageEmpty: Declared<"message-empty"> = {
  "message-empty": {
    action: "repaired",
    level: "note",
    message: "It says nothing, which the target refuses; left out.",
  },
};

export const messageUnsaid: Declared<"message-unsaid"> = {
  "message-unsaid": {
    action: "dropped",
    level: "note",
    message: "Nothing of it can be said, so that it was left out.",
  },
};

export const finishApproximated: Declared<"finish-approximated"> = {
  "finish-approximated": {
    action: "approximated",
    level: "loss",
    message: "There is no word for how it ended; the nearest one was written.",
  },
};

export const mimeGuessed: Declared<"mime-guessed"> = {
  "mime-guessed": {
    action: "synthesized",
    level: "note",
    message: "Inline media need a type; the likeliest was written.",
  },
};

/** What only the order of a stream can cost. */
export const STREAM_LOSSES: Declared<"part-split" | "late-unsaid" | "result-between"> = {
  "part-split": {
    action: "approximated",
    level: "note",
    message: "More of it came when the stream had gone on to another block; it stands in a further block of its kind.",
  },
  "late-unsaid": {
    action: "dropped",
    level: "loss",
    message: "It came after the block that it belongs to had been closed.",
  },
  "result-between": {
    action: "dropped",
    level: "loss",
    message: "A client's result between two answers of a run; a stream holds what the model says.",
  },
};
