// Encodes a history as alternating wire messages of user and assistant. Adjacent messages of one role become one wire
// message, unless they were decoded from separate wire messages.
import type { JsonObject } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { OMITTED_HISTORY_TEXT } from "../kit/history/prepare-history.ts";
import type { OutgoingTurn } from "../kit/history/turn.ts";
import { enterPart } from "../kit/history/turn.ts";
import { reportTurnFields, toWireRole } from "../kit/history/user-assistant-turns.ts";
import { readForm, restoreResidue } from "../kit/residue/residue.ts";
import type { BlockEncodeState } from "./encode-state.ts";
import { hasOnlyText } from "./fields.ts";

/** The content of a wire message: one text, or a list of blocks. */
export type BlockContent = string | JsonObject[];

/** A wire message; it can have further fields that are restored from residue. */
export type BlockMessage = JsonObject & { role: string; content?: BlockContent };

export type TurnPosition = "system" | "user" | "assistant";

/** Encodes one part and appends its blocks to `blocks`; the path tracker is at the part. */
export type AddPart<State extends BlockEncodeState> = (
  part: Part,
  position: TurnPosition,
  state: State,
  blocks: JsonObject[],
) => void;

/** Encodes the parts of a turn and appends their blocks to `blocks`. */
export function encodeTurnParts<State extends BlockEncodeState>(
  turn: OutgoingTurn,
  position: TurnPosition,
  state: State,
  blocks: JsonObject[],
  addPart: AddPart<State>,
): void {
  const { parts } = turn.message;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    if (part === undefined) continue;
    enterPart(turn, index, state.context);
    addPart(part, position, state, blocks);
    state.context.pathTracker.leave(3);
  }
}

/**
 * Counts the leading system turns that become the field `system`. A turn that has residue, or that was decoded from the
 * list of messages, ends the count, because only a message in the list can represent it.
 */
export function countLeadingSystem(turns: readonly OutgoingTurn[], { dialect }: EncodeContext): number {
  let count = 0;
  for (const { message } of turns) {
    if (message.role !== "system" && message.role !== "developer") break;
    const residue = message.extra?.[dialect];
    const hasResidue = residue !== undefined && Object.keys(residue).some((key) => key !== "$form");
    if (hasResidue || readForm(message, dialect)["turn"] === "own") break;
    count++;
  }
  return count;
}

const NO_FORM: JsonObject = {};

/** Appends turns to a list of wire messages. */
export abstract class TurnWriter<State extends BlockEncodeState> {
  readonly messages: BlockMessage[] = [];
  readonly #history: readonly Message[];
  readonly #state: State;
  readonly #lastTurn: number;
  readonly #addPart: AddPart<State>;
  /**
   * The wire message that the next turn of the same role is merged into; undefined if the next turn must not be merged.
   */
  #open: BlockMessage | undefined;
  #previousRole: Message["role"] = "user";
  /** The history index of the first turn that is not a system message; undefined if there is none yet. */
  #firstIndex: number | undefined;

  constructor(history: readonly Message[], state: State, lastTurn: number, addPart: AddPart<State>) {
    this.#history = history;
    this.#state = state;
    this.#lastTurn = lastTurn;
    this.#addPart = addPart;
  }

  /** Encodes content that consists of one plain text. */
  protected abstract encodeText(text: string, form: JsonObject): BlockContent;
  /** Returns the shortest accepted spelling of a list of blocks. */
  protected abstract compactBlocks(blocks: JsonObject[], form: JsonObject): BlockContent;
  /**
   * Returns the content in the spelling that the decoded message had. It is called only for the first turn of a wire
   * message.
   */
  protected abstract restoreSpelling(content: BlockContent, form: JsonObject): BlockContent;
  protected abstract toBlocks(content: BlockContent | undefined): JsonObject[];
  /** Called for each turn with parts, before the turn is appended as a wire message or merged. */
  protected onTurn(_message: Message, _role: string, _content: BlockContent, _isMerged: boolean): void {}

