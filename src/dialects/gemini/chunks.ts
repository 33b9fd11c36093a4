// Texts that came in pieces. Neighbouring texts of one kind are one part, in a stream and in a whole answer alike (B80); a
// whole answer notes how it was cut, so that it goes back as it came.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { sameJson } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { Part, ReasoningPart, TextPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { isObject, unknownFields } from "../kit/read.ts";
import { dropForm, readForm, storeForm } from "../kit/residue.ts";
import type { Code } from "./losses.ts";
import { keepNames, nameOf, SNAKE } from "./snake.ts";
import type { GeminiPart } from "./types.ts";

/** "framing" says nothing, "joins" goes on with the text before it, "begins" is a part of its own. */
export type Step = "framing" | "joins" | "begins";

/**
 * The one rule. Pieces of the same `thought` flag that stand side by side are one part; a signature on any of them, an
 * empty one included, seals it; a second signature begins a new part; an empty piece without one is framing. What a
 * piece says beside that must be the same, else it is a part of its own.
 */
export class TextRule {
  /** Whether the last text may still go on. */
  isOpen = false;
  #isThought = false;
  #isSealed = false;
  #rest: JsonObject | undefined;

  next(text: string, isThought: boolean, isSigned: boolean, rest: JsonObject | undefined): Step {
    const goesOn = this.isOpen && isThought === this.#isThought && isSame(rest, this.#rest);
    if (text === "" && !isSigned && rest === undefined) {
      if (goesOn) return "joins";
      this.isOpen = false;
      return "framing";
    }
    if (goesOn && !(isSigned && this.#isSealed)) {
      if (isSigned) this.#isSealed = true;
      return "joins";
    }
    this.isOpen = true;
    this.#isThought = isThought;
    this.#isSealed = isSigned;
    this.#rest = rest;
    return "begins";
  }

  /** Whether a text of this kind would go on with one that is sealed, so that its own seal would part them. */
  followsSealed(isThought: boolean, rest: JsonObject | undefined): boolean {
    return this.isOpen && this.#isSealed && isThought === this.#isThought && isSame(rest, this.#rest);
  }

  /** Whether an empty piece of this kind would part the text in hand from what follows. */
  parts(isThought: boolean): boolean {
    return this.isOpen && (isThought !== this.#isThought || this.#rest !== undefined);
  }

  /** Another part has come: what follows is no longer a neighbour. */
  stop(): void {
    this.isOpen = false;
  }
}

function isSame(one: JsonObject | undefined, other: JsonObject | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && sameJson(one, other));
}

const CHUNKS = "chunks";
const BEFORE = "before";
const AFTER = "after";
const THOUGHT = "thought";

type Text = TextPart | ReasoningPart;

export function isText(part: Part): part is Text {
  return part.type === "text" || part.type === "reasoning";
}

const FORM: ReadonlySet<string> = new Set(["$form"]);
const SIGNATURES: ReadonlySet<string> = new Set(["thought_signature"]);

/** What a piece says beside its text, kind and signature; undefined where that is nothing. */
export function restOfText({ extra }: Text, dialect: string): JsonObject | undefined {
  const residue = extra?.[dialect];
  if (residue === undefined) return undefined;
  const spelling = readForm({ extra: { [dialect]: residue } }, dialect)[SNAKE];
  const names = isObject(spelling) ? unknownFields(spelling, SIGNATURES) : undefined;
  const rest = unknownFields(residue, FORM);
  return names === undefined ? rest : { ...rest, [SNAKE]: names };
}

/** A signature that comes after its text. */
export function sealText(part: Text, sealed: Text, dialect: string): void {
  if (sealed.seals === undefined) return;
  part.seals = sealed.seals;
  // That it is Gemini's own thought, the signature tells.
  if (part.extra !== undefined) dropForm(part, dialect, THOUGHT);
  const spelling = readForm(sealed, dialect)[SNAKE];
  if (isObject(spelling)) keepNames(part, dialect, spelling);
}

/** Collects the parts of a whole answer. */
export class JoinedParts {
  readonly #message: Message;
  readonly #dialect: string;
  readonly #rule = new TextRule();
  #last: Text | undefined;
  #sizes: number[] = [];
  #signed: number | undefined;
  #framing: JsonValue[] = [];

  constructor(message: Message, dialect: string) {
    this.#message = message;
    this.#dialect = dialect;
  }

