// Parts under construction: one draft per part, and the ordered drafts of one choice.
import { readArguments } from "../model/arguments.ts";
import type { MediaPayload, MessageFields, PartKey, ToolCallStartPayload } from "../model/delta.ts";
import { copyExtra, growExtra } from "../model/extra.ts";
import { assignObject, copyObject } from "../model/json.ts";
import type { InvalidToolCall, Message, Metadata } from "../model/message.ts";
import type { Extra, MediaPart, Part, Seal, ToolCallPart } from "../model/parts.ts";
import { parsePartialJson } from "./partial-json.ts";

/** Which deltas may add to a draft. */
export type DraftKind = "text" | "thinking" | "refusal" | "call" | "media" | "whole";

export interface Draft<P extends Part = Part> {
  kind: DraftKind;
  /** Owned by the draft and changed in place until the answer is finished. */
  part: P;
  /** Last copy handed out by a snapshot; settled parts keep their identity (B100). */
  view: Part | undefined;
  /** Where each seal stands, by issuer and kind, so that many cost no more than few. */
  seals?: Map<string, number>;
  /** Its place: which choice, and which part of it. */
  choice: number;
  index: number;
  /** How long its text was when it was last made one piece. */
  settled: number;
}

/** A tool call whose arguments are still text. */
export interface CallDraft extends Draft<ToolCallPart> {
  kind: "call";
  args: string;
  objectArgs: boolean | undefined;
  ended: boolean;
}

export function callDraft(payload: ToolCallStartPayload): CallDraft {
  const { toolCallId, toolName, executor, format, tool, objectArgs } = payload;
  const part: ToolCallPart = { type: "tool-call", toolCallId, toolName, input: {} };
  if (executor !== undefined) part.executor = executor;
  if (format !== undefined) part.format = format;
  if (tool !== undefined) part.tool = tool;
  return { kind: "call", part, view: undefined, args: "", objectArgs, ended: false, choice: 0, index: 0, settled: 0 };
}

