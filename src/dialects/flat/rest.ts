// Seals, and what else of a part does not arrive: every field that no encoder here writes is reported.
import type { Part, PartBase, Seal } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { isSealFor, reportNotPortableResidue, reportUnsupportedFields } from "../kit/residue.ts";
import type { Kept } from "./kept.ts";
import type { FlatContext, FlatLoss } from "./losses.ts";

/** A seal as read from the wire. */
export function sealOf({ provider }: DecodeContext, dialect: string, kind: string, value: string): Seal {
  return provider === undefined ? { dialect, kind, value } : { dialect, provider, kind, value };
}

/** The first seal of a kind that may be sent; an empty one cannot be told from none. */
export function sendableSeal(part: PartBase, dialect: string, kind: string, context: FlatContext): Seal | undefined {
  return part.seals?.find(
    (seal) => seal.kind === kind && seal.value !== "" && isSealFor(seal, { ...context, dialect }),
  );
}

function fields(names: string): ReadonlySet<string> {
  return new Set(`type extra seals ${names}`.split(" "));
}

const TEXT = fields("text");
const MEDIA = fields("mimeType name url data text fileId");

/** What the encoders write or report by themselves, by type of part. */
const CARRIED: Readonly<Record<Part["type"], ReadonlySet<string>>> = {
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
const SEAL = fields("dialect kind value");

type Codes = Readonly<Partial<Record<string, FlatLoss>>>;
/** What to say of the others, where it is not that there is no field for them. */
export const CODES: Codes = {
  cache: "bookkeeping",
  size: "bookkeeping",
  metadata: "bookkeeping",
  parentMessageId: "bookkeeping",
  createdAt: "bookkeeping",
  executor: "tool-default",
};
const JSON_CODES: Codes = { ...CODES, format: "tool-default" };

/** Reports what a part says beside what was written. */
export function reportRest(
  part: Part,
  kept: Kept,
  context: FlatContext,
  sent: readonly (Seal | undefined)[] = [],
): void {
  const isText = "format" in part && part.format === "text";
  reportUnsupportedFields(part, CARRIED[part.type], context, "field-unsaid", isText ? CODES : JSON_CODES);
  reportNotPortableResidue(part, context);
  kept.reportStale();
  context.pathTracker.each("seals", part.seals ?? [], (seal) => {
    if (!sent.includes(seal)) return context.report.addLoss("seal-foreign");
    // Where both sides know the provider, the reader stamps it again.
    const { provider, ...issued } = seal;
    reportUnsupportedFields(provider === context.provider ? issued : seal, SEAL, context, "bookkeeping");
  });
}
