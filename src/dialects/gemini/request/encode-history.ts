// Encodes messages into contents, usually one content for each message. Adjacent results are joined to one content, and
// so are the assistant messages between a call and its result. System text is sent in `systemInstruction`.
import { reportMessageFields } from "../../kit/history/user-assistant-turns.ts";
import type { Message } from "../../../model/message.ts";
import type { ModelRequest } from "../../../model/request.ts";
import type { EncodeContext } from "../../dialect.ts";
import { OMITTED_HISTORY_TEXT, prepareTurns } from "../../kit/history/prepare-history.ts";
import { RenameTable } from "../../kit/tools/tool-renames.ts";
import { readForm, storeForm, restoreResidue } from "../../kit/residue/residue.ts";
import { countLeadingSystemTurns } from "../../kit/history/system-text.ts";
import type { OutgoingTurn } from "../../kit/history/turn.ts";
import { encodeTurnParts, isPlainMessage, toContent } from "../content/encode-content.ts";
import type { GeminiLossCode } from "../losses.ts";
import { endsWithResult, joinSplitContents } from "./join-split-contents.ts";
import { encodeSystemInstruction } from "./system-instruction.ts";
import { MODEL_BEFORE_3, MODEL_FROM_3, TOOL_NAME_RULE } from "../terms.ts";
import type { GeminiContent, GeminiPart } from "../types.ts";
import type { GeminiEncodeState } from "../content/encode-state.ts";

export interface GeminiHistory {
  systemInstruction: GeminiContent | string | undefined;
  contents: (GeminiContent | string)[];
}

/**
 * Creates the state for encoding messages. `model` is the model that receives the history. An answer goes to a client
 * instead of a model, so `model` is "" and the answer is never repaired.
 */
export function createEncodeState(
  requestContext: EncodeContext<GeminiLossCode>,
  isAnswer: boolean,
  model = "",
): GeminiEncodeState {
  const context = isAnswer ? { ...requestContext, repair: false } : requestContext;
  const movedMedia = context.repair && MODEL_BEFORE_3.test(model) ? [] : undefined;
  return {
    context,
    renameTable: new RenameTable(undefined, TOOL_NAME_RULE, context),
    encodedCalls: new Map(),
    isAnswer,
    movedMedia,
  };
}

/** Returns the list of contents or, if there is system text, an object with `systemInstruction` and `contents`. */
export function encodeMessages(messages: readonly Message[], context: EncodeContext<GeminiLossCode>): unknown {
  const { systemInstruction, contents } = encodeHistory(messages, createEncodeState(context, false));
  return systemInstruction === undefined ? contents : { systemInstruction, contents };
}

/** Encodes a history. The path tracker must be at the list of messages. */
export function encodeHistory(messages: readonly Message[], state: GeminiEncodeState, model = ""): GeminiHistory {
  const { context } = state;
  const turns = prepareTurns(joinSplitContents(messages, context), { noPrefill: context.repair }, context);
  const leadingCount = countLeadingSystemTurns(turns, true);
  const laterSystemTurns: OutgoingTurn[] = [];
  const contents = new ContentListBuilder(state);
  // Gemini checks signatures only after the last user input. Unsigned calls before it get the placeholder, too, so that
  // the beginning of the history is encoded equally in the next request (B44). The exception are calls before it that
  // were already unsigned in a decoded Gemini request.
  const requiresSignatures = context.repair && MODEL_FROM_3.test(model);
  const lastUserTurn = requiresSignatures ? turns.findLastIndex(isUserInput) : turns.length;
  for (let at = leadingCount; at < turns.length; at++) {
    const turn = turns[at] as OutgoingTurn;
    const { role } = turn.message;
    if (role === "system" || role === "developer") laterSystemTurns.push(turn);
    else
      contents.add(turn, requiresSignatures && (at > lastUserTurn || !hasUnsignedForm(turn.message, context.dialect)));
  }
  return {
    systemInstruction: encodeSystemInstruction(turns.slice(0, leadingCount), laterSystemTurns, state),
    contents: contents.end(),
  };
}

const SIGNATURE = "signature";

/**
 * Stores a form on each assistant message that has calls but no signature, if the model of the request issues
 * signatures. The encoder adds no placeholder signature to such a message if it precedes the last user input.
 */
export function storeUnsignedCalls({ messages, model = "" }: ModelRequest, dialect: string): void {
  if (!MODEL_FROM_3.test(model)) return;
  for (const message of messages) {
    const { role, parts } = message;
    if (role !== "assistant" || !parts.some(({ type }) => type === "tool-call")) continue;
    if (!parts.some(({ seals }) => seals !== undefined)) storeForm(message, dialect, SIGNATURE, "none");
  }
}

