// Joins adjacent Gemini texts of the same kind into one part, in streams and in complete answers (B80). For a complete
// answer, the lengths of the pieces are stored as form, so that the encoder can restore the pieces.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { sameJson } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { Part, ReasoningPart, TextPart } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import { isObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { dropForm, readForm, storeForm } from "../../kit/residue/residue.ts";
import type { GeminiLossCode } from "../losses.ts";
import { storeSpelling, findWireName, SPELLING_FORM } from "./snake-case-fields.ts";
import type { GeminiPart } from "../types.ts";

/**
 * The role of a wire text when texts are joined: "empty" (it adds no part), "joins" (it continues the previous text) or
 * "begins" (it starts a part).
 */
export type TextJoinStep = "empty" | "joins" | "begins";

/**
 * Decides which texts become one part. Adjacent texts with the same `thought` flag and the same other fields become one
 * part. A signature on any of them, even on an empty text, seals the part; a second signature begins a new part. An
 * empty text without a signature and without other fields adds no part, but it ends a text with a different `thought`
 * flag or with other fields.
 */
export class TextJoinRule {
  /** True while the next text can join the previous text. */
  isOpen = false;
  #isThought = false;
  #isSealed = false;
  #fields: JsonObject | undefined;

  advance(text: string, isThought: boolean, isSigned: boolean, fields: JsonObject | undefined): TextJoinStep {
    const continuesText = this.isOpen && isThought === this.#isThought && hasSameFields(fields, this.#fields);
    if (text === "" && !isSigned && fields === undefined) {
      if (continuesText) return "joins";
      this.isOpen = false;
      return "empty";
    }
    if (continuesText && !(isSigned && this.#isSealed)) {
      if (isSigned) this.#isSealed = true;
      return "joins";
    }
    this.isOpen = true;
    this.#isThought = isThought;
    this.#isSealed = isSigned;
    this.#fields = fields;
    return "begins";
  }

  /**
   * True if a text with this `thought` flag and these other fields would join the previous text, and the previous text
   * is sealed. Only a signature on the first piece of the new text then separates the two texts.
   */
  followsSealedText(isThought: boolean, fields: JsonObject | undefined): boolean {
    return this.isOpen && this.#isSealed && isThought === this.#isThought && hasSameFields(fields, this.#fields);
  }

  /** True if an empty text with this `thought` flag would separate the current text from the text after it. */
  wouldSplit(isThought: boolean): boolean {
    return this.isOpen && (isThought !== this.#isThought || this.#fields !== undefined);
  }

  /** Ends the current text, because a part of another type follows. */
  close(): void {
    this.isOpen = false;
  }
}

function hasSameFields(one: JsonObject | undefined, other: JsonObject | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && sameJson(one, other));
}

const CHUNKS = "chunks";
const BEFORE = "before";
const AFTER = "after";
const THOUGHT = "thought";

type JoinableText = TextPart | ReasoningPart;

export function isJoinableText(part: Part): part is JoinableText {
  return part.type === "text" || part.type === "reasoning";
}

const FORM: ReadonlySet<string> = new Set(["$form"]);
const SIGNATURES: ReadonlySet<string> = new Set(["thought_signature"]);

/**
 * Returns the residue that must be equal for two texts to be joined: the unknown fields, and the spelling of all fields
 * except the signature. Undefined if the text has no such residue.
 */
export function readComparableResidue({ extra }: JoinableText, dialect: string): JsonObject | undefined {
  const residue = extra?.[dialect];
  if (residue === undefined) return undefined;
  const spelling = readForm({ extra: { [dialect]: residue } }, dialect)[SPELLING_FORM];
  const otherSpelling = isObject(spelling) ? unknownFields(spelling, SIGNATURES) : undefined;
  const fields = unknownFields(residue, FORM);
  return otherSpelling === undefined ? fields : { ...fields, [SPELLING_FORM]: otherSpelling };
}

/**
 * Copies the signature of `signedText`, a later piece of the same text, to the part of the joined text. Does nothing if
 * `signedText` has no signature.
 */
export function copySignature(part: JoinableText, signedText: JoinableText, dialect: string): void {
  if (signedText.seals === undefined) return;
  part.seals = signedText.seals;
  // The signature shows that Gemini produced the thought, so the form `thought`, which shows the same, is deleted.
  if (part.extra !== undefined) dropForm(part, dialect, THOUGHT);
  const spelling = readForm(signedText, dialect)[SPELLING_FORM];
  if (isObject(spelling)) storeSpelling(part, dialect, spelling);
}

/** Collects the parts of a complete answer, and joins its texts. */
export class AnswerPartCollector {
  readonly #message: Message;
  readonly #dialect: string;
  readonly #rule = new TextJoinRule();
  #openText: JoinableText | undefined;
  #pieceLengths: number[] = [];
  #signedPiece: number | undefined;
  #emptyTexts: JsonValue[] = [];

  constructor(message: Message, dialect: string) {
    this.#message = message;
    this.#dialect = dialect;
  }

