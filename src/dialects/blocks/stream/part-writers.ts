// Writers of streamed parts that both dialects share: the interface, whole parts, and the arguments of a call.
import type { Delta } from "../../../model/delta.ts";
import type { Part } from "../../../model/parts.ts";
import type { CallDraft, PartDraft } from "../../kit/streams/answer-follower.ts";
import type { PendingSurrogate } from "../../kit/streams/text-chunks.ts";
import { takeWholeCharacters } from "../../kit/streams/text-chunks.ts";
import { WRAPPER_FIELD } from "../../kit/tools/text-tools.ts";

/** Writes the events of one part. */
export interface PartWriter {
  add(delta: Delta): void;
  /** Writes what is known only now; `isComplete` is false in an answer that failed, whose blocks stay open. */
  close(isComplete: boolean): void;
}

/** Writes a part that arrived whole, at once; a part that arrived in pieces, when it is closed. */
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
 * Cuts the argument text of a call into pieces of JSON. Text of an object passes through; text of a free-form tool is
 * wrapped in an object while it arrives; any other value must be complete before it is wrapped (B22, B32).
 */
export class CallArgumentPieces implements PendingSurrogate {
  pendingSurrogate?: string;
  #form: "unknown" | "object" | "text" | "other" = "unknown";
  #isWrapperOpen = false;

  constructor({ part }: CallDraft) {
    if (part.format === "text" && part.executor !== "provider") this.#form = "text";
  }

  /** True if the arguments pass through unchanged. */
  get isObject(): boolean {
    return this.#form === "object";
  }

  /** True if the complete arguments must be written when the part is closed. */
  get isDeferred(): boolean {
    return this.#form === "other";
  }

  /** Returns the JSON to write for the next piece of argument text. */
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

  /** Returns the JSON to write after the last piece; `isComplete` closes the wrapper. */
  finish(isComplete: boolean): string {
    if (this.#form !== "text") return this.pendingSurrogate ?? "";
    const last = this.#wrap(this.pendingSurrogate ?? "");
    if (!isComplete) return last;
    return `${this.#isWrapperOpen ? last : WRAPPER_START}${WRAPPER_END}`;
  }
}
