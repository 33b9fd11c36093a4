// The common vocabulary of losses: one code means the same in every dialect. A dialect declares the codes it can cause
// by spreading them into its own table; each stands alone, so that a bundle holds only the sentences it needs.
import type { LossDeclaration } from "./report.ts";

type Declared<Code extends string> = Readonly<Record<Code, LossDeclaration>>;

export const residueForeign: Declared<"residue-foreign"> = {
  "residue-foreign": { action: "dropped", level: "loss", says: "A field that only another dialect has." },
};

export const formForeign: Declared<"form-foreign"> = {
  "form-foreign": {
    action: "dropped",
    level: "note",
    says: "How another dialect spelled this; it means nothing here.",
  },
};

export const sealForeign: Declared<"seal-foreign"> = {
  "seal-foreign": {
    action: "dropped",
    level: "loss",
    says: "It means something only to its issuer.",
  },
};

export const opaqueForeign: Declared<"opaque-foreign"> = {
  "opaque-foreign": { action: "dropped", level: "loss", says: "A block that only another dialect can say." },
};

export const formStale: Declared<"form-stale"> = {
  "form-stale": {
    action: "dropped",
    level: "note",
    says: "Its old spelling no longer fits; the plain form was written.",
  },
};

export const residueClash: Declared<"residue-clash"> = {
  "residue-clash": {
    action: "dropped",
    level: "loss",
    says: "It was kept from the wire, but its place is taken by now.",
  },
};

export const bookkeeping: Declared<"bookkeeping"> = {
  bookkeeping: {
    action: "dropped",
    level: "note",
    says: "Ids, times, metadata and cache breakpoints have no place; keep the canonical message.",
  },
};

export const fieldUnsaid: Declared<"field-unsaid"> = {
  "field-unsaid": { action: "dropped", level: "loss", says: "There is no field for this." },
};

export const partUnsayable: Declared<"part-unsayable"> = {
  "part-unsayable": { action: "dropped", level: "loss", says: "There is no word for this part." },
};

export const roleApproximated: Declared<"role-approximated"> = {
  "role-approximated": {
    action: "approximated",
    level: "loss",
    says: "There is no such role; the nearest one was written.",
  },
};

export const refusalAsText: Declared<"refusal-as-text"> = {
  "refusal-as-text": { action: "approximated", level: "loss", says: "There are no refusals; it was written as text." },
};

export const mediaAsFile: Declared<"media-as-file"> = {
  "media-as-file": {
    action: "approximated",
    level: "loss",
    says: "There is no such kind of media; its mime type tells what it is.",
  },
};

export const mediaElsewhere: Declared<"media-elsewhere"> = {
  "media-elsewhere": {
    action: "dropped",
    level: "loss",
    says: "Media from this source cannot be said; inline it first.",
  },
};

export const fileId: Declared<"file-id"> = {
  "file-id": {
    action: "dropped",
    level: "breaks",
    says: "A provider's file id cannot be said; inline the file first.",
  },
};

export const textAsData: Declared<"text-as-data"> = {
  "text-as-data": { action: "approximated", level: "note", says: "The text was written as base64." },
};

export const providerTool: Declared<"provider-tool"> = {
  "provider-tool": {
    action: "dropped",
    level: "loss",
    says: "The provider ran this tool; left out, as a reader would run it again.",
  },
};

export const toolDefault: Declared<"tool-default"> = {
  "tool-default": {
    action: "dropped",
    level: "note",
    says: "It goes unsaid: tools are run by the client and speak JSON.",
  },
};

export const toolName: Declared<"tool-name"> = {
  "tool-name": {
    action: "dropped",
    level: "note",
    says: "Only calls name the tool, and no earlier call has this name.",
  },
};

export const callInvalid: Declared<"call-invalid"> = {
  "call-invalid": { action: "dropped", level: "loss", says: "Nothing can say that this call must not be executed." },
};

export const outputAsText: Declared<"output-as-text"> = {
  "output-as-text": { action: "approximated", level: "note", says: "The JSON value was written as text." },
};

export const outputInContent: Declared<"output-in-content"> = {
  "output-in-content": {
    action: "approximated",
    level: "note",
    says: "The output was written as the first of the parts.",
  },
};

export const resultEmpty: Declared<"result-empty"> = {
  "result-empty": { action: "synthesized", level: "note", says: "A result needs content; an empty text was written." },
};