/** Reads the arguments now that they are complete; says why where they are unreadable. */
export function readCall(draft: CallDraft): string | undefined {
  const { input, inputText, invalid, reason } = readArguments(draft.args, {
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

/** A call that its answer left open: whatever its text looks like, it is not complete (B21, B31). */
function abandonedCall({ part, args }: CallDraft): ToolCallPart {
  return { ...part, input: args, inputText: args, invalid: true };
}

/** The part as it can be shown now, the arguments of an open call read as far as they go (B78). */
function viewOf(draft: Draft): Part {
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

function isCall(draft: Draft): draft is CallDraft {
  return draft.kind === "call";
}

/** A whole part becomes a draft of its own copy: what may grow does so without touching the sender's. */
export function wholeDraft(value: Part): Draft {
  const part: Part = copyObject(value);
  if (part.extra !== undefined) part.extra = copyExtra(part.extra);
  if (part.seals !== undefined) part.seals = [...part.seals];
  if (part.type === "text" && part.annotations !== undefined) part.annotations = [...part.annotations];
  return { kind: "whole", part, view: undefined, choice: 0, index: 0, settled: 0 };
}

function sealKey({ dialect, kind }: Seal): string {
  return JSON.stringify([dialect, kind]);
}

/** A later seal of the same dialect and kind takes the place of the earlier one. */
export function addSeal(draft: Draft, seal: Seal): void {
  const seals = (draft.part.seals ??= []);
  draft.seals ??= new Map(seals.map((each, index) => [sealKey(each), index]));
  const key = sealKey(seal);
  const index = draft.seals.get(key) ?? seals.length;
  draft.seals.set(key, index);
  seals[index] = seal;
}

export function addPartExtra(draft: Draft, extra: Extra): void {
  draft.part.extra = growExtra(draft.part.extra, extra);
  draft.view = undefined;
}

/** Texts shorter than this are left in pieces. */
const SHORT = 1 << 14;
const ANY = /^/;

/**
 * Engines keep a text that grows as a tree of its pieces, which takes several times its length. Reading it makes it one
 * piece; done whenever it has grown by an eighth, that costs little and keeps long answers small in memory.
 */
export function settle(draft: Pick<Draft, "settled">, text: string): void {
  if (text.length - draft.settled < SHORT + (draft.settled >> 3)) return;
  ANY.test(text);
  draft.settled = text.length;
}

/** What kind of media it is: said outright, told by the mime type, or by having a transcript. */
function mediaType(payload: MediaPayload, known: MediaPart): MediaPart["type"] {
  if (payload.type !== undefined) return payload.type;
  const family = payload.mimeType?.split("/", 1)[0];
  if (family === "image" || family === "audio" || family === "video") return family;
  return payload.transcriptDelta !== undefined && known.type === "file" ? "audio" : known.type;
}

export function addMedia(draft: Draft<MediaPart>, payload: MediaPayload): void {
  const { part } = draft;
  part.type = mediaType(payload, part);
  if (payload.mimeType !== undefined) part.mimeType = payload.mimeType;
  if (payload.dataDelta !== undefined) {
    part.data = (part.data ?? "") + payload.dataDelta;
    settle(draft, part.data);
  }
  if (payload.transcriptDelta !== undefined) {
    const audio = part as Extract<MediaPart, { type: "audio" }>; // mediaType made it one
    audio.transcript = (audio.transcript ?? "") + payload.transcriptDelta;
  }
}

/** The parts of one choice, in order of first appearance, and what its message says beside them. */
export class ChoiceDraft {
  readonly drafts: Draft[] = [];
  readonly byKey = new Map<PartKey, Draft>();
  readonly invalid: InvalidToolCall[] = [];
  readonly #fields: MessageFields = {};
  readonly #place: number;

  constructor(place: number) {
    this.#place = place;
  }

  get last(): Draft | undefined {
    return this.drafts[this.drafts.length - 1];
  }

  add(draft: Draft, key: PartKey | undefined): Draft {
    draft.choice = this.#place;
    draft.index = this.drafts.push(draft) - 1;
    if (key !== undefined) this.byKey.set(key, draft);
    return draft;
  }

  /** Later fields win; residue and metadata are merged. */
  describe({ id, name, extra, metadata }: MessageFields): void {
    if (id !== undefined) this.#fields.id = id;
    if (name !== undefined) this.#fields.name = name;
    if (extra !== undefined) this.#fields.extra = growExtra(this.#fields.extra, extra);
    if (metadata !== undefined) this.#fields.metadata = assignObject(this.#fields.metadata ?? {}, metadata);
  }

  #message(parts: Part[], noted: Metadata = {}, invalid: readonly InvalidToolCall[] = this.invalid): Message {
    const { extra, metadata } = this.#fields;
    const message: Message = { role: "assistant", parts, ...this.#fields };
    if (extra !== undefined) message.extra = copyExtra(extra);
    const facts: Metadata = Object.assign(copyObject(metadata ?? {}), noted);
    if (invalid.length > 0) facts.invalidToolCalls = [...invalid];
    if (metadata !== undefined || Object.keys(facts).length > 0) message.metadata = facts;
    return message;
  }

  /** A message that later deltas do not change. */
  view(): Message {
    return this.#message(this.drafts.map(viewOf));
  }

  /**
   * The message as it stands at the end; calls that are still open are flagged. The drafts stay as they are, and where
   * something is `noted` about an early end, their parts are copied: more may come.
   */
  finish(noted?: Metadata): Message {
    const open = this.drafts.filter((draft): draft is CallDraft => isCall(draft) && !draft.ended);
    const cut = open.map(({ part }) => ({
      toolCallId: part.toolCallId,
      reason: "The answer ended before the call did.",
    }));
    const parts = this.drafts.map((draft) => {
      if (isCall(draft) && !draft.ended) return abandonedCall(draft);
      return noted === undefined ? draft.part : viewOf(draft);
    });
    return this.#message(parts, noted, [...this.invalid, ...cut]);
  }
}
