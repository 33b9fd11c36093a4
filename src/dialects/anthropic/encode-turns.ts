// Messages on their way out as turns of the two sides, with system text in its place.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import { OPENING } from "../kit/history.ts";
import { readForm, restoreResidue } from "../kit/residue.ts";
import type { Turn } from "../kit/turn.ts";
import { enterPart } from "../kit/turn.ts";
import { reportMessage, wireRole } from "../kit/two-sides.ts";
import { encodePart } from "./encode-block.ts";
import { isBare } from "./fields.ts";
import type { WireMessage } from "./types.ts";
import type { Position, Writing } from "./writing.ts";

export function encodeTurnParts(turn: Turn, spot: Position, writing: Writing, blocks: JsonObject[]): void {
  const { parts } = turn.message;
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at];
    if (part === undefined) continue;
    enterPart(turn, at, writing.context);
    const block = encodePart(part, spot, writing);
    if (block !== undefined) blocks.push(block);
    writing.context.pathTracker.leave(3);
  }
}

const PLAIN: JsonObject = {};

/** Writes turns that alternate: neighbours of one side are one, unless they were read as two. */
export class TurnWriter {
  readonly messages: WireMessage[] = [];
  readonly #list: readonly Message[];
  readonly #writing: Writing;
  readonly #last: number;
  /** The wire message that a neighbour of the same side goes into, and the role it was begun with. */
  #open: WireMessage | undefined;
  #before: Message["role"] = "user";
  /** Where the first turn that is no system text came from. */
  #first: number | undefined;
  /** The last assistant turn lost reasoning that it had. */
  #lostReasoning = false;

  constructor(list: readonly Message[], writing: Writing, last: number) {
    this.#list = list;
    this.#writing = writing;
    this.#last = last;
  }

  add(turn: Turn, at: number): void {
    const { context } = this.#writing;
    const { message, index } = turn;
    const form = message.extra === undefined ? PLAIN : readForm(message, context.dialect);
    reportMessage(turn, context);
    const role = wireRole(turn, form, context);
    if (message.parts.length === 0) {
      // An answer that is to be begun may be empty; everything else says nothing, which is refused.
      if (context.repair && (at < this.#last || role !== "assistant")) context.report.addLoss("message-empty", index);
      else this.#begin(role, form["content"] === "none" ? undefined : [], turn);
      // What comes next must not take its place.
      if (!context.repair) this.#open = undefined;
      return;
    }
    const content = this.#encode(turn, role, form);
    const open = this.#open;
    const isNeighbour = open?.role === role && (role === "user" || role === "assistant");
    const isApart = !isNeighbour || form["turn"] === "own";
    if (role === "assistant")
      this.#lostReasoning = lostReasoning(message, content) || (!isApart && this.#lostReasoning);
    if (content.length === 0 && typeof content !== "string") {
      context.report.addLoss("message-unsaid", [index, "parts"]);
    } else if (isApart) this.#begin(role, content, turn);
    else this.#join(open, content, turn);
  }

  #begin(role: string, content: string | JsonObject[] | undefined, turn: Turn): void {
    this.#open = content === undefined ? { role } : { role, content };
    this.messages.push(this.#open);
    if (role !== "system") this.#first ??= turn.index;
    this.#restore(this.#open, turn);
  }

  /** Another beginning is refused, and so is none at all (B41). */
  letUserSpeakFirst(): void {
    let at = 0;
    while (this.messages[at]?.role === "system") at++;
    const role = this.messages[at]?.role ?? "assistant";
    if (role !== "assistant") return;
    this.#writing.context.report.addLoss("user-first", this.#first);
    this.messages.splice(at, 0, { role: "user", content: OPENING });
  }

  /** Results and the user's words beside them are one turn; that two of a kind were two is noted. */
  #join(open: WireMessage, content: string | JsonObject[], turn: Turn): void {
    const { message, index } = turn;
    const blocks = asBlocks(open.content);
    blocks.push(...asBlocks(content));
    open.content = blocks;
    const isPlain = message.role !== this.#before && open.role === "user";
    // What was made to mend the history had no turn of its own.
    if (!isPlain && this.#list[index]?.role === message.role) {
      this.#writing.context.report.addLoss("turns-merged", [index, "role"]);
    }
    this.#restore(open, turn);
  }

  #restore(open: WireMessage, { message, index }: Turn): void {
    const { context } = this.#writing;
    this.#before = message.role;
    if (message.extra === undefined) return;
    context.pathTracker.enter(index);
    restoreResidue(open, message, context);
    context.pathTracker.leave();
  }

  #encode(turn: Turn, role: string, form: JsonObject): string | JsonObject[] {
    const { message, index } = turn;
    const [only] = message.parts;
    if (message.parts.length === 1 && only?.type === "text" && message.role !== "tool" && isBare(only)) {
      return form["content"] === "list" ? [{ type: "text", text: only.text }] : only.text;
    }
    const { report } = this.#writing.context;
    if (role === "user" && message.parts.some((part) => isMisplaced(part, message.role))) {
      report.addLoss("role-approximated", [index, "role"]);
    }
    const blocks: JsonObject[] = [];
    const spot = role === "assistant" || role === "system" ? role : "user";
    encodeTurnParts(turn, spot, this.#writing, blocks);
    // Where only a text is left, it is written as one.
    const text = blocks.length === 1 && form["content"] === undefined ? plainText(blocks[0]) : undefined;
    return text ?? blocks;
  }

  /** Whether the last turn answers calls of an assistant turn that began with foreign words (B8). */
  endsUnsigned(): boolean {
    const [calling, results] = this.messages.slice(-2).map(({ content }) => asBlocks(content));
    if (calling === undefined || results?.[0]?.["type"] !== "tool_result") return false;
    const first = calling[0]?.["type"];
    if (first === "thinking" || first === "redacted_thinking") return false;
    return this.#lostReasoning || calling.some(isForeign);
  }
}

/** The text of a block that says nothing else. */
function plainText(block: JsonObject = PLAIN): string | undefined {
  const { type, text } = block;
  return type === "text" && typeof text === "string" && Object.keys(block).length === 2 ? text : undefined;
}

/** Whether a block is a call that this provider's models did not make. */
function isForeign({ type, id }: JsonObject): boolean {
  return type === "tool_use" && !(typeof id === "string" && id.startsWith("toolu_"));
}

/** Whether some of a message's reasoning is not among its blocks. */
function lostReasoning({ parts }: Message, content: string | JsonObject[]): boolean {
  let lost = 0;
  for (const part of parts) if (part.type === "reasoning") lost++;
  if (lost > 0)
    for (const { type } of asBlocks(content)) if (type === "thinking" || type === "redacted_thinking") lost--;
  return lost > 0;
}

function asBlocks(content: JsonValue | undefined): JsonObject[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  // A list that was written here holds blocks only.
  return Array.isArray(content) ? (content as JsonObject[]) : [];
}

/** Results are a tool's words, and only they. */
function isMisplaced({ type, executor }: { type: string; executor?: string }, role: Message["role"]): boolean {
  return type !== "opaque" && executor !== "provider" && (type === "tool-result") !== (role === "tool");
}
