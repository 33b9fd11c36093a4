// One part of a content, from the wire. What the model has no word for is an opaque part, verbatim (B43).
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Part, ReasoningPart, TextPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { opaquePart } from "../kit/opaque.ts";
import { isObject, readObject } from "../kit/read.ts";
import { storeForm } from "../kit/residue.ts";
import { addSeal } from "../kit/seals.ts";
import { decodeCall } from "./calls.ts";
import { decodeMedia } from "./media.ts";
import type { Reading } from "./reading.ts";
import { keepRest } from "./reading.ts";
import { decodeResult } from "./results.ts";
import type { Spelling } from "./snake.ts";
import { keepNames, readInner, readNames } from "./snake.ts";

/** A part that is nothing but text, as most are; undefined for every other. Needs no trail: it cannot fail. */
export function decodePlainText(wire: JsonValue | undefined): TextPart | undefined {
  if (!isObject(wire)) return undefined;
  for (const key in wire) if (key !== "text") return undefined;
  const { text } = wire;
  return typeof text === "string" ? { type: "text", text } : undefined;
}

/** Any part. */
export function decodePart(value: JsonValue | undefined, reading: Reading): Part {
  const { context } = reading;
  const { dialect } = context;
  const wire = readObject(value, context);
  reading.wire = wire;
  const spelling: Spelling = {};
  const named = readNames(wire, spelling);
  const { thoughtSignature: signature } = named;
  const isSigned = typeof signature === "string";
  const taken = isSigned ? ["thoughtSignature"] : [];
  let part: Part | undefined;
  for (const key of Object.keys(named)) {
    const data = named[key];
    if (!isObject(data)) continue;
    part = decodeData(data, key, spelling, reading);
    if (part === undefined) continue;
    taken.push(key);
    break;
  }
  if (part === undefined) {
    const { text, thought } = named;
    if (typeof text !== "string") return opaquePart(wire, context);
    part = said(text, thought === true, isSigned, context);
    taken.push("text", ...(thought === true ? ["thought"] : []));
  }
  if (isSigned) addSeal(part, "signature", signature, context);
  keepRest(part, named, taken, dialect);
  keepNames(part, dialect, spelling);
  return part;
}

/** Text or a thought; that one without a signature is Gemini's own, nothing else tells. */
function said(
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

/** What stands in one of the fields that hold a part's data; undefined where it is none of them. */
function decodeData(wire: JsonObject, key: string, spelling: Spelling, reading: Reading): Part | undefined {
  switch (key) {
    case "inlineData":
    case "fileData":
      return decodeMedia(readInner(wire, key, spelling), key, reading.context);
    case "functionCall":
    case "toolCall":
    case "executableCode":
      return decodeCall(readInner(wire, key, spelling), key, reading);
    case "functionResponse":
    case "toolResponse":
    case "codeExecutionResult":
      return decodeResult(readInner(wire, key, spelling), key, reading, decodeMediaPart);
    default:
      return undefined;
  }
}

/** A part within a result: media, or whatever else it is. */
function decodeMediaPart(wire: JsonObject, reading: Reading): Part {
  for (const key in wire) if (/^(?:inline|file)_?data$/i.test(key)) return decodePart(wire, reading);
  return opaquePart(wire, reading.context);
}
