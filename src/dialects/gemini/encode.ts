// From messages to contents: one each, but neighbouring results are one turn. System text has a place of its own.
import type { Message } from "../../model/message.ts";
import type { Request } from "../../model/request.ts";
import type { EncodeContext } from "../dialect.ts";
import { prepareTurns } from "../kit/history.ts";
import { NameBook } from "../kit/names.ts";
import { formOf, keepForm } from "../kit/residue.ts";
import { leadingSystem } from "../kit/system.ts";
import type { Turn } from "../kit/turn.ts";
import { encodeTurnParts, isPlainMessage, reportMessage, spelled } from "./content.ts";
import type { Code } from "./losses.ts";
import { endsWithResult, joinedTurns } from "./joined.ts";
import { encodeSystem } from "./system.ts";
import { OLD_MODEL, SIGNING_MODEL, TOOL_NAME } from "./terms.ts";
import type { GeminiContent } from "./types.ts";
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
  const rules = { noPrefill: context.repair, userFirst: opensWithCalls(messages) };
  const turns = prepareTurns(joinedTurns(messages, context), rules, context);
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
export function noteUnsigned({ messages, model = "" }: Request, dialect: string): void {
  if (!SIGNING_MODEL.test(model)) return;
  for (const message of messages) {
    const { role, parts } = message;
    if (role !== "assistant" || !parts.some(({ type }) => type === "tool-call")) continue;
    if (!parts.some(({ seals }) => seals !== undefined)) keepForm(message, dialect, SIGNATURE, "none");
  }
}

function wasUnsigned(message: Message, dialect: string): boolean {
  return message.extra !== undefined && formOf(message, dialect)[SIGNATURE] === "none";
}

function saysSomething({ message: { role, parts } }: Turn): boolean {
  return role === "user" || (role === "tool" && parts.some(({ type }) => type === "text"));
}

/** A function call is refused where nobody has spoken before it. */
function opensWithCalls(messages: readonly Message[]): boolean {
  const first = messages.find(({ role }) => role !== "system" && role !== "developer");
  if (first?.role !== "assistant") return false;
  return first.parts.some((part) => part.type === "tool-call" && part.executor !== "provider");
}

class Contents {
  private readonly list: (GeminiContent | string)[] = [];
  private readonly writing: Writing;
  private open: GeminiContent | undefined;
  private last: Message | undefined;

  constructor(writing: Writing) {
    this.writing = writing;
  }

  add(turn: Turn, signs: boolean): void {
    const { message, index } = turn;
    const { context } = this.writing;
    const { trail } = context;
    const isPlain = isPlainMessage(message);
    const joined = this.joins(turn) ? this.open : undefined;
    if (joined === undefined) this.flush();
    const parts = encodeTurnParts(turn, this.writing, signs && message.role === "assistant");
    trail.enter(index);
    if (!isPlain) reportMessage(message, context);
    if (joined !== undefined) (joined.parts ??= []).push(...parts);
    else if (parts.length === 0 && context.repair) context.report.lose("message-empty");
    else {
      const content = spelled(parts, message, context);
      this.list.push(content);
      this.open = typeof content === "string" ? undefined : content;
    }
    trail.leave();
    if (joined !== undefined || parts.length > 0 || !context.repair) this.last = message;
  }

  /** Whether a message is part of the turn before it: both are results, and did not come apart. */
  private joins({ message, index }: Turn): boolean {
    const { context } = this.writing;
    const [first] = message.parts;
    if (message.role !== "tool" || (first !== undefined && first.type !== "tool-result")) return false;
    if (!endsWithResult(this.last) || this.open === undefined) return false;
    if (message.extra !== undefined && formOf(message, context.dialect)["turn"] === "own") return false;
    context.report.lose("turns-merged", [index, "role"]);
    return true;
  }

  /** Media that results cannot hold go out after them. */
  private flush(): void {
    const { moved } = this.writing;
    if (moved !== undefined && moved.length > 0) this.list.push({ role: "user", parts: moved.splice(0) });
  }

  end(): (GeminiContent | string)[] {
    this.flush();
    return this.list;
  }
}