  add(turn: OutgoingTurn, position: number): void {
    const { context } = this.#state;
    const { message, index } = turn;
    const form = message.extra === undefined ? NO_FORM : readForm(message, context.dialect);
    reportTurnFields(turn, context);
    const role = toWireRole(turn, form, context);
    if (message.parts.length === 0) {
      // Both providers accept an empty message only as the last message, and only from the assistant.
      const isRejected = position < this.#lastTurn || role !== "assistant";
      if (context.repair && isRejected) context.report.addLoss("message-empty", index);
      else this.#begin(role, form["content"] === "none" ? undefined : [], turn);
      // Without repair the empty message stays separate, so the next turn must not be merged into it.
      if (!context.repair) this.#open = undefined;
      return;
    }
    const content = this.#encode(turn, role, form);
    const open = this.#open;
    const isNeighbor = open?.role === role && (role === "user" || role === "assistant");
    const isMerged = isNeighbor && form["turn"] !== "own";
    this.onTurn(message, role, content, isMerged);
    if (content.length === 0 && typeof content !== "string") {
      context.report.addLoss("message-unsupported", [index, "parts"]);
    } else if (isMerged && open !== undefined) this.#merge(open, content, turn);
    else this.#begin(role, this.restoreSpelling(content, form), turn);
  }

  #begin(role: string, content: BlockContent | undefined, turn: OutgoingTurn): void {
    this.#open = content === undefined ? { role } : { role, content };
    this.messages.push(this.#open);
    if (role !== "system") this.#firstIndex ??= turn.index;
    this.#restore(this.#open, turn);
  }

  /**
   * Inserts a user message if needed, because both providers reject a history that is empty or starts with the
   * assistant (B41).
   */
  ensureUserFirst(): void {
    let first = 0;
    while (this.messages[first]?.role === "system") first++;
    const role = this.messages[first]?.role ?? "assistant";
    if (role !== "assistant") return;
    this.#state.context.report.addLoss("user-turn-synthesized", this.#firstIndex);
    this.messages.splice(first, 0, { role: "user", content: this.encodeText(OMITTED_HISTORY_TEXT, NO_FORM) });
  }

  #merge(open: BlockMessage, content: BlockContent, turn: OutgoingTurn): void {
    const { message, index } = turn;
    const blocks = this.toBlocks(open.content);
    for (const block of this.toBlocks(content)) blocks.push(block);
    open.content = blocks;
    // Tool results and the user content after them are one wire message in every history, so merging them is no loss.
    // Merging a turn that a repair has added is no loss either; such a turn has another role than the message of the
    // history at its index.
    const isUsual = message.role !== this.#previousRole && open.role === "user";
    const isSynthesized = this.#history[index]?.role !== message.role;
    if (!isUsual && !isSynthesized) this.#state.context.report.addLoss("turns-merged", [index, "role"]);
    this.#restore(open, turn);
  }

  #restore(open: BlockMessage, { message, index }: OutgoingTurn): void {
    const { context } = this.#state;
    this.#previousRole = message.role;
    if (message.extra === undefined) return;
    context.pathTracker.enter(index);
    restoreResidue(open, message, context);
    context.pathTracker.leave();
  }

  #encode(turn: OutgoingTurn, role: string, form: JsonObject): BlockContent {
    const { message, index } = turn;
    const [only] = message.parts;
    if (message.parts.length === 1 && only?.type === "text" && message.role !== "tool" && hasOnlyText(only)) {
      return this.encodeText(only.text, form);
    }
    if (role === "user" && message.parts.some((part) => isMisplaced(part, message.role))) {
      this.#state.context.report.addLoss("role-approximated", [index, "role"]);
    }
    const blocks: JsonObject[] = [];
    const position = role === "assistant" || role === "system" ? role : "user";
    encodeTurnParts(turn, position, this.#state, blocks, this.#addPart);
    return this.compactBlocks(blocks, form);
  }
}

/**
 * True if a part is a client's tool result outside of a tool message, or another part within a tool message. Opaque
 * parts and parts of provider tools are never misplaced.
 */
function isMisplaced({ type, executor }: { type: string; executor?: string }, role: Message["role"]): boolean {
  return type !== "opaque" && executor !== "provider" && (type === "tool-result") !== (role === "tool");
}
