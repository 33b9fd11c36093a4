// Builds drafts: parts that are being assembled, and the drafts of one choice in order.
import { parseArguments } from "../model/tool-arguments.ts";
import type { MediaPayload, MessageFields, PartKey, ToolCallStartPayload } from "../model/delta.ts";
import { copyExtra, mergeExtra } from "../model/merge-extra.ts";
import { assignObject, copyObject } from "../model/json/index.ts";
import type { InvalidToolCall, Message, Metadata } from "../model/message.ts";
import type { Extra, MediaPart, Part, Seal, ToolCallPart } from "../model/parts.ts";
import { parsePartialJson } from "./partial-json.ts";

/** The kind of a draft. It determines which deltas can extend the draft. */
export type DraftKind = "text" | "thinking" | "refusal" | "call" | "media" | "whole";

export interface PartDraft<P extends Part = Part> {
  kind: DraftKind;
  /** The part. Deltas change it in place, so it is passed to callers only when the answer is complete. */
  part: P;
  /**
   * The copy of the part that the last snapshot returned; undefined if the part has changed since. The next snapshot
   * returns the same object for an unchanged part (B100).
   */
  view: Part | undefined;
  /** The index of each seal in `part.seals`, by dialect and kind, so that replacing a seal takes constant time. */
  seals?: Map<string, number>;
  /** The index of the choice. */
  choice: number;
  /** The position of the part in the choice. */
  index: number;
  /** The length that the text had when `flattenText` last flattened it. */
  flattenedLength: number;
}

/** The draft of a tool call. `args` is the text of the arguments so far; it is parsed when the call ends. */
export interface CallDraft extends PartDraft<ToolCallPart> {
  kind: "call";
  args: string;
  objectArgs: boolean | undefined;
  ended: boolean;
}

export function createCallDraft(payload: ToolCallStartPayload): CallDraft {
  const { toolCallId, toolName, executor, format, tool, objectArgs } = payload;
  const part: ToolCallPart = { type: "tool-call", toolCallId, toolName, input: {} };
  if (executor !== undefined) part.executor = executor;
  if (format !== undefined) part.format = format;
  if (tool !== undefined) part.tool = tool;
  return {
    kind: "call",
    part,
    view: undefined,
    args: "",
    objectArgs,
    ended: false,
    choice: 0,
    index: 0,
    flattenedLength: 0,
  };
}

/**
 * Ends a call and parses its complete arguments. Returns the reason why they are invalid; undefined if they are valid.
 */
export function finishCall(draft: CallDraft): string | undefined {
  const { input, inputText, invalid, reason } = parseArguments(draft.args, {
    format: draft.part.format,
    objectArgs: draft.objectArgs,
  });
  draft.ended = true;
  draft.view = undefined;
  draft.part.input = input;
  if (inputText !== undefined) draft.part.inputText = inputText;
  if (invalid === true) draft.part.invalid = true;
  return reason;
}

/**
 * Returns the part of a call whose `tool_call_end` delta has not arrived, marked as invalid: the call is incomplete,
 * even if its arguments are valid JSON (B21, B31).
 */
function toInvalidCall({ part, args }: CallDraft): ToolCallPart {
  return { ...part, input: args, inputText: args, invalid: true };
}

/**
 * Returns a copy of the part for a snapshot. The input of an open call is the value of the arguments received so far
 * (B78).
 */
function createView(draft: PartDraft): Part {
  if (draft.view !== undefined) return draft.view;
  const view: Part = copyObject(draft.part);
  if (view.extra !== undefined) view.extra = copyExtra(view.extra);
  if (view.seals !== undefined) view.seals = [...view.seals];
  if (isCall(draft) && !draft.ended && view.type === "tool-call") {
    view.input = view.format === "text" ? draft.args : (parsePartialJson(draft.args) ?? {});
    view.inputText = draft.args;
  }
  if (view.type === "text" && view.annotations !== undefined) view.annotations = [...view.annotations];
  if ((view.type === "text" || view.type === "refusal") && view.logprobs !== undefined)
    view.logprobs = [...view.logprobs];
  if (view.type === "reasoning" && view.summary !== undefined) view.summary = [...view.summary];
  draft.view = view;
  return view;
}

function isCall(draft: PartDraft): draft is CallDraft {
  return draft.kind === "call";
}

/** Creates a draft from a complete part. The part is copied, because later deltas can extend the draft. */
export function createWholeDraft(value: Part): PartDraft {
  const part: Part = copyObject(value);
  if (part.extra !== undefined) part.extra = copyExtra(part.extra);
  if (part.seals !== undefined) part.seals = [...part.seals];
  if (part.type === "text" && part.annotations !== undefined) part.annotations = [...part.annotations];
  return { kind: "whole", part, view: undefined, choice: 0, index: 0, flattenedLength: 0 };
}

function createSealKey({ dialect, kind }: Seal): string {
  return JSON.stringify([dialect, kind]);
}

/** Adds a seal; it replaces an earlier seal of the same dialect and kind. */
export function addSeal(draft: PartDraft, seal: Seal): void {
  const seals = (draft.part.seals ??= []);
  draft.seals ??= new Map(seals.map((each, index) => [createSealKey(each), index]));
  const key = createSealKey(seal);
  const index = draft.seals.get(key) ?? seals.length;
  draft.seals.set(key, index);
  seals[index] = seal;
}

