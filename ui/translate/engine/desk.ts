// What the engine says to what it is asked. It reads one source at a time, and says it in whatever dialect it is asked for;
// whatever goes wrong is an answer, too, because somebody waits for one.
import type { Message, ModelRequest } from "koine";
import { codesOf } from "../code/codes.ts";
import type { Answered, Asked, Column, Source, Target } from "../types.ts";
import type { Canonical } from "./decode.ts";
import { encodeColumn } from "./encode.ts";
import type { Read } from "./read.ts";
import { read } from "./read.ts";

export class Desk {
  #current: { turn: number; read: Read } | undefined;
  /** What code was last written of, where it is not what is shown: models are chosen one after the other. */
  #whole: { content: Source["content"]; read: ReturnType<typeof read> } | undefined;

  /** undefined where nobody waits any more. */
  answer(asked: Asked): Answered | undefined {
    const { turn } = asked;
    if (asked.type === "read") return this.#read(turn, asked.source);
    if (this.#current?.turn !== turn) return undefined;
    if (asked.type === "encode") return { type: "column", turn, column: columnOf(this.#current.read, asked.target) };
    try {
      return { type: "code", turn, ...this.#code(this.#current.read, asked) };
    } catch (error) {
      return { type: "code", turn, codes: [], failure: wordsOf(error) };
    }
  }

  #read(turn: number, source: Source): Answered {
    this.#current = undefined;
    this.#whole = undefined;
    try {
      const found = read(source);
      if ("failure" in found) return { type: "unread", turn, failure: found.failure };
      this.#current = { turn, read: found };
      return { type: "read", turn, reading: found.reading };
    } catch (error) {
      return { type: "unread", turn, failure: { message: wordsOf(error) } };
    }
  }

  #code(
    shown: Read,
    { wish, source }: Asked & { type: "code" },
  ): Pick<Answered & { type: "code" }, "codes" | "failure"> {
    let given: ReturnType<typeof read> = shown;
    if (source !== undefined) {
      if (this.#whole?.content !== source.content) this.#whole = { content: source.content, read: read(source) };
      given = this.#whole.read;
    }
    if ("failure" in given) return { codes: [], failure: given.failure.message };
    const request = askable(given.canonical);
    return { codes: request === undefined ? [] : codesOf(request, wish) };
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A fault in one dialect must not take the others along. */
function columnOf(given: Read, target: Target): Column {
  try {
    return encodeColumn(given, target);
  } catch (error) {
    return { target, title: target.dialect, losses: [], beside: [], remarks: [], failure: wordsOf(error) };
  }
}

/** What can be asked of a model: a request, or messages up to the last that is no answer. */
function askable(canonical: Canonical): ModelRequest | undefined {
  if (canonical.kind === "request") return canonical.value;
  if (canonical.kind !== "messages") return undefined;
  const messages: Message[] = canonical.value;
  const last = messages.findLastIndex(({ role }) => role === "user" || role === "tool");
  return last < 0 ? undefined : { messages: messages.slice(0, last + 1) };
}
