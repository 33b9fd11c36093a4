// Encodes the deltas of one choice as chunks. A chunk can continue any field of the message until the answer ends. Only
// parts that need a single chunk, such as media, are held back until they are complete.
import type { Delta } from "../../../model/delta.ts";
import { setOwn } from "../../../model/merge-extra.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type {
  AudioPart,
  Extra,
  Part,
  ReasoningPart,
  RefusalPart,
  TextPart,
  ToolCallPart,
} from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import { isApprovalPart } from "../../kit/tools/approvals.ts";
import type { PartDraft } from "../../kit/streams/answer-follower.ts";
import { toDraftPath } from "../../kit/streams/answer-follower.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { storeForm } from "../../kit/residue/residue.ts";
import { takeWholeCharacters } from "../../kit/streams/text-chunks.ts";
import { encodeText, isBareTextBlock } from "../messages/content-blocks.ts";
import { encodeAssistant } from "../messages/encode-assistant.ts";
import { encodeLogprobs } from "../messages/logprobs.ts";
import type { ChatLossCode } from "../losses.ts";
import { readMediaOrigin } from "../messages/media.ts";
import { DETAILS_FIELD, findReasoningField } from "../messages/reasoning.ts";
import type { ChatPartContext, EmitChatDelta, PartEncoding } from "./part-encoders.ts";
import { ChatAudioEncoder, ChatCallEncoder, ReasoningDetailEncoder } from "./part-encoders.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { readSourceField, readFormValue } from "../encode-state.ts";

/** Wire fields, besides `content`, of the parts that are sent in a single chunk. */
const WHOLE_PART_FIELDS: ReadonlySet<string> = new Set([
  DETAILS_FIELD,
  "images",
  "tool_calls",
  "function_call",
  "audio",
]);

export class ChatChoiceEncoder implements ChatPartContext {
  readonly state: ChatEncodeState;
  readonly emitDelta: EmitChatDelta;
  readonly #context: EncodeContext<ChatLossCode>;
  readonly #calls = new ChatCallEncoder(this);
  readonly #audio = new ChatAudioEncoder(this);
  readonly #details = new ReasoningDetailEncoder(this);
  readonly #encodings = new Map<PartDraft, PartEncoding>();
  /** Parts that are sent in a single chunk and are not complete yet. */
  #waiting: PartDraft[] = [];
  /** For each wire field, the part that was sent last, to notice a text that belongs to another part. */
  readonly #lastInField = new Map<string, PartDraft>();
  /** Wire fields that have been sent, completely or in part. */
  readonly #sentFields = new Set<string>();
  readonly #logprobCounts = { content: 0, refusal: 0 };
  /** Texts next to another text in `content`. A client joins such texts if they are sent as strings. */
  readonly #joinedTexts: PartDraft[] = [];
  /** True if the content is sent as a list of blocks. */
  #sendsBlocks: boolean;
  /**
   * True if the start delta states that the decoded content was a list although a string would have been equivalent.
   */
  readonly #wasList: boolean;

  constructor(
    state: ChatEncodeState,
    context: EncodeContext<ChatLossCode>,
    extra: Extra | undefined,
    emitDelta: EmitChatDelta,
  ) {
    this.state = state;
    this.#context = context;
    this.emitDelta = emitDelta;
    this.#wasList = readFormValue(extra === undefined ? {} : { extra }, "content", state) === "list";
    this.#sendsBlocks = this.#wasList;
  }

  push(draft: PartDraft, delta: Delta): void {
    let encoding = this.#encodings.get(draft);
    if (encoding === undefined) {
      this.#emitWaiting(draft);
      encoding = this.#chooseEncoding(draft);
      this.#encodings.set(draft, encoding);
      if (encoding.method === "whole") this.#waiting.push(draft);
    }
    switch (encoding.method) {
      case "field":
      case "block":
      case "thinking":
        return this.#addText(draft, encoding, delta);
      case "call":
      case "legacy":
        this.#sentFields.add(encoding.method === "legacy" ? "function_call" : "tool_calls");
        // The cast is safe, because only tool calls have the methods "call" and "legacy".
        return this.#calls.push(draft.part as ToolCallPart, encoding, delta);
      case "audio":
        // The cast is safe, because only audio parts have the method "audio".
        return this.#audio.push(draft.part as AudioPart, delta);
      case "detail":
        return this.#addDetail(draft, encoding, delta);
      case "whole":
        if (encoding.hasStarted) this.#addLate(draft, delta);
        else if (encoding.field === DETAILS_FIELD && ReasoningDetailEncoder.canStart(draft, delta))
          this.#startDetail(draft, encoding, delta);
        else if (delta.kind === "tool_call_end") this.#emitWaiting();
        return;
      default:
    }
  }

