// One content on its way out: its parts, its role, and how it was spelled.
import type { Message } from "../../model/message.ts";
import type { EncodeContext } from "../dialect.ts";
import {
  isSealFor,
  readForm,
  reportNotPortableResidue,
  reportUnsupportedFields,
  restoreResidue,
} from "../kit/residue.ts";
import type { Turn } from "../kit/turn.ts";
import { enterPart } from "../kit/turn.ts";
import { framingAfter, inPieces } from "./chunks.ts";
import { plainRole } from "./decode.ts";
import { encodePart, encodePlainText } from "./encode-part.ts";
import type { Code } from "./losses.ts";
import { SENTINEL } from "./terms.ts";
import type { GeminiContent, GeminiPart } from "./types.ts";
import type { Writing } from "./writing.ts";

const CARRIED: ReadonlySet<string> = new Set(["role", "parts", "extra"]);
const BOOKKEEPING = {
  id: "bookkeeping",
  metadata: "bookkeeping",
  createdAt: "bookkeeping",
  parentMessageId: "bookkeeping",
} as const;

/** Whether a message is nothing but its parts, as most are. */
export function isPlainMessage(message: Message): boolean {
  for (const key in message) if (key !== "role" && key !== "parts") return false;
  return true;
}

/** Reports what a content cannot say of its message; the trail stands there. */
export function reportMessage(message: Message, context: EncodeContext<Code>): void {
  reportUnsupportedFields(message, CARRIED, context, "field-unsaid", BOOKKEEPING);
  reportNotPortableResidue(message, context);
}

/** The parts of a turn; with `signs`, its first call gets a signature that stands for a missing one (B10). */
export function encodeTurnParts(turn: Turn, writing: Writing, signs = false): GeminiPart[] {
  const { context } = writing;
  const { parts } = turn.message;
  const wires: GeminiPart[] = [];
  let isUnsigned = signs && !isSigned(turn, context);
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at];
    if (part === undefined) continue;
    const plain = encodePlainText(part);
    if (plain !== undefined) {
      wires.push(plain);
      continue;
    }
    enterPart(turn, at, context);
    const wire = encodePart(part, writing);
    if (wire !== undefined) {
      wires.push(...inPieces(wire, part, context));
      if (isUnsigned && wire.functionCall !== undefined) {
        wire.thoughtSignature = SENTINEL;
        context.report.addLoss("signature-sentinel");
        isUnsigned = false;
      }
    }
    context.pathTracker.leave(3);
  }
  return wires;
}

function isSigned({ message }: Turn, context: EncodeContext): boolean {
  return message.parts.some(({ seals }) => seals?.some((seal) => isSealFor(seal, context)) === true);
}

/** The content with role and spelling as its message came; a string where it was one. The trail stands at the message. */
export function spelled(
  said: GeminiPart[],
  message: Message,
  context: EncodeContext<Code>,
  isAnswer = false,
): GeminiContent | string {
  const { extra, role } = message;
  const { dialect } = context;
  const plain = plainRole(role);
  const residue = extra?.[dialect];
  if (residue === undefined) return plain === undefined ? { parts: said } : { role: plain, parts: said };
  const framing = framingAfter(message, dialect);
  const parts = framing.length === 0 ? said : [...said, ...framing];
  const content: GeminiContent = {};
  const form = readForm(message, dialect);
  const stale = (what: string): void => context.report.addLoss("form-stale", ["extra", dialect, "$form", what]);
  // A turn that says no role is the user's, so that what an answer left out must be said in a history.
  const isMine = role !== "assistant" || isAnswer;
  const word = isMine && form["role"] !== undefined ? form["role"] : plain;
  if (!isMine && form["role"] !== undefined) stale("role");
  if (typeof word === "string" && !(isMine && Object.hasOwn(residue, "role"))) content.role = word;
  const [only] = parts;
  if (parts.length > 0 || (form["parts"] !== null && !Object.hasOwn(residue, "parts"))) content.parts = parts;
  if (form["text"] === true) {
    if (parts.length === 1 && only?.text !== undefined && Object.keys(only).length === 1) return only.text;
    stale("text");
  }
  restoreResidue(content, message, context);
  return content;
}