  /** Takes the next part; `wire` is what it was read from. */
  add(part: Part, wire: JsonValue): void {
    if (!isText(part)) {
      this.#rule.stop();
      this.#begin(part);
      return;
    }
    const isSigned = part.seals !== undefined;
    switch (this.#rule.next(part.text, part.type === "reasoning", isSigned, restOfText(part, this.#dialect))) {
      case "framing":
        this.#close();
        this.#framing.push(wire);
        break;
      case "joins":
        this.#join(part);
        break;
      case "begins":
        this.#begin(part);
        this.#last = part;
        this.#sizes = [part.text.length];
        this.#signed = isSigned ? 0 : undefined;
    }
  }

  #begin(part: Part): void {
    this.#close();
    if (this.#framing.length > 0) storeForm(part, this.#dialect, BEFORE, this.#framing);
    this.#framing = [];
    this.#message.parts.push(part);
  }

  #join(next: Text): void {
    if (this.#last === undefined) return;
    if (next.seals !== undefined) this.#signed = this.#sizes.length;
    this.#sizes.push(next.text.length);
    this.#last.text += next.text;
    sealText(this.#last, next, this.#dialect);
  }

  #close(): void {
    const last = this.#last;
    const sizes = this.#sizes;
    const signed = this.#signed;
    this.#last = undefined;
    if (last === undefined || sizes.length === 1) return;
    storeForm(last, this.#dialect, CHUNKS, signed === undefined ? { sizes } : { sizes, signed });
  }

  end(): void {
    this.#close();
    if (this.#framing.length > 0) storeForm(this.#message, this.#dialect, AFTER, this.#framing);
  }
}

/** Where the pieces of a text begin, and where the last one ends; undefined where it is one, or they no longer fit. */
export function cutsOf(part: Part, dialect: string): number[] | undefined {
  if (part.extra === undefined || !isText(part)) return undefined;
  const chunks = readForm(part, dialect)[CHUNKS];
  const sizes = isObject(chunks) ? chunks["sizes"] : undefined;
  if (!Array.isArray(sizes)) return undefined;
  const cuts = [0];
  for (const size of sizes) {
    const cut = (cuts.at(-1) ?? 0) + Number(size);
    if (!(Number(size) >= 0) || !Number.isInteger(cut) || splitsPair(part.text, cut)) return undefined;
    cuts.push(cut);
  }
  return cuts.at(-1) === part.text.length ? cuts : undefined;
}

function splitsPair(text: string, at: number): boolean {
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}

/** What stood before a part and said nothing. */
export function framingOf(part: Part, dialect: string): GeminiPart[] {
  const framing = part.extra === undefined ? undefined : readForm(part, dialect)[BEFORE];
  return Array.isArray(framing) ? framing.filter(isObject) : [];
}

/** What stood at the end of an answer and said nothing. */
export function framingAfter(message: Message, dialect: string): GeminiPart[] {
  const framing = readForm(message, dialect)[AFTER];
  return Array.isArray(framing) ? framing.filter(isObject) : [];
}

/** Whether it is noted how a part, or the end of an answer, was cut, which a stream does not tell. */
export function isCutUp(target: Part | Message, dialect: string): boolean {
  if (target.extra === undefined) return false;
  const form = readForm(target, dialect);
  return form[CHUNKS] !== undefined || form[BEFORE] !== undefined || form[AFTER] !== undefined;
}

/** A part on the wire, cut as it came; the trail stands at the part. */
export function inPieces(wire: GeminiPart, part: Part, context: EncodeContext<Code>): GeminiPart[] {
  if (part.extra === undefined) return [wire];
  const { dialect, report } = context;
  const wires = framingOf(part, dialect);
  const form = readForm(part, dialect);
  const chunks = form[CHUNKS];
  if (chunks === undefined || !isText(part)) return [...wires, wire];
  const cuts = cutsOf(part, dialect);
  const stale = (...steps: string[]): void =>
    report.addLoss("form-stale", ["extra", dialect, "$form", CHUNKS, ...steps]);
  if (cuts === undefined || !isObject(chunks)) {
    stale();
    return [...wires, wire];
  }
  const name = nameOf("thoughtSignature", isObject(form[SNAKE]) ? form[SNAKE] : {});
  const { [name]: signature, ...bare } = wire as JsonObject; // Spelled as it came, which its type does not tell.
  const signed = Number(chunks["signed"] ?? cuts.length - 2);
  if (chunks["signed"] !== undefined && (signature === undefined || !(signed in cuts.slice(1)))) stale("signed");
  for (let at = 0; at < cuts.length - 1; at++) {
    const piece: JsonObject = { ...bare, text: part.text.slice(cuts[at], cuts[at + 1]) };
    if (signature !== undefined && at === Math.min(signed, cuts.length - 2)) piece[name] = signature;
    wires.push(piece);
  }
  return wires;
}