  /** Starts a reasoning detail, which is possible as soon as its type is known. */
  #startDetail(draft: PartDraft, encoding: PartEncoding, delta: Delta): void {
    this.#waiting = this.#waiting.filter((each) => each !== draft);
    this.#sentFields.add(DETAILS_FIELD);
    encoding.method = "detail";
    this.#addDetail(draft, encoding, delta);
  }

  #addDetail(draft: PartDraft, encoding: PartEncoding, delta: Delta): void {
    const previous = this.#lastInField.get(DETAILS_FIELD);
    if (previous !== undefined && previous !== draft) this.#flushSurrogate(previous);
    this.#lastInField.set(DETAILS_FIELD, draft);
    const lossCode = this.#details.push(draft, encoding, delta);
    if (lossCode !== undefined) this.#context.report.addLoss(lossCode, toDraftPath(draft));
  }

  #chooseEncoding({ kind, part }: PartDraft): PartEncoding {
    const encoding: PartEncoding = { method: "whole", field: "", callIndex: 0, hasStarted: false, hasText: false };
    const { state } = this;
    switch (part.type) {
      case "text":
        if (part.cache !== undefined && !isBareTextBlock(encodeText(part, state, true))) return encoding;
        return { ...encoding, method: this.#isBlock(part) ? "block" : "field", field: "content" };
      case "refusal":
        return readSourceField(part, state) === "content"
          ? encoding
          : { ...encoding, method: "field", field: "refusal" };
      case "reasoning": {
        const field = findReasoningField(part, state);
        if (field === undefined) return { ...encoding, method: "dropped" };
        if (field === DETAILS_FIELD) return { ...encoding, field };
        if (field === "thinking") return { ...encoding, method: field, field: "content" };
        return { ...encoding, method: "field", field };
      }
      case "tool-call":
        return { ...encoding, method: this.#chooseCallMethod(part, kind) };
      case "audio": {
        const isAudioOutput =
          part.data !== undefined && readMediaOrigin(part, state) !== "content" && !this.#sentFields.has("audio");
        if (isAudioOutput) this.#sentFields.add("audio");
        return isAudioOutput && part.extra?.[state.dialect] === undefined ? { ...encoding, method: "audio" } : encoding;
      }
      default:
        return encoding;
    }
  }

  /**
   * True if a text is sent as a content block: the decoded content was a list, or the text has residue, or blocks were
   * sent before and the text is empty or follows a text. Other texts are sent as strings, which more clients read.
   */
  #isBlock(part: TextPart): boolean {
    if (this.#wasList || part.extra?.[this.state.dialect] !== undefined) return true;
    return this.#sendsBlocks && (part.text === "" || this.#lastInField.get("content")?.part.type === "text");
  }

  #chooseCallMethod(part: ToolCallPart, kind: PartDraft["kind"]): PartEncoding["method"] {
    if (part.executor === "provider" || isApprovalPart(part)) return "dropped";
    const field = readSourceField(part, this.state);
    if (kind === "whole") return "whole";
    const residue = part.extra?.[this.state.dialect];
    if (field === "function_call") return Object.keys(residue ?? {}).length === 1 ? "legacy" : "whole";
    return readFormValue(part, "arguments", this.state) === undefined ? "call" : "whole";
  }

  #addText(draft: PartDraft, encoding: PartEncoding, delta: Delta): void {
    if (delta.kind === "part") {
      // The cast is safe, because only texts, refusals and reasoning have the methods "field", "block" and "thinking".
      const part = draft.part as TextPart | RefusalPart | ReasoningPart;
      return this.#emitText(draft, encoding, part.text, "logprobs" in part ? part.logprobs : undefined);
    }
    if (delta.kind !== "text" && delta.kind !== "refusal" && delta.kind !== "thinking") return;
    const { payload } = delta;
    if (encoding.hasStarted && payload.extra?.[this.state.dialect] !== undefined)
      this.#context.report.addLoss("late-dropped", [...toDraftPath(draft), "extra"]);
    if (delta.kind !== "thinking") this.#emitText(draft, encoding, payload.textDelta, delta.payload.logprobs);
    else if (delta.payload.summary === undefined) this.#emitText(draft, encoding, payload.textDelta, undefined);
  }

  #emitText(draft: PartDraft, encoding: PartEncoding, textDelta: string, logprobList: TextPart["logprobs"]): void {
    const text = takeWholeCharacters(encoding, textDelta);
    const logprobs = logprobList === undefined ? null : this.#encodeLogprobs(logprobList, encoding.field);
    // An empty text in a field is not sent. An empty block is sent, because it is also a part.
    if (
      text === "" &&
      encoding.pendingSurrogate === undefined &&
      (encoding.method === "field" || encoding.hasStarted)
    ) {
      if (logprobs !== null) this.emitDelta({}, logprobs);
      return;
    }
    const previous = this.#lastInField.get(encoding.field);
    if (previous !== draft) this.#switchPart(draft, encoding, previous);
    if (encoding.method !== "field") this.#emitBlock(draft, encoding, text, previous, logprobs);
    else if (text !== "" || logprobs !== null) this.#emitField(encoding, text, logprobs);
  }

  /** Makes `draft` the current part of its field, after the previous part of the field has been flushed. */
  #switchPart(draft: PartDraft, encoding: PartEncoding, previous: PartDraft | undefined): void {
    if (previous !== undefined) {
      this.#flushSurrogate(previous);
      if (previous.index > draft.index) this.#context.report.addLoss("part-split", [...toDraftPath(draft), "text"]);
      if (encoding.field === "content" && previous.part.type === "text" && !encoding.hasStarted)
        this.#joinedTexts.push(previous, draft);
    }
    this.#lastInField.set(encoding.field, draft);
  }

  #emitField(encoding: PartEncoding, text: string, logprobs: JsonObject | null): void {
    const { field } = encoding;
    let fieldText = text;
    if (text !== "" && !encoding.hasText) {
      // Several texts of one field are separated by an empty line, as in a response.
      if (field !== "content" && this.#sentFields.has(field)) fieldText = `\n\n${text}`;
      encoding.hasText = true;
      this.#sentFields.add(field);
    }
    encoding.hasStarted = true;
    // A literal is faster to create than an object with a computed key. This code runs for most deltas.
    this.emitDelta(field === "content" ? { content: fieldText } : { [field]: fieldText }, logprobs);
  }

  /** Sends the first half of a surrogate pair whose second half has not arrived. */
  #flushSurrogate(draft: PartDraft): void {
    const encoding = this.#encodings.get(draft);
    const surrogate = encoding?.pendingSurrogate;
    if (encoding === undefined || surrogate === undefined) return;
    delete encoding.pendingSurrogate;
    if (encoding.method === "field") this.#emitField(encoding, surrogate, null);
    else if (encoding.method === "detail") this.#details.emitMore(draft, encoding, surrogate);
    else if (encoding.method === "block" || encoding.method === "thinking")
      this.#emitBlock(draft, encoding, surrogate, draft, null);
  }

  /**
   * Sends a content block or the next text of it. An empty block is sent before a new block that follows a block of the
   * same type, because a client would join both otherwise.
   */
  #emitBlock(
    draft: PartDraft,
    encoding: PartEncoding,
    text: string,
    previous: PartDraft | undefined,
    logprobs: JsonObject | null,
  ): void {
    const plain = (blockText: string): JsonObject =>
      encoding.method === "thinking"
        ? { type: "thinking", thinking: [{ type: "text", text: blockText }] }
        : { type: "text", text: blockText };
    this.#sendsBlocks = true;
    const hasStarted = encoding.hasStarted;
    encoding.hasStarted = true;
    if (hasStarted && text === "" && logprobs === null) return;
    if (hasStarted && previous === draft) return this.emitDelta({ content: [plain(text)] }, logprobs);
    // The cast is safe: `draft.part` is a text or reasoning part, and only its text is replaced.
    const [block] = this.#encodeBlocks({ ...draft.part, text } as Part);
    const isAlike = previous?.part.type === draft.part.type && this.#encodings.get(previous)?.method !== "whole";
    this.emitDelta({ content: isAlike ? [plain(""), block ?? plain(text)] : [block ?? plain(text)] }, logprobs);
  }

  #encodeBlocks(part: Part): JsonValue[] {
    const { content } = this.encodePart(part);
    return Array.isArray(content) ? content : [];
  }

  #encodeLogprobs(list: NonNullable<TextPart["logprobs"]>, field: string): JsonObject {
    const name = field === "refusal" ? "refusal" : "content";
    this.#logprobCounts[name] += list.length;
    return { content: null, refusal: null, [name]: encodeLogprobs(list, this.state) };
  }

  /** Encodes one part as the only part of a message. Losses are not reported. */
  encodePart(part: Part): JsonObject {
    const message: Message = { role: "assistant", parts: [part] };
    if (this.#sendsBlocks) storeForm(message, this.state.dialect, "content", "list");
    return encodeAssistant({ message, index: 0 }, { ...this.state, calls: new Map() }, {});
  }

  /**
   * Sends the parts of `#waiting` that are complete. A call without its end delta (unless `isEnd` is true) and `next`,
   * the part that has just begun, stay in `#waiting` without delaying the other parts.
   */
  #emitWaiting(next?: PartDraft, isEnd = false): void {
    if (this.#waiting.length === 0) return;
    const unsent: PartDraft[] = [];
    for (const draft of this.#waiting) {
      const isOpen = draft.kind === "call" && "ended" in draft && draft.ended === false;
      if (draft === next || (isOpen && !isEnd)) unsent.push(draft);
      else this.#emitWhole(draft, draft.part);
    }
    this.#waiting = unsent;
  }

  #emitWhole(draft: PartDraft, part: Part): void {
    const encoding = this.#encodings.get(draft);
    if (encoding !== undefined) encoding.hasStarted = true;
    const isBlock = part.type === "text";
    if (isBlock) this.#sendsBlocks = true;
    const wire = this.encodePart(part);
    const { content } = wire;
    if (Array.isArray(content) && content.length > 0) {
      this.#sendsBlocks = true;
      const previous = this.#lastInField.get("content")?.part;
      this.emitDelta(
        { content: isBlock && previous?.type === "text" ? [{ type: "text", text: "" }, ...content] : content },
        null,
      );
      this.#lastInField.set("content", draft);
    }
    const { [DETAILS_FIELD]: details, images, tool_calls: calls, function_call: call, audio } = wire;
    if (Array.isArray(details)) this.#details.emitWhole(details);
    if (Array.isArray(images)) this.emitDelta({ images }, null);
    if (Array.isArray(calls)) this.#calls.emitWhole(calls);
    if (isObject(call)) this.emitDelta({ function_call: call }, null);
    if (isObject(audio)) this.#audio.emitWhole(audio);
    for (const key in wire) if (WHOLE_PART_FIELDS.has(key) && wire[key] !== undefined) this.#sentFields.add(key);
  }

  /**
   * Handles a delta for a part that has already been sent. A text is sent as a further block; any other delta is
   * dropped with a loss.
   */
  #addLate(draft: PartDraft, delta: Delta): void {
    if ((delta.kind === "text" || delta.kind === "thinking") && delta.payload.textDelta !== "") {
      this.#context.report.addLoss("part-split", [...toDraftPath(draft), "text"]);
      // The cast is safe: a part with text or thinking deltas has a text, and only this text is replaced.
      this.#emitWhole(draft, { ...draft.part, text: delta.payload.textDelta } as Part);
    } else if (delta.kind !== "tool_call_end") this.#context.report.addLoss("late-dropped", toDraftPath(draft));
  }

  /** Sends the fields of the complete message that no chunk has sent. */
  finish(message: JsonObject, logprobs: JsonObject | undefined, wasList: boolean): void {
    this.#emitWaiting(undefined, true);
    for (const draft of this.#lastInField.values()) this.#flushSurrogate(draft);
    if (wasList && !this.#wasList) this.#reportJoined();
    const rest: JsonObject = {};
    for (const key in message) {
      const value = message[key];
      if (value === undefined || this.#isSent(key, value)) continue;
      if (key === "audio" && isObject(value)) {
        const unsent = this.#audio.unsentFields(value);
        if (Object.keys(unsent).length > 0) rest[key] = unsent;
      } else copyField(message, key, rest);
    }
    const unsentLogprobs = logprobs === undefined ? null : this.#unsentLogprobs(logprobs);
    if (Object.keys(rest).length > 0 || unsentLogprobs !== null) this.emitDelta(rest, unsentLogprobs);
  }

  /** Reports texts that were sent as strings, which a client joins, before the content was known to be a list. */
  #reportJoined(): void {
    for (const draft of new Set(this.#joinedTexts)) {
      if (this.#encodings.get(draft)?.method === "field")
        this.#context.report.addLoss("texts-joined", [...toDraftPath(draft), "text"]);
    }
  }

  #isSent(key: string, value: JsonValue): boolean {
    if (key === "role") return value === "assistant";
    if (key === "audio") return false;
    const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
    if (key === "content") {
      if (Array.isArray(value)) return !isEmpty || this.#hasSentBlocks;
      return isEmpty || value === "" || this.#sentFields.has(key) || this.#hasSentBlocks;
    }
    if (isEmpty && (key === "refusal" || key === "annotations")) return true;
    return this.#sentFields.has(key);
  }

  get #hasSentBlocks(): boolean {
    return this.#lastInField.has("content") && this.#sendsBlocks;
  }

  #unsentLogprobs(logprobs: JsonObject): JsonObject | null {
    const rest: JsonObject = {};
    let isNew = false;
    for (const key in logprobs) {
      const value = logprobs[key];
      if (value === undefined) continue;
      const known = key === "content" || key === "refusal" ? this.#logprobCounts[key] : 0;
      setOwn(rest, key, Array.isArray(value) ? value.slice(known) : value);
      if (Array.isArray(value) ? value.length > known || known === 0 : value !== null) isNew = true;
    }
    return isNew ? rest : null;
  }
}
