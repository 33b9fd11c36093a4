// Gemini's thought signatures: `extra.gemini.thought_signatures` lists a string or null for each part, in order (B9).
import type { JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { keepForm } from "../residue.ts";
import type { Hints } from "./hints.ts";
import { FLAT, GEMINI } from "./names.ts";
import { THOUGHT_SIGNATURES } from "./provider-data.ts";
import { sealOf } from "./seals.ts";

/** The form of one part's entry: "" is an empty one, "absent" says that the list had ended before. */
const ENTRY = "thought_signature";

/** Puts each signature on its part; returns the entries that belong to none or are no signatures. */
export function decodeSignatures(list: JsonValue[] | undefined, message: Message, context: DecodeContext): JsonValue[] {
  if (list === undefined) return [];
  const stale: JsonValue[] = [];
  let sealed = false;
  list.forEach((entry, index) => {
    const part = message.parts[index];
    if (part === undefined || (entry !== null && typeof entry !== "string")) stale.push(entry);
    else if (entry === "") keepForm(part, FLAT, ENTRY, "");
    else if (entry !== null) {
      seal(part, entry, context);
      sealed = true;
    }
  });
  for (const part of message.parts.slice(list.length)) keepForm(part, FLAT, ENTRY, "absent");
  if (!sealed) keepForm(message, FLAT, THOUGHT_SIGNATURES, "unsealed");
  return stale;
}

function seal(part: Part, signature: string, context: DecodeContext): void {
  part.seals = [...(part.seals ?? []), sealOf(GEMINI, "signature", signature, context)];
}

/** A part as far as the list is concerned. */
export interface Signed {
  signature: string | undefined;
  hints: Hints;
}

/** The list for the parts that were written, in their order on the wire; undefined where none is due. */
export function encodeSignatures(parts: readonly Signed[], hints: Hints): JsonValue[] | undefined {
  const sealed = parts.some(({ signature }) => signature !== undefined);
  if (!sealed && !hints.says(THOUGHT_SIGNATURES, "unsealed")) return undefined;
  let end = parts.length;
  const unlisted = ({ signature, hints: own }: Signed): boolean =>
    signature === undefined && own.get(ENTRY) === "absent";
  while (end > 0 && parts.slice(end - 1, end).some(unlisted)) end--;
  for (const part of parts.slice(end)) part.hints.follow(ENTRY);
  return parts.slice(0, end).map(({ signature, hints: own }) => signature ?? (own.says(ENTRY, "") ? "" : null));
}
