// Decodes one part of a Gemini content. A part without a canonical type becomes an opaque part, verbatim (B43).
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Part, ReasoningPart, TextPart } from "../../../model/parts.ts";
import type { DecodeContext } from "../../dialect.ts";
import { toOpaquePart } from "../../kit/residue/opaque-parts.ts";
import { isObject, readObject } from "../../kit/fields/read-wire.ts";
import { storeForm } from "../../kit/residue/residue.ts";
import { addSeal } from "../../kit/seals/seals.ts";
import { decodeToolCall } from "./tool-calls.ts";
import { decodeMedia } from "./media.ts";
import type { GeminiDecodeState } from "./decode-state.ts";
import { storeUnknownFields } from "./decode-state.ts";
import { decodeToolResult } from "./tool-results.ts";
import type { FieldSpelling } from "./snake-case-fields.ts";
import { storeSpelling, normalizeInnerFieldNames, normalizeFieldNames } from "./snake-case-fields.ts";

/**
 * Decodes a wire part whose only field is `text`; returns undefined for all other values. A part with only a text is
 * always valid, so the path for errors is not tracked here.
 */
export function decodePlainText(wire: JsonValue | undefined): TextPart | undefined {
  if (!isObject(wire)) return undefined;
  for (const key in wire) if (key !== "text") return undefined;
  const { text } = wire;
  return typeof text === "string" ? { type: "text", text } : undefined;
}

export function decodePart(value: JsonValue | undefined, state: GeminiDecodeState): Part {
  const { context } = state;
  const { dialect } = context;
  const wire = readObject(value, context);
  state.partWire = wire;
  const spelling: FieldSpelling = {};
  const fields = normalizeFieldNames(wire, spelling);
  const { thoughtSignature: signature } = fields;
  const isSigned = typeof signature === "string";
  const decodedKeys = isSigned ? ["thoughtSignature"] : [];
  let part: Part | undefined;
  for (const key of Object.keys(fields)) {
    const data = fields[key];
    if (!isObject(data)) continue;
    part = decodeDataField(data, key, spelling, state);
    if (part === undefined) continue;
    decodedKeys.push(key);
    break;
  }
  if (part === undefined) {
    const { text, thought } = fields;
    if (typeof text !== "string") return toOpaquePart(wire, context);
    part = toTextPart(text, thought === true, isSigned, context);
    decodedKeys.push("text", ...(thought === true ? ["thought"] : []));
  }
  if (isSigned) addSeal(part, "signature", signature, context);
  storeUnknownFields(part, fields, decodedKeys, dialect);
  storeSpelling(part, dialect, spelling);
  return part;
}

/**
 * Returns a text part, or a reasoning part for a thought. An unsigned thought stores the form `thought`, which tells
 * the encoder that Gemini produced it.
 */
function toTextPart(
  text: string,
  isThought: boolean,
  isSigned: boolean,
  { dialect }: DecodeContext,
): TextPart | ReasoningPart {
  if (!isThought) return { type: "text", text };
  const part: ReasoningPart = { type: "reasoning", text };
  if (!isSigned) storeForm(part, dialect, "thought", true);
  return part;
}

/** Decodes a field that contains media, a call or a result; returns undefined for other fields. */
function decodeDataField(
  wire: JsonObject,
  key: string,
  spelling: FieldSpelling,
  state: GeminiDecodeState,
): Part | undefined {
  switch (key) {
    case "inlineData":
    case "fileData":
      return decodeMedia(normalizeInnerFieldNames(wire, key, spelling), key, state.context);
    case "functionCall":
    case "toolCall":
    case "executableCode":
      return decodeToolCall(normalizeInnerFieldNames(wire, key, spelling), key, state);
    case "functionResponse":
    case "toolResponse":
    case "codeExecutionResult":
      return decodeToolResult(normalizeInnerFieldNames(wire, key, spelling), key, state, decodeResultPart);
    default:
      return undefined;
  }
}

/** Decodes a part inside a function response into a media part, or else into an opaque part. */
function decodeResultPart(wire: JsonObject, state: GeminiDecodeState): Part {
  for (const key in wire) if (/^(?:inline|file)_?data$/i.test(key)) return decodePart(wire, state);
  return toOpaquePart(wire, state.context);
}
