// Reasoning, open and redacted. The signature and the redacted payload are Anthropic's: they are seals of that dialect,
// and no other dialect's seal can stand in their place (B5).
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { ReasoningPart, Seal } from "../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { isObject } from "../kit/read.ts";
import { readForm, isSealFor, storeForm } from "../kit/residue.ts";
import type { Code } from "./losses.ts";
import { reportRest } from "./losses.ts";
import { FieldReader, restoreRest, wasDataOmitted } from "./spelling.ts";
import { DATA_FIELDS, fieldOf, KINDS, REDACTED } from "./terms.ts";

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
  if (signature === "") storeForm(part, context.dialect, "signature", "");
  else if (signature !== undefined) part.seals = [sealed("signature", signature, context)];
  reader.keepRest(part, fieldOf(KINDS.reasoning));
  return part;
}

/** Where the payload of a redacted block may stand, the plain place first. Anywhere else, the block is kept verbatim. */
const PLACES = ["redacted_thinking.data", "thinking.signature", "thinking.text"] as const;

/** Redacted reasoning; undefined where no payload can be found. */
export function decodeRedacted(wire: JsonObject, context: DecodeContext): ReasoningPart | undefined {
  for (const place of PLACES) {
    const [field = "", inner = ""] = place.split(".");
    const data = wire[field];
    const payload = isObject(data) ? data[inner] : undefined;
    if (!isObject(data) || typeof payload !== "string" || payload === "") continue;
    const part: ReasoningPart = { type: "reasoning", text: "", seals: [sealed("redacted", payload, context)] };
    if (place !== PLACES[0]) storeForm(part, context.dialect, "redacted", place);
    const outer = new FieldReader(wire, context, DATA_FIELDS);
    outer.value("kind");
    outer.value(field);
    outer.keepRest(part);
    const reader = new FieldReader(data, context);
    reader.value(inner);
    reader.keepRest(part, field);
    return part;
  }
  return undefined;
}

export function encodeReasoning(part: ReasoningPart, context: EncodeContext<Code>): JsonObject {
  reportRest(part, CARRIED, context);
  const form = readForm(part, context.dialect);
  const redacted = part.text === "" ? sealFor(part, "redacted", context) : undefined;
  const carried = redacted ?? sealFor(part, "signature", context);
  reportSeals(part, carried, context);
  if (redacted !== undefined) return encodeRedacted(part, redacted, form["redacted"], context);
  if (form["redacted"] !== undefined) context.report.addLoss("form-stale", ["extra", context.dialect]);
  const data: JsonObject = {};
  if (part.text !== "" || !wasDataOmitted(form, "text")) data["text"] = part.text;
  if (carried !== undefined) data["signature"] = carried.value;
  else if (form["signature"] === "") data["signature"] = "";
  const field = fieldOf(KINDS.reasoning);
  return restoreRest({ kind: KINDS.reasoning, [field]: data }, part, context, field);
}

function encodeRedacted(
  part: ReasoningPart,
  seal: Seal,
  spelled: JsonValue | undefined,
  context: EncodeContext<Code>,
): JsonObject {
  const place = PLACES.find((each) => each === spelled) ?? PLACES[0];
  const [field = "", inner = ""] = place.split(".");
  const data: JsonObject = { [inner]: seal.value };
  return restoreRest({ kind: REDACTED, [field]: data }, part, context, field);
}

function sealFor(part: ReasoningPart, kind: Seal["kind"], { provider }: EncodeContext<Code>): Seal | undefined {
  const target = { dialect: ISSUER, ...(provider === undefined ? {} : { provider }) };
  // An empty value would not be read back as a seal.
  return part.seals?.find((seal) => seal.kind === kind && seal.value !== "" && isSealFor(seal, target));
}

/** What the wire cannot say of a seal that goes out: a decoder stamps its own provider, and no model. */
function reportSeals(part: ReasoningPart, carried: Seal | undefined, context: EncodeContext<Code>): void {
  part.seals?.forEach((seal, index) => {
    if (seal !== carried) return context.report.addLoss("seal-foreign", ["seals", index]);
    if (seal.model !== undefined) context.report.addLoss("bookkeeping", ["seals", index, "model"]);
    if (seal.provider !== undefined && seal.provider !== context.provider) {
      context.report.addLoss("bookkeeping", ["seals", index, "provider"]);
    }
  });
}