export function addPartExtra(draft: PartDraft, extra: Extra): void {
  draft.part.extra = mergeExtra(draft.part.extra, extra);
  draft.view = undefined;
}

/** The minimum number of characters by which a text must grow before it is flattened again. */
const MIN_FLATTEN_GROWTH = 1 << 14;
const MATCH_START = /^/;

/**
 * Flattens a text that has grown by MIN_FLATTEN_GROWTH and an eighth since it was last flattened. V8 stores a
 * concatenated string as a tree, which takes several times its length in memory; a regular expression test converts it
 * into one flat string.
 */
export function flattenText(draft: Pick<PartDraft, "flattenedLength">, text: string): void {
  if (text.length - draft.flattenedLength < MIN_FLATTEN_GROWTH + (draft.flattenedLength >> 3)) return;
  MATCH_START.test(text);
  draft.flattenedLength = text.length;
}

/**
 * Returns the type of a media part: the type in the payload, else the family of its MIME type, else "audio" if a
 * transcript arrives for a file, else the type so far.
 */
function detectMediaType(payload: MediaPayload, known: MediaPart): MediaPart["type"] {
  if (payload.type !== undefined) return payload.type;
  const family = payload.mimeType?.split("/", 1)[0];
  if (family === "image" || family === "audio" || family === "video") return family;
  return payload.transcriptDelta !== undefined && known.type === "file" ? "audio" : known.type;
}

export function addMedia(draft: PartDraft<MediaPart>, payload: MediaPayload): void {
  const { part } = draft;
  part.type = detectMediaType(payload, part);
  if (payload.mimeType !== undefined) part.mimeType = payload.mimeType;
  if (payload.dataDelta !== undefined) {
    part.data = (part.data ?? "") + payload.dataDelta;
    flattenText(draft, part.data);
  }
  if (payload.transcriptDelta !== undefined) {
    // The cast makes `transcript` accessible. detectMediaType returns "audio" for a transcript, unless the payload or
    // an earlier delta gives the part another type.
    const audio = part as Extract<MediaPart, { type: "audio" }>;
    audio.transcript = (audio.transcript ?? "") + payload.transcriptDelta;
  }
}

/** The drafts of one choice in order of first appearance, and the other fields of its message. */
export class ChoiceDraft {
  readonly drafts: PartDraft[] = [];
  readonly byKey = new Map<PartKey, PartDraft>();
  readonly invalid: InvalidToolCall[] = [];
  readonly #fields: MessageFields = {};
  readonly #choiceIndex: number;

  constructor(place: number) {
    this.#choiceIndex = place;
  }

  get last(): PartDraft | undefined {
    return this.drafts[this.drafts.length - 1];
  }

  add(draft: PartDraft, key: PartKey | undefined): PartDraft {
    draft.choice = this.#choiceIndex;
    draft.index = this.drafts.push(draft) - 1;
    if (key !== undefined) this.byKey.set(key, draft);
    return draft;
  }

  /** Sets fields of the message. Later values win; residue and metadata are merged. */
  describe({ id, name, extra, metadata }: MessageFields): void {
    if (id !== undefined) this.#fields.id = id;
    if (name !== undefined) this.#fields.name = name;
    if (extra !== undefined) this.#fields.extra = mergeExtra(this.#fields.extra, extra);
    if (metadata !== undefined) this.#fields.metadata = assignObject(this.#fields.metadata ?? {}, metadata);
  }

  #message(parts: Part[], addedMetadata: Metadata = {}, invalid: readonly InvalidToolCall[] = this.invalid): Message {
    const { extra, metadata } = this.#fields;
    const message: Message = { role: "assistant", parts, ...this.#fields };
    if (extra !== undefined) message.extra = copyExtra(extra);
    const fullMetadata: Metadata = Object.assign(copyObject(metadata ?? {}), addedMetadata);
    if (invalid.length > 0) fullMetadata.invalidToolCalls = [...invalid];
    if (metadata !== undefined || Object.keys(fullMetadata).length > 0) message.metadata = fullMetadata;
    return message;
  }

  /** Returns the current message. Later deltas do not change it. */
  view(): Message {
    return this.#message(this.drafts.map(createView));
  }

  /**
   * Returns the message at the end of the answer; tool calls that have not ended are marked as invalid. `addedMetadata`
   * is given only for an answer that failed or was cut off. Further deltas may still change the parts of such an
   * answer, so copies of the parts are returned.
   */
  finish(addedMetadata?: Metadata): Message {
    const open = this.drafts.filter((draft): draft is CallDraft => isCall(draft) && !draft.ended);
    const cut = open.map(({ part }) => ({
      toolCallId: part.toolCallId,
      reason: "The answer ended before the call did.",
    }));
    const parts = this.drafts.map((draft) => {
      if (isCall(draft) && !draft.ended) return toInvalidCall(draft);
      return addedMetadata === undefined ? draft.part : createView(draft);
    });
    return this.#message(parts, addedMetadata, [...this.invalid, ...cut]);
  }
}
