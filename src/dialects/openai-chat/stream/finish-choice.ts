// Emits the remaining deltas of a streamed choice. The merged chunks are decoded like a response, and content that has
// not been emitted follows. A streamed answer thus equals the response, for any order of its fields (B80).
import type { Delta, PayloadBase } from "../../../model/delta.ts";
import type { Message } from "../../../model/message.ts";
import type { Part, ToolCallPart } from "../../../model/parts.ts";
import { readForm } from "../../kit/residue/residue.ts";
import type { StreamCallIds } from "../../kit/streams/stream-tool-calls.ts";
import { emitCallEnd, EmittedPart, emitRest, newExtra } from "../../openai/emitted-part.ts";
import { DETAILS_FIELD, TEXT_FIELDS } from "../messages/reasoning.ts";
import type { ChatChoiceDecoder } from "./choice-decoder.ts";
import type { StreamedChatCall } from "./tool-call-decoder.ts";

/**
 * Emits the remaining deltas of one choice from its decoded message. The part key is the position of the part in the
 * wire message.
 */
export class ChatChoiceFinisher {
  readonly #choice: ChatChoiceDecoder;
  readonly #dialect: string;
  readonly #base: PayloadBase;
  readonly #out: Delta[];
  readonly #callIds: StreamCallIds;
  /** For each list field, the number of its parts to which `#nextKey` has given a part key. */
  readonly #counts = { [DETAILS_FIELD]: 0, content: 0, images: 0, tool_calls: 0 };

  constructor(choice: ChatChoiceDecoder, position: number, dialect: string, callIds: StreamCallIds, out: Delta[]) {
    this.#choice = choice;
    this.#dialect = dialect;
    this.#base = position === 0 ? {} : { choice: position };
    this.#out = out;
    this.#callIds = callIds;
  }

  /**
   * Emits the remaining deltas of every part, and the ends of the calls if the choice is complete. `cutOff` is the call
   * that the end of the answer cut off; it is marked as invalid, because it must not be run (B31).
   */
  finishParts({ parts }: Message, cutOff: ToolCallPart | undefined, isComplete: boolean): void {
    for (const part of parts) {
      const key = this.#nextKey(part);
      if (part.type === "tool-call" || key.startsWith("calls/"))
        this.#finishCall(part, key, part === cutOff, isComplete);
      else this.#finishPart(part, key);
    }
  }

  /** Emits the ends of the started calls. Called as soon as the choice has a finish reason. */
  endCalls({ parts }: Message, cutOff: ToolCallPart | undefined): void {
    for (const part of parts) {
      const key = this.#nextKey(part);
      if (this.#findCall(key)?.toolCallId !== undefined) this.#finishCall(part, key, part === cutOff, true);
    }
  }

  #findCall(key: string): StreamedChatCall | undefined {
    const { legacyCall, calls } = this.#choice.toolCalls;
    if (key === "function_call") return legacyCall;
    return key.startsWith("calls/") ? calls[Number(key.slice("calls/".length))] : undefined;
  }

  /**
   * Returns the part key of the next part of the decoded message. Parts of one wire field have the same order in the
   * chunks and in the decoded message, so the key contains a counter for each field.
   */
  #nextKey(part: Part): string {
    const { in: field, at: origin } = readForm(part, this.#dialect);
    if (field === DETAILS_FIELD) return `details/${this.#counts[DETAILS_FIELD]++}`;
    if (typeof field === "string" && TEXT_FIELDS.includes(field)) return field;
    if (field === "function_call") return field;
    if (part.type === "tool-call" || field === "tool_calls") return `calls/${this.#counts.tool_calls++}`;
    if (field === "images") return `images/${this.#counts.images++}`;
    if (part.type === "refusal" && field !== "content") return "refusal";
    if (part.type === "audio" && origin !== "content") return "audio";
    const index = this.#counts.content++;
    return this.#choice.emittedParts.has("content") && index === 0 ? "content" : `content/${index}`;
  }

  #finishCall(part: Part, key: string, isCutOff: boolean, isComplete: boolean): void {
    const call = this.#findCall(key);
    const emitted = call?.emitted;
    if (emitted?.kind === "whole") return;
    if (call === undefined || emitted?.call === undefined) {
      if (part.type === "tool-call") this.#callIds.assignId(part, this.#dialect);
      this.#emitWhole(part, key);
      return;
    }
    if (emitted.hasEnded) return;
    if (isComplete) return emitCallEnd(emitted, part.extra, isCutOff || call.isMisnamed, this.#out);
    const extra = newExtra(part.extra, emitted.extra);
    if (extra === undefined) return;
    const { toolCallId } = emitted.call;
    this.#out.push({ kind: "tool_call_args", payload: { toolCallId, argsTextDelta: "", extra } });
  }

  #emitWhole(value: Part, key: string): void {
    this.#choice.emittedParts.set(key, new EmittedPart(key, "whole"));
    this.#out.push({ kind: "part", payload: { value, partKey: key, ...this.#base } });
  }

  #finishPart(part: Part, key: string): void {
    const emitted = this.#choice.emittedParts.get(key) ?? this.#findReasoningText(part, key);
    if (emitted === undefined) return this.#emitWhole(part, key);
    if (emitted.kind === "whole") return;
    // Each chunk contains only new text, so the text of this part has already been emitted completely.
    emitRest(emitted, part, { dialect: this.#dialect, base: this.#base, isTextComplete: true }, this.#out);
  }

  /**
   * If the part is a text from the first entry of `reasoning_details`, returns the emitted reasoning of the text field
   * that this entry repeats; undefined otherwise.
   */
  #findReasoningText(part: Part, key: string): EmittedPart | undefined {
    const { reasoningField, emittedParts } = this.#choice;
    const isText = part.type === "reasoning" && part.text !== "" && part.summary === undefined;
    return key === "details/0" && isText && reasoningField !== undefined ? emittedParts.get(reasoningField) : undefined;
  }
}
