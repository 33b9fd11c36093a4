// The common vocabulary of losses: one code means the same in every dialect. A dialect declares the codes it can cause
// by spreading them into its own table; each stands alone, so that a bundle holds only the sentences it needs.
import type { LossDeclaration } from "./report.ts";

type Declared<Code extends string> = Readonly<Record<Code, LossDeclaration>>;

export const residueForeign: Declared<"residue-foreign"> = {
  "residue-foreign": {
    action: "dropped",
    level: "loss",
    says: "A field of another dialect; there is no word for it here.",
  },
};

export const formForeign: Declared<"form-foreign"> = {
  "form-foreign": {
    action: "dropped",
    level: "note",
    says: "How another dialect spelled this; it has no meaning here.",
  },
};

export const sealForeign: Declared<"seal-foreign"> = {
  "seal-foreign": {
    action: "dropped",
    level: "loss",
    says: "This artefact means something only to its issuer and was left out.",
  },
};

export const opaqueForeign: Declared<"opaque-foreign"> = {
  "opaque-foreign": { action: "dropped", level: "loss", says: "A block that only another dialect can say." },
};

export const formStale: Declared<"form-stale"> = {
  "form-stale": {
    action: "dropped",
    level: "note",
    says: "How this was once spelled no longer fits what it says now; the plain form was written.",
  },
};

export const residueClash: Declared<"residue-clash"> = {
  "residue-clash": {
    action: "dropped",
    level: "loss",
    says: "This field was kept from the wire, but something else has taken its place.",
  },
};

export const bookkeeping: Declared<"bookkeeping"> = {
  bookkeeping: {
    action: "dropped",
    level: "note",
    says: "Ids, times, metadata and cache breakpoints have no place here; keep the canonical message.",
  },
};

export const fieldUnsaid: Declared<"field-unsaid"> = {
  "field-unsaid": { action: "dropped", level: "loss", says: "There is no field for this here." },
};

export const partUnsayable: Declared<"part-unsayable"> = {
  "part-unsayable": { action: "dropped", level: "loss", says: "A part of this type cannot stand here." },
};

export const roleApproximated: Declared<"role-approximated"> = {
  "role-approximated": {
    action: "approximated",
    level: "loss",
    says: "There is no such role here; the nearest one was written.",
  },
};

export const refusalAsText: Declared<"refusal-as-text"> = {
  "refusal-as-text": {
    action: "approximated",
    level: "loss",
    says: "There are no refusals here; it was written as text.",
  },
};

export const mediaAsFile: Declared<"media-as-file"> = {
  "media-as-file": {
    action: "approximated",
    level: "loss",
    says: "There is no such kind of media here; its mime type says what it is.",
  },
};

export const mediaElsewhere: Declared<"media-elsewhere"> = {
  "media-elsewhere": {
    action: "dropped",
    level: "loss",
    says: "Media of this source cannot be said here; inline it first.",
  },
};

export const fileId: Declared<"file-id"> = {
  "file-id": {
    action: "dropped",
    level: "breaks",
    says: "A provider's file id cannot be said here; inline the file first.",
  },
};

export const textAsData: Declared<"text-as-data"> = {
  "text-as-data": {
    action: "approximated",
    level: "note",
    says: "A plain-text document was written as base64 of its UTF-8 bytes.",
  },
};

export const providerTool: Declared<"provider-tool"> = {
  "provider-tool": {
    action: "dropped",
    level: "loss",
    says: "A tool that the provider ran was left out: a reader would take it for a call to execute.",
  },
};

export const toolDefault: Declared<"tool-default"> = {
  "tool-default": {
    action: "dropped",
    level: "note",
    says: "Every tool here is run by the client and speaks JSON; that goes unsaid.",
  },
};

export const toolName: Declared<"tool-name"> = {
  "tool-name": {
    action: "dropped",
    level: "note",
    says: "A result's tool is named by its call alone, and no earlier call has this name.",
  },
};

export const callInvalid: Declared<"call-invalid"> = {
  "call-invalid": { action: "dropped", level: "loss", says: "Nothing here says that this call must not be executed." },
};

export const outputAsText: Declared<"output-as-text"> = {
  "output-as-text": {
    action: "approximated",
    level: "note",
    says: "A result is a text here; this JSON value was written as JSON text.",
  },
};

export const outputInContent: Declared<"output-in-content"> = {
  "output-in-content": {
    action: "approximated",
    level: "note",
    says: "A result is one value or parts; the output was written as the first of the parts.",
  },
};

export const resultEmpty: Declared<"result-empty"> = {
  "result-empty": {
    action: "synthesized",
    level: "note",
    says: "A result needs content here; it was given an empty text.",
  },
};