function hasUnsignedForm(message: Message, dialect: string): boolean {
  return message.extra !== undefined && readForm(message, dialect)[SIGNATURE] === "none";
}

function isUserInput({ message: { role, parts } }: OutgoingTurn): boolean {
  return role === "user" || (role === "tool" && parts.some(({ type }) => type === "text"));
}

function isFunctionCallPart({ functionCall }: GeminiPart): boolean {
  return functionCall !== undefined;
}

class ContentListBuilder {
  readonly #contents: (GeminiContent | string)[] = [];
  readonly #state: GeminiEncodeState;
  #openContent: GeminiContent | undefined;
  #lastMessage: Message | undefined;
  /**
   * True if the open content has a function call. Gemini accepts only the results of the call as the next turn (B25),
   * so a further assistant message joins the open content.
   */
  #endsWithCall = false;
  /** Index of the message that the first content was encoded from. */
  #firstIndex: number | undefined;

  constructor(state: GeminiEncodeState) {
    this.#state = state;
  }

  add(turn: OutgoingTurn, needsSignature: boolean): void {
    const { message, index } = turn;
    const { context } = this.#state;
    const { pathTracker } = context;
    const isPlain = isPlainMessage(message);
    const openContent = this.#shouldJoin(turn) ? this.#openContent : undefined;
    if (openContent === undefined) this.#addMovedMedia();
    // Gemini expects a signature only on the first call of a turn, so a message that joins the open content gets no
    // placeholder.
    const parts = encodeTurnParts(
      turn,
      this.#state,
      needsSignature && message.role === "assistant" && openContent === undefined,
    );
    pathTracker.enter(index);
    if (!isPlain) reportMessageFields(message, context);
    if (parts.length === 0 && context.repair && openContent === undefined) context.report.addLoss("message-empty");
    else if (openContent === undefined) this.#addContent(toContent(parts, message, context), index);
    else this.#joinContent(openContent, parts, message);
    pathTracker.leave();
    if (openContent === undefined && parts.length === 0 && context.repair) return;
    this.#lastMessage = message;
    this.#endsWithCall =
      context.repair && message.role === "assistant" && (openContent !== undefined || parts.some(isFunctionCallPart));
  }

  #addContent(content: GeminiContent | string, index: number): void {
    this.#firstIndex ??= index;
    this.#contents.push(content);
    this.#openContent = typeof content === "string" ? undefined : content;
  }

  /**
   * Appends parts to the open content (the content of the last encoded message). The path tracker must be at the
   * message.
   */
  #joinContent(open: GeminiContent, parts: GeminiPart[], message: Message): void {
    const { context } = this.#state;
    (open.parts ??= []).push(...parts);
    if (message.extra === undefined) return;
    if (readForm(message, context.dialect)["role"] !== undefined) {
      context.report.addLoss("form-stale", ["extra", context.dialect, "$form", "role"]);
    }
    restoreResidue(open, message, context);
  }

  /** True if a message must join the open content (the content of the last encoded message); reports the merge. */
  #shouldJoin({ message, index }: OutgoingTurn): boolean {
    if (this.#openContent === undefined) return false;
    const joins = message.role === "assistant" ? this.#endsWithCall : this.#continuesResults(message);
    if (joins) this.#state.context.report.addLoss("turns-merged", [index, "role"]);
    return joins;
  }

  /**
   * True if a tool message continues the results of the previous message, and was not decoded from a content of its
   * own.
   */
  #continuesResults({ role, parts: [first], extra }: Message): boolean {
    if (role !== "tool" || (first !== undefined && first.type !== "tool-result")) return false;
    if (!endsWithResult(this.#lastMessage)) return false;
    return extra === undefined || readForm({ extra }, this.#state.context.dialect)["turn"] !== "own";
  }

  /** Appends a user content with the media that older models do not accept in function responses. */
  #addMovedMedia(): void {
    const { movedMedia } = this.#state;
    if (movedMedia !== undefined && movedMedia.length > 0)
      this.#contents.push({ role: "user", parts: movedMedia.splice(0) });
  }

  /**
   * Returns all contents. Adds a user content at the beginning if there are no contents or if the first content is the
   * model's, because Gemini rejects both (B41).
   */
  end(): (GeminiContent | string)[] {
    const { context } = this.#state;
    this.#addMovedMedia();
    const [first] = this.#contents;
    if (context.repair && (first === undefined || (typeof first === "object" && first.role === "model"))) {
      context.report.addLoss("user-turn-synthesized", this.#firstIndex);
      this.#contents.unshift({ role: "user", parts: [{ text: OMITTED_HISTORY_TEXT }] });
    }
    return this.#contents;
  }
}
