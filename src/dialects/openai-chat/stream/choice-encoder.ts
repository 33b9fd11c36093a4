// Encodes the deltas of one choice as chunks. All fields of a message stay open until its end, so only parts that need
// one chunk, such as media, have to wait until they are complete.
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

/** Fields of parts that can be sent in one chunk. */
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
  /** Parts that are sent in one chunk and are not complete yet. */
  #waiting: PartDraft[] = [];
  /** The last part of each field, to detect a change of parts. */
  readonly #lastInField = new Map<string, PartDraft>();
  /** Fields of which something has been sent. */
  readonly #sentFields = new Set<string>();
  readonly #logprobCounts = { content: 0, refusal: 0 };
  /** Texts next to each other in the content. */
  readonly #joinedTexts: PartDraft[] = [];
  /** True if content is sent as blocks. */
  #sendsBlocks: boolean;
  /** True if the start of the answer says that its content was a list although a string was possible. */
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
        return this.#calls.push(draft.part as ToolCallPart, encoding, delta); // The encoding's method implies the type.
      case "audio":
        return this.#audio.push(draft.part as AudioPart, delta); // The encoding's method implies the type.
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

  /** Starts a reasoning detail as soon as its type is known. */
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
   * True if a text is sent as a block. A text that cannot be confused with the one before it is a string, which more
   * clients read.
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
      const part = draft.part as TextPart | RefusalPart | ReasoningPart; // The encoding's method implies the type.
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
    // A block exists even if it is empty.
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

  /** Makes another part the current one of a field. */
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
      // Texts of one field are separated as in a whole answer.
      if (field !== "content" && this.#sentFields.has(field)) fieldText = `\n\n${text}`;
      encoding.hasText = true;
      this.#sentFields.add(field);
    }
    encoding.hasStarted = true;
    // A literal is faster to create than an object with a computed key; this runs for most deltas.
    this.emitDelta(field === "content" ? { content: fieldText } : { [field]: fieldText }, logprobs);
  }

  /** Sends the half of a surrogate pair that waited for its other half. */
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

  /** Sends a block of content or more of it. An empty block before it separates it from a block of the same type. */
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
    const [block] = this.#encodeBlocks({ ...draft.part, text } as Part); // The same part with another text.
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

  /** Encodes a single part as a message does; losses are not reported. */
  encodePart(part: Part): JsonObject {
    const message: Message = { role: "assistant", parts: [part] };
    if (this.#sendsBlocks) storeForm(message, this.state.dialect, "content", "list");
    return encodeAssistant({ message, index: 0 }, { ...this.state, calls: new Map() }, {});
  }

  /** Sends waiting parts that are complete; an open call does not delay others. */
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

  /** Adds a late delta of a part that has been sent: a text becomes a further block, anything else is dropped. */
  #addLate(draft: PartDraft, delta: Delta): void {
    if ((delta.kind === "text" || delta.kind === "thinking") && delta.payload.textDelta !== "") {
      this.#context.report.addLoss("part-split", [...toDraftPath(draft), "text"]);
      this.#emitWhole(draft, { ...draft.part, text: delta.payload.textDelta } as Part); // The same part with another text.
    } else if (delta.kind !== "tool_call_end") this.#context.report.addLoss("late-dropped", toDraftPath(draft));
  }

  /** Sends the fields of the whole message that no chunk has sent. */
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

  /** Reports texts that were joined because the form of the content became known only at the end. */
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