  /** Adds the next part; `wire` is the wire part that it was decoded from. */
  add(part: Part, wire: JsonValue): void {
    if (!isJoinableText(part)) {
      this.#rule.close();
      this.#beginPart(part);
      return;
    }
    const isSigned = part.seals !== undefined;
    switch (
      this.#rule.advance(part.text, part.type === "reasoning", isSigned, readComparableResidue(part, this.#dialect))
    ) {
      case "empty":
        this.#storePieces();
        this.#emptyTexts.push(wire);
        break;
      case "joins":
        this.#joinText(part);
        break;
      case "begins":
        this.#beginPart(part);
        this.#openText = part;
        this.#pieceLengths = [part.text.length];
        this.#signedPiece = isSigned ? 0 : undefined;
    }
  }

  #beginPart(part: Part): void {
    this.#storePieces();
    if (this.#emptyTexts.length > 0) storeForm(part, this.#dialect, BEFORE, this.#emptyTexts);
    this.#emptyTexts = [];
    this.#message.parts.push(part);
  }

  #joinText(next: JoinableText): void {
    if (this.#openText === undefined) return;
    if (next.seals !== undefined) this.#signedPiece = this.#pieceLengths.length;
    this.#pieceLengths.push(next.text.length);
    this.#openText.text += next.text;
    copySignature(this.#openText, next, this.#dialect);
  }

  #storePieces(): void {
    const last = this.#openText;
    const sizes = this.#pieceLengths;
    const signedPiece = this.#signedPiece;
    this.#openText = undefined;
    if (last === undefined || sizes.length === 1) return;
    storeForm(last, this.#dialect, CHUNKS, signedPiece === undefined ? { sizes } : { sizes, signed: signedPiece });
  }

  end(): void {
    this.#storePieces();
    if (this.#emptyTexts.length > 0) storeForm(this.#message, this.#dialect, AFTER, this.#emptyTexts);
  }
}

/**
 * Returns the start offset of each piece of a text, then the end offset of the last piece. Undefined if no pieces are
 * stored, or if their lengths do not match the text.
 */
export function readPieceOffsets(part: Part, dialect: string): number[] | undefined {
  if (part.extra === undefined || !isJoinableText(part)) return undefined;
  const chunks = readForm(part, dialect)[CHUNKS];
  const sizes = isObject(chunks) ? chunks["sizes"] : undefined;
  if (!Array.isArray(sizes)) return undefined;
  const offsets = [0];
  for (const size of sizes) {
    const cut = (offsets.at(-1) ?? 0) + Number(size);
    if (!(Number(size) >= 0) || !Number.isInteger(cut) || splitsSurrogatePair(part.text, cut)) return undefined;
    offsets.push(cut);
  }
  return offsets.at(-1) === part.text.length ? offsets : undefined;
}

function splitsSurrogatePair(text: string, at: number): boolean {
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}

/** Returns the empty texts that were before a part on the wire; the form of the part stores them. */
export function readEmptyTextsBefore(part: Part, dialect: string): GeminiPart[] {
  const emptyTexts = part.extra === undefined ? undefined : readForm(part, dialect)[BEFORE];
  return Array.isArray(emptyTexts) ? emptyTexts.filter(isObject) : [];
}

/** Returns the empty texts that were after the last part of an answer on the wire; the message stores them as form. */
export function readEmptyTextsAfter(message: Message, dialect: string): GeminiPart[] {
  const emptyTexts = readForm(message, dialect)[AFTER];
  return Array.isArray(emptyTexts) ? emptyTexts.filter(isObject) : [];
}

/**
 * True if the form of a part or message stores the lengths of text pieces, or empty texts. The stream encoder cannot
 * restore them.
 */
export function hasPieceForm(target: Part | Message, dialect: string): boolean {
  if (target.extra === undefined) return false;
  const form = readForm(target, dialect);
  return form[CHUNKS] !== undefined || form[BEFORE] !== undefined || form[AFTER] !== undefined;
}

/**
 * Returns the empty texts before a part, then the wire part, split into its stored pieces. The path tracker must be at
 * the part.
 */
export function splitIntoPieces(wire: GeminiPart, part: Part, context: EncodeContext<GeminiLossCode>): GeminiPart[] {
  if (part.extra === undefined) return [wire];
  const { dialect, report } = context;
  const pieces = readEmptyTextsBefore(part, dialect);
  const form = readForm(part, dialect);
  const chunks = form[CHUNKS];
  if (chunks === undefined || !isJoinableText(part)) return [...pieces, wire];
  const offsets = readPieceOffsets(part, dialect);
  const reportStale = (...steps: string[]): void =>
    report.addLoss("form-stale", ["extra", dialect, "$form", CHUNKS, ...steps]);
  if (offsets === undefined || !isObject(chunks)) {
    reportStale();
    return [...pieces, wire];
  }
  const signatureField = findWireName("thoughtSignature", isObject(form[SPELLING_FORM]) ? form[SPELLING_FORM] : {});
  const { [signatureField]: signature, ...unsigned } = wire as JsonObject; // The cast allows the snake_case name, which GeminiPart does not declare.
  const signedPiece = Number(chunks["signed"] ?? offsets.length - 2);
  if (chunks["signed"] !== undefined && (signature === undefined || !(signedPiece in offsets.slice(1))))
    reportStale("signed");
  for (let at = 0; at < offsets.length - 1; at++) {
    const piece: JsonObject = { ...unsigned, text: part.text.slice(offsets[at], offsets[at + 1]) };
    if (signature !== undefined && at === Math.min(signedPiece, offsets.length - 2)) piece[signatureField] = signature;
    pieces.push(piece);
  }
  return pieces;
}
