// Decodes and encodes reasoning of tagged messages, plain and redacted. The signature and the redacted payload are
// seals of Anthropic; seals of other dialects cannot be written in their place (B5).
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { ReasoningPart, Seal } from "../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { isObject } from "../kit/fields/read-wire.ts";
import { readForm, storeForm } from "../kit/residue/residue.ts";
import { isSealFor } from "../kit/seals/seals.ts";
import type { TaggedLossCode } from "./losses.ts";
import { reportTaggedFields } from "./losses.ts";
import { FieldReader, restoreRemaining, wasDataOmitted } from "./field-reader.ts";
import { DATA_FIELDS, toDataField, TAGGED_KINDS, REDACTED } from "./wire-names.ts";

const ISSUER = "anthropic";
const SUPPORTED: ReadonlySet<string> = new Set(["type", "extra", "text", "seals"]);

function createTaggedSeal(kind: "signature" | "redacted", value: string, { provider }: DecodeContext): Seal {
  return { dialect: ISSUER, ...(provider === undefined ? {} : { provider }), kind, value };
}

export function decodeThinking(data: JsonObject, context: DecodeContext): ReasoningPart {
  const dataReader = new FieldReader(data, context);
  dataReader.expectField("text");
  const part: ReasoningPart = { type: "reasoning", text: dataReader.readString("text") ?? "" };
  const signature = dataReader.readString("signature");
  if (signature === "") storeForm(part, context.dialect, "signature", "");
  else if (signature !== undefined) part.seals = [createTaggedSeal("signature", signature, context)];
  dataReader.storeRemaining(part, toDataField(TAGGED_KINDS.reasoning));
  return part;
}

/** Fields that can contain the payload of a redacted block; the encoder writes the first one by default. */
const PAYLOAD_PATHS = ["redacted_thinking.data", "thinking.signature", "thinking.text"] as const;

/** Decodes redacted reasoning; undefined if it has no payload, so that it becomes an opaque part. */
export function decodeRedacted(wire: JsonObject, context: DecodeContext): ReasoningPart | undefined {
  for (const payloadPath of PAYLOAD_PATHS) {
    const [field = "", inner = ""] = payloadPath.split(".");
    const data = wire[field];
    const payload = isObject(data) ? data[inner] : undefined;
    if (!isObject(data) || typeof payload !== "string" || payload === "") continue;
    const part: ReasoningPart = {
      type: "reasoning",
      text: "",
      seals: [createTaggedSeal("redacted", payload, context)],
    };
    if (payloadPath !== PAYLOAD_PATHS[0]) storeForm(part, context.dialect, "redacted", payloadPath);
    const partReader = new FieldReader(wire, context, DATA_FIELDS);
    partReader.read("kind");
    partReader.read(field);
    partReader.storeRemaining(part);
    const dataReader = new FieldReader(data, context);
    dataReader.read(inner);
    dataReader.storeRemaining(part, field);
    return part;
  }
  return undefined;
}

export function encodeReasoning(part: ReasoningPart, context: EncodeContext<TaggedLossCode>): JsonObject {
  reportTaggedFields(part, SUPPORTED, context);
  const form = readForm(part, context.dialect);
  const redacted = part.text === "" ? findSealToSend(part, "redacted", context) : undefined;
  const sentSeal = redacted ?? findSealToSend(part, "signature", context);
  reportSeals(part, sentSeal, context);
  if (redacted !== undefined) return encodeRedacted(part, redacted, form["redacted"], context);
  if (form["redacted"] !== undefined) context.report.addLoss("form-stale", ["extra", context.dialect]);
  const data: JsonObject = {};
  if (part.text !== "" || !wasDataOmitted(form, "text")) data["text"] = part.text;
  if (sentSeal !== undefined) data["signature"] = sentSeal.value;
  else if (form["signature"] === "") data["signature"] = "";
  const field = toDataField(TAGGED_KINDS.reasoning);
  return restoreRemaining({ kind: TAGGED_KINDS.reasoning, [field]: data }, part, context, field);
}

function encodeRedacted(
  part: ReasoningPart,
  seal: Seal,
  form: JsonValue | undefined,
  context: EncodeContext<TaggedLossCode>,
): JsonObject {
  const payloadPath = PAYLOAD_PATHS.find((each) => each === form) ?? PAYLOAD_PATHS[0];
  const [field = "", inner = ""] = payloadPath.split(".");
  const data: JsonObject = { [inner]: seal.value };
  return restoreRemaining({ kind: REDACTED, [field]: data }, part, context, field);
}

function findSealToSend(
  part: ReasoningPart,
  kind: Seal["kind"],
  { provider }: EncodeContext<TaggedLossCode>,
): Seal | undefined {
  const target = { dialect: ISSUER, ...(provider === undefined ? {} : { provider }) };
  // A seal with an empty value is not sent, because a decoder would not read it as a seal.
  return part.seals?.find((seal) => seal.kind === kind && seal.value !== "" && isSealFor(seal, target));
}

/**
 * Reports the seals that were not sent, and the fields of the sent seal that a decoder cannot restore: its model, and a
 * provider other than the provider of this context.
 */
function reportSeals(part: ReasoningPart, sentSeal: Seal | undefined, context: EncodeContext<TaggedLossCode>): void {
  part.seals?.forEach((seal, index) => {
    if (seal !== sentSeal) return context.report.addLoss("seal-not-portable", ["seals", index]);
    if (seal.model !== undefined) context.report.addLoss("metadata-dropped", ["seals", index, "model"]);
    if (seal.provider !== undefined && seal.provider !== context.provider) {
      context.report.addLoss("metadata-dropped", ["seals", index, "provider"]);
    }
  });
}
