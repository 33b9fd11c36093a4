// One candidate of a stream on its way out. Texts go out as they come; a signature follows its text on an empty one of
// the same kind. Everything else goes out whole, once its part is complete, so that its signature stands on it (B9).
import type { Delta } from "../../model/delta.ts";
import type { Part, ReasoningPart, RefusalPart, TextPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { CallDraft, Draft } from "../kit/follow.ts";
import { placeOf } from "../kit/follow.ts";
import { isObject, unknownFields } from "../kit/read.ts";
import { readForm } from "../kit/residue.ts";
import { sealOf } from "../kit/seals.ts";
import type { PartSink } from "../kit/sequence.ts";
import { PartSequence } from "../kit/sequence.ts";
import type { Held } from "../kit/streams.ts";
import { wholeCharacters } from "../kit/streams.ts";
import type { Step } from "./chunks.ts";
import { isCutUp, TextRule } from "./chunks.ts";
import { encodePart } from "./encode-part.ts";
import type { Code } from "./losses.ts";
import { nameOf, SNAKE } from "./snake.ts";
import { restOfWire } from "./stream-join.ts";
import type { GeminiPart } from "./types.ts";
import type { Writing } from "./writing.ts";

type Spoken = TextPart | ReasoningPart | RefusalPart;

function isSpoken(part: Part): part is Spoken {
  return part.type === "text" || part.type === "reasoning" || part.type === "refusal";
}

const PLAIN: GeminiPart = {};
const THOUGHT: GeminiPart = { thought: true };
const TEXT: ReadonlySet<string> = new Set(["text"]);

/** What every piece of a text says beside its words. */
function besideText(part: Spoken, writing: Writing): GeminiPart {
  if (part.extra === undefined) return part.type === "reasoning" ? THOUGHT : PLAIN;
  const { seals: _, ...unsigned } = part;
  // What was kept of a whole answer is said of its pieces, too.
  const wire = encodePart({ ...unsigned, text: "." }, writing);
  return (wire && unknownFields(wire, TEXT)) ?? PLAIN;
}

export class ChoiceWriter implements PartSink {
  /** What is to go out now. */
  pending: GeminiPart[] = [];
  readonly #context: EncodeContext<Code>;
  readonly #writing: Writing;
  readonly #sequence = new PartSequence(this);
  readonly #rule = new TextRule();
  /** What stands beside the words of the text in hand. */
  #beside: GeminiPart = PLAIN;
  /** What stood beside the words that were said last. */
  #spoken: GeminiPart = PLAIN;
  readonly #half: Held = {};
  /** The words of a text that waits for its signature. */
  #waiting: string | undefined;
  /** The summary of a thought that is being said. */
  #summary: number | undefined;
  /** How the text in hand began; undefined while nothing of it has been said. */
  #step: Step | undefined;
  readonly #split = new Set<Draft>();
  /** The parts as the whole answer has them, once it has ended. */
  #ended: readonly Part[] | undefined;
  #hasFailed = false;
  /** Calls that the answer broke off in, by their places: whoever reads one would take it for complete (B31). */
  readonly broken = new Set<number>();

  /** `writing` reports nothing: the whole answer does. */
  constructor(context: EncodeContext<Code>, writing: Writing) {
    this.#context = context;
    this.#writing = writing;
  }

  push(draft: Draft, delta: Delta): void {
    this.#sequence.push(draft, delta);
  }

  /** A part that says nothing, and does not part the texts around it. */
  framing(): GeminiPart {
    return this.#rule.isOpen ? { text: "", ...this.#spoken } : { text: "" };
  }

  end(parts: readonly Part[], hasFailed: boolean): void {
    this.#ended = parts;
    this.#hasFailed = hasFailed;
    this.#sequence.end();
  }

  open({ part }: Draft): void {
    if (!isSpoken(part)) return;
    this.#beside = besideText(part, this.#writing);
    this.#summary = undefined;
    this.#step = undefined;
    // Its own signature would have to stand on its first piece, to part it from a signed text before it.
    const isThought = part.type === "reasoning";
    this.#waiting = this.#rule.followsSealed(isThought, restOfWire(this.#beside)) ? "" : undefined;
  }

  add({ part }: Draft, delta: Delta): void {
    switch (delta.kind) {
      case "text":
      case "refusal":
        this.#say(delta.payload.textDelta);
        break;
      case "thinking":
        this.#think(part as ReasoningPart, delta.payload); // Nothing else grows by it.
        break;
      case "part":
        if (part.type === "reasoning") this.#say(part.text === "" ? (part.summary ?? []).join("\n\n") : part.text);
        else if (isSpoken(part)) this.#say(part.text);
        break;
      default:
      // The whole answer says it at the end, or the part itself once it is complete.
    }
  }

  /** A summary is said where there is no other thought, as in a whole answer. */
  #think({ text }: ReasoningPart, { textDelta, summary }: { textDelta: string; summary?: number }): void {
    if (summary === undefined) this.#say(textDelta);
    else if (text === "") {
      this.#say(this.#summary === undefined || this.#summary === summary ? textDelta : `\n\n${textDelta}`);
      this.#summary = summary;
    }
  }

  #say(text: string): void {
    if (this.#waiting !== undefined) {
      this.#waiting += text;
      return;
    }
    const words = wholeCharacters(this.#half, text);
    if (words !== "") this.#write(words, undefined);
  }

  #write(text: string, signature: [name: string, value: string] | undefined): void {
    const wire: GeminiPart = this.#beside === PLAIN ? { text } : { text, ...this.#beside };
    if (signature !== undefined) Object.assign(wire, { [signature[0]]: signature[1] });
    const isThought = this.#beside.thought === true;
    const rest = this.#beside === PLAIN || this.#beside === THOUGHT ? undefined : restOfWire(this.#beside);
    const step = this.#rule.next(text, isThought, signature !== undefined, rest);
    this.#step ??= step;
    this.#spoken = this.#beside;
    this.pending.push(wire);
  }

  close(draft: Draft): void {
    const { part } = draft;
    if (isSpoken(part)) this.#closeText(part);
    else if (this.#hasFailed && isOpen(draft)) {
      this.broken.add(draft.index);
      this.#context.report.addLoss("part-unsayable", placeOf(draft));
    } else {
      const wire = encodePart(this.#complete(draft), this.#writing);
      if (wire !== undefined) {
        this.#rule.stop();
        this.pending.push(wire);
      }
    }
    const isJoined = isSpoken(part) && this.#step !== "begins" && encodePart(part, this.#writing) !== undefined;
    if (isJoined || isCutUp(part, this.#context.dialect)) this.#context.report.addLoss("texts-joined", placeOf(draft));
  }

  #closeText(part: Spoken): void {
    const text = (this.#waiting ?? "") + (this.#half.held ?? "");
    delete this.#half.held;
    this.#waiting = undefined;
    const value = part.seals === undefined ? undefined : sealOf(part, "signature", this.#context);
    const spelling = part.extra === undefined ? undefined : readForm(part, this.#context.dialect)[SNAKE];
    if (value !== undefined) this.#write(text, [nameOf("thoughtSignature", isObject(spelling) ? spelling : {}), value]);
    else if (text !== "" || (this.#step === undefined && this.#isSaidEmpty(part))) this.#write(text, undefined);
  }

  /** Whether an empty text says something: what stands beside it, or that the texts around it are two. */
  #isSaidEmpty(part: Spoken): boolean {
    if (!this.#rule.parts(part.type === "reasoning") && restOfWire(this.#beside) === undefined) return false;
    return encodePart(part, this.#writing) !== undefined;
  }

  /** A call that did not end is what the whole answer makes of it. */
  #complete(draft: Draft): Part {
    return isOpen(draft) ? (this.#ended?.[draft.index] ?? draft.part) : draft.part;
  }

  late(draft: Draft, delta: Delta): void {
    const { part } = draft;
    const { report } = this.#context;
    if (delta.kind === "seal") {
      if (sealOf({ seals: [delta.payload.seal] }, "signature", this.#context) !== undefined)
        report.addLoss("late-unsaid", [...placeOf(draft), "seals"]);
      return;
    }
    if (!isSpoken(part) || !("textDelta" in delta.payload) || delta.payload.textDelta === "") return;
    if (!this.#split.has(draft)) report.addLoss("part-split", placeOf(draft));
    this.#split.add(draft);
    const beside = this.#beside;
    this.#beside = besideText(part, this.#writing);
    this.#write(delta.payload.textDelta, undefined);
    this.#beside = beside;
  }
}

/** Whether it is a call that has not ended. */
function isOpen(draft: Draft): boolean {
  return draft.kind === "call" && !(draft as CallDraft).ended; // The kind says so.
}
