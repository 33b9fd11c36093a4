// Encodes the parts of a turn, and builds the Gemini content with the role and form of its message.
import type { Message } from "../../../model/message.ts";
import type { EncodeContext } from "../../dialect.ts";
import { readForm, restoreResidue } from "../../kit/residue/residue.ts";
import { isSealFor } from "../../kit/seals/seals.ts";
import type { OutgoingTurn } from "../../kit/history/turn.ts";
import { enterPart } from "../../kit/history/turn.ts";
import { readEmptyTextsAfter, splitIntoPieces } from "./split-texts.ts";
import { toWireRole } from "../request/decode-messages.ts";
import { encodePart, encodePlainText } from "./encode-part.ts";
import type { GeminiLossCode } from "../losses.ts";
import { SIGNATURE_PLACEHOLDER } from "../terms.ts";
import type { GeminiContent, GeminiPart } from "../types.ts";
import type { GeminiEncodeState } from "./encode-state.ts";

/** True if the message has only a role and parts. */
export function isPlainMessage(message: Message): boolean {
  for (const key in message) if (key !== "role" && key !== "parts") return false;
  return true;
}

/**
 * Encodes the parts of a turn. With `needsSignature`, the first function call gets Google's placeholder signature
 * (B10), unless a part of the turn has a seal that the target can read.
 */
export function encodeTurnParts(turn: OutgoingTurn, state: GeminiEncodeState, needsSignature = false): GeminiPart[] {
  const { context } = state;
  const { parts } = turn.message;
  const wires: GeminiPart[] = [];
  let needsPlaceholder = needsSignature && !hasOwnSeal(turn, context);
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at];
    if (part === undefined) continue;
    const plain = encodePlainText(part);
    if (plain !== undefined) {
      wires.push(plain);
      continue;
    }
    enterPart(turn, at, context);
    const wire = encodePart(part, state);
    if (wire !== undefined) {
      wires.push(...splitIntoPieces(wire, part, context));
      if (needsPlaceholder && wire.functionCall !== undefined) {
        wire.thoughtSignature = SIGNATURE_PLACEHOLDER;
        context.report.addLoss("signature-placeholder");
        needsPlaceholder = false;
      }
    }
    context.pathTracker.leave(3);
  }
  return wires;
}

function hasOwnSeal({ message }: OutgoingTurn, context: EncodeContext): boolean {
  return message.parts.some(({ seals }) => seals?.some((seal) => isSealFor(seal, context)) === true);
}

/**
 * Returns the content with the role and form that the message was decoded from; a string if the message was decoded
 * from a string. The path tracker must be at the message.
 */
export function toContent(
  encodedParts: GeminiPart[],
  message: Message,
  context: EncodeContext<GeminiLossCode>,
  isAnswer = false,
): GeminiContent | string {
  const { extra, role } = message;
  const { dialect } = context;
  const plainRole = toWireRole(role);
  const residue = extra?.[dialect];
  if (residue === undefined)
    return plainRole === undefined ? { parts: encodedParts } : { role: plainRole, parts: encodedParts };
  const emptyTexts = readEmptyTextsAfter(message, dialect);
  const parts = emptyTexts.length === 0 ? encodedParts : [...encodedParts, ...emptyTexts];
  const content: GeminiContent = {};
  const form = readForm(message, dialect);
  const reportStale = (formKey: string): void =>
    context.report.addLoss("form-stale", ["extra", dialect, "$form", formKey]);
  // Gemini treats a content without a role as user input, so an assistant message in a history always gets its role.
  const allowsFormRole = role !== "assistant" || isAnswer;
  const wireRole = allowsFormRole && form["role"] !== undefined ? form["role"] : plainRole;
  if (!allowsFormRole && form["role"] !== undefined) reportStale("role");
  if (typeof wireRole === "string" && !(allowsFormRole && Object.hasOwn(residue, "role"))) content.role = wireRole;
  const [onlyPart] = parts;
  if (parts.length > 0 || (form["parts"] !== null && !Object.hasOwn(residue, "parts"))) content.parts = parts;
  if (form["text"] === true) {
    if (parts.length === 1 && onlyPart?.text !== undefined && Object.keys(onlyPart).length === 1) return onlyPart.text;
    reportStale("text");
  }
  restoreResidue(content, message, context);
  return content;
}
