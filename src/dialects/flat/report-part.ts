// Creates and selects the seals of flat parts, and reports the fields and seals that the encoder does not write.
import type { Part, PartBase, Seal } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../kit/residue/unsent-fields.ts";
import { isSealFor } from "../kit/seals/seals.ts";
import type { FlatResidue } from "./residue.ts";
import type { FLAT_LOSSES, FlatEncodeContext } from "./losses.ts";

/** Returns a seal with the provider of the decode context as its issuer. */
export function createFlatSeal({ provider }: DecodeContext, dialect: string, kind: string, value: string): Seal {
  return provider === undefined ? { dialect, kind, value } : { dialect, provider, kind, value };
}

/**
 * Returns the first seal of the given dialect and kind that may be sent; undefined if there is none. A seal with an
 * empty value is not sent, because a decoder would not read it as a seal.
 */
export function findSendableSeal(
  part: PartBase,
  dialect: string,
  kind: string,
  context: FlatEncodeContext,
): Seal | undefined {
  return part.seals?.find(
    (seal) => seal.kind === kind && seal.value !== "" && isSealFor(seal, { ...context, dialect }),
  );
}

function fields(names: string): ReadonlySet<string> {
  return new Set(`type extra seals ${names}`.split(" "));
}

const TEXT = fields("text");
const MEDIA = fields("mimeType name url data text fileId");

/** The fields that the encoders write or report themselves, by part type. */
const SUPPORTED_FIELDS: Readonly<Record<Part["type"], ReadonlySet<string>>> = {
  text: TEXT,
  refusal: TEXT,
  reasoning: fields("text summary"),
  "tool-call": fields("toolCallId toolName input inputText invalid"),
  "tool-result": fields("toolCallId toolName isError output content"),
  image: MEDIA,
  audio: MEDIA,
  video: MEDIA,
  file: MEDIA,
  opaque: fields("dialect value"),
};
const SEAL_FIELDS = fields("dialect kind value");

type FlatFieldCodes = Readonly<Partial<Record<string, keyof typeof FLAT_LOSSES>>>;
/** Loss codes of certain unsupported fields; all other unsupported fields are reported as `field-unsupported`. */
export const FIELD_CODES: FlatFieldCodes = {
  cache: "metadata-dropped",
  size: "metadata-dropped",
  metadata: "metadata-dropped",
  parentMessageId: "metadata-dropped",
  createdAt: "metadata-dropped",
  executor: "tool-default-omitted",
};
const JSON_CODES: FlatFieldCodes = { ...FIELD_CODES, format: "tool-default-omitted" };

/** Reports the fields, residue and seals of a part that were not written; `sent` are the seals that were written. */
export function reportFlatFields(
  part: Part,
  residue: FlatResidue,
  context: FlatEncodeContext,
  sent: readonly (Seal | undefined)[] = [],
): void {
  const isText = "format" in part && part.format === "text";
  reportUnsupportedFields(
    part,
    SUPPORTED_FIELDS[part.type],
    context,
    "field-unsupported",
    isText ? FIELD_CODES : JSON_CODES,
  );
  reportNotPortableResidue(part, context);
  residue.reportStaleForms();
  context.pathTracker.each("seals", part.seals ?? [], (seal) => {
    if (!sent.includes(seal)) return context.report.addLoss("seal-not-portable");
    // A decoder with the same provider adds the provider to the seal again, so the provider is not reported as a loss.
    const { provider, ...issued } = seal;
    reportUnsupportedFields(provider === context.provider ? issued : seal, SEAL_FIELDS, context, "metadata-dropped");
  });
}
