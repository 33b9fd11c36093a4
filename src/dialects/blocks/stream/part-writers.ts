// Writes streamed parts in the way that both block dialects share: complete parts, and the arguments of a call.
import type { Delta } from "../../../model/delta.ts";
import type { Part } from "../../../model/parts.ts";
import type { CallDraft, PartDraft } from "../../kit/streams/answer-follower.ts";
import type { PendingSurrogate } from "../../kit/streams/text-chunks.ts";
import { takeWholeCharacters } from "../../kit/streams/text-chunks.ts";
import { WRAPPER_FIELD } from "../../kit/tools/text-tools.ts";

/** Writes the events of one part. */
export interface PartWriter {
  add(delta: Delta): void;
  /**
   * Writes the data that is known only at the end of the part. `isComplete` is false in a failed answer, whose blocks
   * stay open.
   */
  close(isComplete: boolean): void;
}

/** Writes a part in one block: at once if the part arrived complete, or when it is closed if it arrived in pieces. */
export class WholePartWriter implements PartWriter {
  readonly #draft: PartDraft;
  readonly #write: (part: Part) => void;
  #isWritten = false;

  constructor(draft: PartDraft, write: (part: Part) => void) {
    this.#draft = draft;
    this.#write = write;
  }

  add(delta: Delta): void {
    if (delta.kind === "part") this.close();
  }

  close(): void {
    if (this.#isWritten) return;
    this.#isWritten = true;
    this.#write(this.#draft.part);
  }
}

const FIRST_NON_SPACE = /\S/;
const WRAPPER_START = `{${JSON.stringify(WRAPPER_FIELD)}:"`;
const WRAPPER_END = '"}';

/**
 * Converts the argument text of a call into pieces of JSON. The text of a JSON object is written unchanged. The text of
 * a free-form tool is wrapped in an object while it arrives. Any other JSON value must be complete before it is wrapped
 * (B22, B32).
 */
export class CallArgumentPieces implements PendingSurrogate {
  pendingSurrogate?: string;
  #form: "unknown" | "object" | "text" | "other" = "unknown";
  #isWrapperOpen = false;

  constructor({ part }: CallDraft) {
    if (part.format === "text" && part.executor !== "provider") this.#form = "text";
  }

  /** True if the arguments are the text of a JSON object, which is written unchanged. */
  get isObject(): boolean {
    return this.#form === "object";
  }

  /**
   * True if the arguments are written only when the part is closed, because they are neither an object nor free-form
   * text.
   */
  get isDeferred(): boolean {
    return this.#form === "other";
  }

  /** Returns the JSON to write for the next piece of argument text; empty if nothing can be written yet. */
  next(text: string): string {
    if (this.#form === "object") return takeWholeCharacters(this, text);
    if (this.#form === "text") return this.#wrap(takeWholeCharacters(this, text));
    const first = this.#form === "unknown" ? FIRST_NON_SPACE.exec(text)?.[0] : undefined;
    if (first === undefined) return "";
    this.#form = first === "{" ? "object" : "other";
    return this.#form === "object" ? takeWholeCharacters(this, text) : "";
  }

  #wrap(text: string): string {
    if (text === "") return "";
    const start = this.#isWrapperOpen ? "" : WRAPPER_START;
    this.#isWrapperOpen = true;
    return start + JSON.stringify(text).slice(1, -1);
  }

  /** Returns the JSON to write after the last piece; `isComplete` closes the wrapper object of a free-form tool. */
  finish(isComplete: boolean): string {
    if (this.#form !== "text") return this.pendingSurrogate ?? "";
    const last = this.#wrap(this.pendingSurrogate ?? "");
    if (!isComplete) return last;
    return `${this.#isWrapperOpen ? last : WRAPPER_START}${WRAPPER_END}`;
  }
}
