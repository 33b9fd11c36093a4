// From messages to contents: one each, but neighbouring results are one turn, and so is what stands between a call and
// its result. System text has a place of its own.
import type { Message } from "../../model/message.ts";
import type { ModelRequest } from "../../model/request.ts";
import type { EncodeContext } from "../dialect.ts";
import { OPENING, prepareTurns } from "../kit/history.ts";
import { NameBook } from "../kit/names.ts";
import { readForm, storeForm, restoreResidue } from "../kit/residue.ts";
import { leadingSystem } from "../kit/system.ts";
import type { Turn } from "../kit/turn.ts";
import { encodeTurnParts, isPlainMessage, reportMessage, spelled } from "./content.ts";
import type { Code } from "./losses.ts";
import { endsWithResult, joinedTurns } from "./joined.ts";
import { encodeSystem } from "./system.ts";
import { OLD_MODEL, SIGNING_MODEL, TOOL_NAME } from "./terms.ts";
import type { GeminiContent, GeminiPart } from "./types.ts";
import type { Writing } from "./writing.ts";

export interface EncodedHistory {
  systemInstruction: GeminiContent | string | undefined;
  contents: (GeminiContent | string)[];
}

/** `model` is who will read a history; an answer for a client has none, and is never repaired. */
export function newWriting(given: EncodeContext<Code>, isAnswer: boolean, model = ""): Writing {
  const context = isAnswer ? { ...given, repair: false } : given;
  const moved = context.repair && OLD_MODEL.test(model) ? [] : undefined;
  return { context, names: new NameBook(undefined, TOOL_NAME, context), calls: new Map(), isAnswer, moved };
}

/** The fragment where there is system text, else the bare list. */
export function encodeMessages(messages: readonly Message[], context: EncodeContext<Code>): unknown {
  const { systemInstruction, contents } = encodeHistory(messages, newWriting(context, false));
  return systemInstruction === undefined ? contents : { systemInstruction, contents };
}

/** Where the trail stands at the list of messages. */
export function encodeHistory(messages: readonly Message[], writing: Writing, model = ""): EncodedHistory {
  const { context } = writing;
  const turns = prepareTurns(joinedTurns(messages, context), { noPrefill: context.repair }, context);
  const head = leadingSystem(turns, true);
  const later: Turn[] = [];
  const contents = new Contents(writing);
  // Signatures are checked from the last words of the user on. What stood unsigned before them on Gemini's own wire may
  // stay so; what others called is signed everywhere, so that the bytes stay the same when the user speaks again (B44).
  const signing = context.repair && SIGNING_MODEL.test(model);
  const current = signing ? turns.findLastIndex(saysSomething) : turns.length;
  for (let at = head; at < turns.length; at++) {
    const turn = turns[at] as Turn; // Within the length.
    const { role } = turn.message;
    if (role === "system" || role === "developer") later.push(turn);
    else contents.add(turn, signing && (at > current || !wasUnsigned(turn.message, context.dialect)));
  }
  return { systemInstruction: encodeSystem(turns.slice(0, head), later, writing), contents: contents.end() };
}

const SIGNATURE = "signature";

/** Notes which messages call without a signature that a model of today would have given. */
export function noteUnsigned({ messages, model = "" }: ModelRequest, dialect: string): void {
  if (!SIGNING_MODEL.test(model)) return;
  for (const message of messages) {
    const { role, parts } = message;
    if (role !== "assistant" || !parts.some(({ type }) => type === "tool-call")) continue;
    if (!parts.some(({ seals }) => seals !== undefined)) storeForm(message, dialect, SIGNATURE, "none");
  }
}

function wasUnsigned(message: Message, dialect: string): boolean {
  return message.extra !== undefined && readForm(message, dialect)[SIGNATURE] === "none";
}

function saysSomething({ message: { role, parts } }: Turn): boolean {
  return role === "user" || (role === "tool" && parts.some(({ type }) => type === "text"));
}

function isCall({ functionCall }: GeminiPart): boolean {
  return functionCall !== undefined;
}

class Contents {
  readonly #list: (GeminiContent | string)[] = [];
  readonly #writing: Writing;
  #open: GeminiContent | undefined;
  #last: Message | undefined;
  /** The model has just called, so that nothing but the results may be the next turn (B25). */
  #isCalling = false;
  /** The message that the first content came from. */
  #first: number | undefined;

  constructor(writing: Writing) {
    this.#writing = writing;
  }

  add(turn: Turn, signs: boolean): void {
    const { message, index } = turn;
    const { context } = this.#writing;
    const { pathTracker: trail } = context;
    const isPlain = isPlainMessage(message);
    const joined = this.#joins(turn) ? this.#open : undefined;
    if (joined === undefined) this.#flush();
    // Of calls in one turn the first is signed.
    const parts = encodeTurnParts(turn, this.#writing, signs && message.role === "assistant" && joined === undefined);
    trail.enter(index);
    if (!isPlain) reportMessage(message, context);
    if (parts.length === 0 && context.repair && joined === undefined) context.report.addLoss("message-empty");
    else if (joined === undefined) this.#begin(spelled(parts, message, context), index);
    else this.#join(joined, parts, message);
    trail.leave();
    if (joined === undefined && parts.length === 0 && context.repair) return;
    this.#last = message;
    this.#isCalling = context.repair && message.role === "assistant" && (joined !== undefined || parts.some(isCall));
  }

  #begin(content: GeminiContent | string, index: number): void {
    this.#first ??= index;
    this.#list.push(content);
    this.#open = typeof content === "string" ? undefined : content;
  }

  /** The trail stands at the message. */
  #join(open: GeminiContent, parts: GeminiPart[], message: Message): void {
    const { context } = this.#writing;
    (open.parts ??= []).push(...parts);
    if (message.extra === undefined) return;
    if (readForm(message, context.dialect)["role"] !== undefined) {
      context.report.addLoss("form-stale", ["extra", context.dialect, "$form", "role"]);
    }
    restoreResidue(open, message, context);
  }

  /** Whether a message is part of the turn before it, which is reported. */
  #joins({ message, index }: Turn): boolean {
    if (this.#open === undefined) return false;
    const joins = message.role === "assistant" ? this.#isCalling : this.#isAnswering(message);
    if (joins) this.#writing.context.report.addLoss("turns-merged", [index, "role"]);
    return joins;
  }

  /** Whether a message goes on with results, and did not come apart. */
  #isAnswering({ role, parts: [first], extra }: Message): boolean {
    if (role !== "tool" || (first !== undefined && first.type !== "tool-result")) return false;
    if (!endsWithResult(this.#last)) return false;
    return extra === undefined || readForm({ extra }, this.#writing.context.dialect)["turn"] !== "own";
  }

  /** Media that results cannot hold go out after them. */
  #flush(): void {
    const { moved } = this.#writing;
    if (moved !== undefined && moved.length > 0) this.#list.push({ role: "user", parts: moved.splice(0) });
  }

  /** All contents; the user speaks first (B41). */
  end(): (GeminiContent | string)[] {
    const { context } = this.#writing;
    this.#flush();
    const [first] = this.#list;
    if (context.repair && (first === undefined || (typeof first === "object" && first.role === "model"))) {
      context.report.addLoss("user-first", this.#first);
      this.#list.unshift({ role: "user", parts: [{ text: OPENING }] });
    }
    return this.#list;
  }
}
