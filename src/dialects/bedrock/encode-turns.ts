// Messages on their way out as turns of the two sides, with system text in its place.
import type { JsonObject } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import { OPENING } from "../kit/history.ts";
import { readForm, restoreResidue } from "../kit/residue.ts";
import type { Turn } from "../kit/turn.ts";
import { enterPart } from "../kit/turn.ts";
import { reportMessage, wireRole } from "../kit/two-sides.ts";
import { addPart } from "./encode-block.ts";
import { isBare } from "./fields.ts";
import type { WireMessage } from "./types.ts";
import type { Position, Writing } from "./writing.ts";

export function encodeTurnParts(turn: Turn, spot: Position, writing: Writing, blocks: JsonObject[]): void {
  const { parts } = turn.message;
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at];
    if (part === undefined) continue;
    enterPart(turn, at, writing.context);
    addPart(part, spot, writing, blocks);
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
    const blocks = this.#encode(turn, role);
    const open = this.#open;
    const isNeighbour = open?.role === role && (role === "user" || role === "assistant");
    if (blocks.length === 0) context.report.addLoss("message-unsaid", [index, "parts"]);
    else if (open === undefined || !isNeighbour || form["turn"] === "own") this.#begin(role, blocks, turn, form);
    else this.#join(open, blocks, turn);
  }

  #begin(role: string, blocks: JsonObject[] | undefined, turn: Turn, form: JsonObject = PLAIN): void {
    const text = form["content"] === "string" && blocks?.length === 1 ? blocks[0]?.["text"] : undefined;
    const content = typeof text === "string" ? text : blocks;
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
    this.messages.splice(at, 0, { role: "user", content: [{ text: OPENING }] });
  }

  /** Results and the user's words beside them are one turn; that two of a kind were two is noted. */
  #join(open: WireMessage, blocks: JsonObject[], turn: Turn): void {
    const { message, index } = turn;
    const { content } = open;
    const before = typeof content === "string" ? [{ text: content }] : (content ?? []);
    for (const block of blocks) before.push(block);
    open.content = before;
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

  #encode(turn: Turn, role: string): JsonObject[] {
    const { message, index } = turn;
    const [only] = message.parts;
    if (message.parts.length === 1 && only?.type === "text" && message.role !== "tool" && isBare(only)) {
      return [{ text: only.text }];
    }
    if (role === "user" && message.parts.some((part) => isMisplaced(part, message.role))) {
      this.#writing.context.report.addLoss("role-approximated", [index, "role"]);
    }
    const blocks: JsonObject[] = [];
    const spot = role === "assistant" || role === "system" ? role : "user";
    encodeTurnParts(turn, spot, this.#writing, blocks);
    return blocks;
  }
}

/** Results are a tool's words, and only they. */
function isMisplaced({ type, executor }: { type: string; executor?: string }, role: Message["role"]): boolean {
  return type !== "opaque" && executor !== "provider" && (type === "tool-result") !== (role === "tool");
}
