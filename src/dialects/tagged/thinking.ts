// Reasoning, open and redacted. The signature and the redacted payload are Anthropic's: they are seals of that dialect,
// and no other dialect's seal can stand in their place (B5).
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { ReasoningPart, Seal } from "../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { isObject } from "../read.ts";
import { formOf, isSealFor, keepForm } from "../residue.ts";
import type { Code } from "./losses.ts";
import { reportRest } from "./losses.ts";
import { FieldReader, restoreData, restoreRest, wasDataOmitted } from "./spelling.ts";
import { DATA_FIELDS, fieldOf, KINDS, REDACTED } from "./terms.ts";
import type { TaggedRedactedThinking } from "./types.ts";

const ISSUER = "anthropic";
const CARRIED: ReadonlySet<string> = new Set(["type", "extra", "text", "seals"]);

function sealed(kind: "signature" | "redacted", value: string, { provider }: DecodeContext): Seal {
  return { dialect: ISSUER, ...(provider === undefined ? {} : { provider }), kind, value };
}

export function decodeThinking(data: JsonObject, context: DecodeContext): ReasoningPart {
  const reader = new FieldReader(data, context);
  reader.expect("text");
  const part: ReasoningPart = { type: "reasoning", text: reader.text("text") ?? "" };
  const signature = reader.text("signature");
  if (signature === "") keepForm(part, context.dialect, "signature", "");
  else if (signature !== undefined) part.seals = [sealed("signature", signature, context)];
  reader.keepRest(part, fieldOf(KINDS.reasoning));
  return part;
}

/** Where the payload of a redacted block may stand, the plain place first: a field, or a field of an object in it. */
const PLACES: readonly (readonly [field: string, inner?: string])[] = [
  ["redacted_thinking", "data"],
  ["redacted_thinking"],
  ["thinking", "data"],
  ["thinking", "signature"],
  ["thinking", "text"],
  ["data"],
];
const PLAIN = "redacted_thinking.data" satisfies `${keyof TaggedRedactedThinking}.data`;
const placesByName = new Map(PLACES.map((place) => [place.join("."), place]));

function payloadAt(wire: JsonObject, [field, inner]: readonly [field: string, inner?: string]): JsonValue | undefined {
  const value = wire[field];
  if (inner === undefined) return value;
  return isObject(value) ? value[inner] : undefined;
}

/** Redacted reasoning; undefined where no payload can be found. */
export function decodeRedacted(wire: JsonObject, context: DecodeContext): ReasoningPart | undefined {
  for (const [name, place] of placesByName) {
    const payload = payloadAt(wire, place);
    if (typeof payload !== "string" || payload === "") continue;
    const part: ReasoningPart = { type: "reasoning", text: "", seals: [sealed("redacted", payload, context)] };
    if (name !== PLAIN) keepForm(part, context.dialect, "redacted", name);
    const [field, inner] = place;
    const outer = new FieldReader(wire, context, DATA_FIELDS);
    outer.value("kind");
    const data = outer.value(field);
    outer.keepRest(part);
    if (inner !== undefined && isObject(data)) {
      const reader = new FieldReader(data, context);
      reader.value(inner);
      reader.keepRest(part, field);
    }
    return part;
  }
  return undefined;
}

export function encodeReasoning(part: ReasoningPart, context: EncodeContext<Code>): JsonObject {
  reportRest(part, CARRIED, context);
  const form = formOf(part, context.dialect);
  const redacted = part.text === "" ? sealFor(part, "redacted", context) : undefined;
  const carried = redacted ?? sealFor(part, "signature", context);
  reportSeals(part, carried, context);
  if (redacted !== undefined) return encodeRedacted(part, redacted, form["redacted"], context);
  if (form["redacted"] !== undefined) context.report.lose("form-stale", ["extra", context.dialect]);
  const data: JsonObject = {};
  if (part.text !== "" || !wasDataOmitted(form, "text")) data["text"] = part.text;
  if (carried !== undefined) data["signature"] = carried.value;
  else if (form["signature"] === "") data["signature"] = "";
  const field = fieldOf(KINDS.reasoning);
  restoreData(data, part, context.dialect, field);
  return restoreRest({ kind: KINDS.reasoning, [field]: data }, part, context.dialect);
}

function encodeRedacted(
  part: ReasoningPart,
  seal: Seal,
  placeName: JsonValue | undefined,
  context: EncodeContext<Code>,
): JsonObject {
  const place = typeof placeName === "string" ? placesByName.get(placeName) : undefined;
  const [field, inner] = place ?? [fieldOf(REDACTED), "data"];
  const payload = inner === undefined ? seal.value : restoreData({ [inner]: seal.value }, part, context.dialect, field);
  return restoreRest({ kind: REDACTED, [field]: payload }, part, context.dialect);
}

function sealFor(part: ReasoningPart, kind: Seal["kind"], { provider }: EncodeContext<Code>): Seal | undefined {
  const target = { dialect: ISSUER, ...(provider === undefined ? {} : { provider }) };
  // An empty value would not be read back as a seal.
  return part.seals?.find((seal) => seal.kind === kind && seal.value !== "" && isSealFor(seal, target));
}

/** What the wire cannot say of a seal that goes out: a decoder stamps its own provider, and no model. */
function reportSeals(part: ReasoningPart, carried: Seal | undefined, context: EncodeContext<Code>): void {
  part.seals?.forEach((seal, index) => {
    if (seal !== carried) return context.report.lose("seal-foreign", ["seals", index]);
    if (seal.model !== undefined) context.report.lose("bookkeeping", ["seals", index, "model"]);
    if (seal.provider !== undefined && seal.provider !== context.provider) {
      context.report.lose("bookkeeping", ["seals", index, "provider"]);
    }
  });
}
