// Encodes an assistant message: each kind of part goes into its own field. An order of parts that the fields cannot
// express is reported.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { AudioPart, Part, ReasoningPart, RefusalPart, TextPart } from "../../../model/parts.ts";
import { CodePointIndex } from "../../kit/fields/code-points.ts";
import { restoreResidue } from "../../kit/residue/residue.ts";
import type { OutgoingTurn } from "../../kit/history/turn.ts";
import { encodeAnnotations } from "./annotations.ts";
import { encodeAudioOutput } from "./audio-output.ts";
import { encodeCall } from "./tool-calls.ts";
import { encodeBlock, encodeText, encodeThinking, isBareTextBlock, wasContentList } from "./content-blocks.ts";
import { supportedFields, finishPart } from "./finish-part.ts";
import { encodeLogprobs } from "./logprobs.ts";
import { readMediaOrigin, vendorSupports } from "./media.ts";
import { DETAILS_FIELD, encodeReasoning, pushToList, findReasoningField, repeatReasoning } from "./reasoning.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { enterPartPath, canFillField, leavePartPath, readSourceField, readFormValue } from "../encode-state.ts";

/** Log probabilities of a choice. On the wire they are in the choice, beside its message. */
export interface ChoiceLogprobs {
  content?: JsonValue[];
  refusal?: JsonValue[];
}

/** Wire fields of an assistant message, in the order in which the decoder makes parts of them. */
const FIELD_ORDER = ["reasoning", "content", "refusal", "audio", "images", "tool_calls", "function_call"] as const;
type AssistantField = (typeof FIELD_ORDER)[number];

/** The assistant message that is being encoded. */
interface AssistantDraft {
  readonly message: Message;
  readonly wire: JsonObject;
  readonly blocks: JsonObject[];
  readonly citations: JsonObject[];
  readonly logprobs: ChoiceLogprobs | undefined;
  /** For each part, the wire field that contains its text; undefined if the part has no text on the wire. */
  readonly textFields: (string | undefined)[];
  /** For each text block, the index of its part. */
  readonly partIndexes: Map<JsonObject, number>;
  /** The texts of all text blocks so far, joined without a separator. */
  text: string;
  /**
   * The highest index in `FIELD_ORDER` of the fields written so far. A part that is written into a field with a lower
   * index is reported as reordered.
   */
  lastFieldIndex: number;
  /** True if texts were joined in one field, or if the content is an empty text, which is decoded as no text. */
  hasJoinedTexts: boolean;
  /**
   * The code point index of the joined text; null if citations cannot be encoded, undefined until a text with citations
   * is encoded.
   */
  codePoints: CodePointIndex | null | undefined;
}

/** Encodes an assistant message. `logprobs` is given for a response and receives the log probabilities of the parts. */
export function encodeAssistant(turn: OutgoingTurn, state: ChatEncodeState, logprobs?: ChoiceLogprobs): JsonObject {
  const { message } = turn;
  const { parts } = message;
  const { context, isResponse } = state;
  const wire: JsonObject = { role: "assistant", content: null };
  const draft: AssistantDraft = {
    message,
    wire,
    blocks: [],
    citations: [],
    logprobs,
    textFields: [],
    partIndexes: new Map(),
    text: "",
    lastFieldIndex: 0,
    hasJoinedTexts: false,
    codePoints: undefined,
  };
  for (let at = 0; at < parts.length; at++) {
    enterPartPath(turn, at, state);
    draft.textFields.push(encodePart(parts[at] as Part, draft, state));
    leavePartPath(state);
  }
  encodeContent(draft, state);
  if (isResponse && Array.isArray(wire["content"]) && !wasContentList(message, state)) joinTexts(turn, draft, state);
  if (draft.hasJoinedTexts) reportJoinedTexts(turn, draft, state);
  if (message.name !== undefined) wire["name"] = message.name;
  if (draft.citations.length > 0) wire["annotations"] = draft.citations;
  if (isResponse) fillResponseFields(wire, message, state);
  if (message.extra === undefined) return wire;
  repeatReasoning(wire, message, state);
  if (!isResponse) context.pathTracker.enter(turn.index);
  restoreResidue(wire, message, context);
  if (!isResponse) context.pathTracker.leave();
  return wire;
}

/**
 * Adds `refusal` and `annotations`, which a response has even if they are empty, and deletes `role` if the decoded
 * response had none.
 */
function fillResponseFields(wire: JsonObject, message: Message, state: ChatEncodeState): void {
  if (wire["refusal"] === undefined && canFillField(message, "refusal", state)) wire["refusal"] = null;
  if (wire["annotations"] === undefined && canFillField(message, "annotations", state)) wire["annotations"] = [];
  if (!canFillField(message, "role", state)) delete wire["role"];
}

/**
 * Encodes a part and returns the wire field that contains its text; undefined if the part was dropped or has no text on
 * the wire.
 */
function encodePart(part: Part, draft: AssistantDraft, state: ChatEncodeState): string | undefined {
  const sourceField = part.type === "reasoning" ? findReasoningField(part, state) : undefined;
  const field = findField(part, sourceField, state);
  if (field === undefined || !encodeIntoField(part, field, sourceField, draft, state)) return undefined;
  const at = FIELD_ORDER.indexOf(field);
  if (at < draft.lastFieldIndex) state.context.report.addLoss("parts-reordered", "type");
  else draft.lastFieldIndex = at;
  if (field === "reasoning") return sourceField === DETAILS_FIELD ? undefined : sourceField;
  return field === "refusal" || part.type === "text" ? field : undefined;
}

/** Returns the wire field for a part. Returns undefined and reports a loss if Chat has no field for the part. */
function findField(part: Part, reasoningField: string | undefined, state: ChatEncodeState): AssistantField | undefined {
  const { report } = state.context;
  const sourceField = readSourceField(part, state);
  switch (part.type) {
    case "text":
      return "content";
    case "reasoning":
      if (reasoningField !== undefined) return reasoningField === "thinking" ? "content" : "reasoning";
      report.addLoss("reasoning-unsupported");
      return undefined;
    case "refusal":
      return sourceField === "content" ? sourceField : "refusal";
    case "tool-call":
      return sourceField === "function_call" ? sourceField : "tool_calls";
    case "opaque":
      if (sourceField === "tool_calls") return sourceField;
      return sourceField === DETAILS_FIELD ? "reasoning" : "content";
    case "image":
    case "audio":
    case "video":
    case "file":
      if (readMediaOrigin(part, state) === "content") return "content";
      if (part.type === "audio") return "audio";
      if (part.type === "image" && (sourceField === "images" || vendorSupports("images", state))) return "images";
      break;
    default:
  }
  const isProviderResult = part.type === "tool-result" && part.executor === "provider";
  report.addLoss(isProviderResult ? "provider-tool-unsupported" : "part-unsupported");
  return undefined;
}

/** Encodes a part into its wire field. Returns false if the part was dropped. */
function encodeIntoField(
  part: Part,
  field: AssistantField,
  sourceField: string | undefined,
  draft: AssistantDraft,
  state: ChatEncodeState,
): boolean {
  const { wire, blocks } = draft;
  switch (part.type) {
    case "text":
      writeText(part, draft, state);
      return true;
    case "reasoning":
      return writeReasoning(part, sourceField ?? "", draft, state);
    case "refusal":
      if (field === "content") break;
      writeRefusal(part, draft, state);
      return true;
    case "tool-call": {
      const call = encodeCall(part, field === "function_call", state);
      if (call === undefined) return false;
      if (field === "function_call") wire[field] = call;
      else pushToList(wire, field, call);
      return true;
    }
    case "audio":
      if (field === "audio") return writeAudio(part, wire, state);
      break;
    default:
  }
  const block = encodeBlock(part, state);
  if (block === undefined) return false;
  if (field === "content") blocks.push(block);
  else pushToList(wire, field === "reasoning" ? DETAILS_FIELD : field, block);
  return true;
}

function writeText(part: TextPart, draft: AssistantDraft, state: ChatEncodeState): void {
  const block = encodeText(part, state, true);
  draft.blocks.push(block);
  draft.partIndexes.set(block, draft.textFields.length);
  if (part.annotations !== undefined) {
    if (draft.codePoints === undefined) draft.codePoints = createCodePoints(draft.message, state);
    const { codePoints } = draft;
    const start = draft.text.length;
    if (codePoints === null) state.context.report.addLoss("annotation-unsupported", "annotations");
    else encodeAnnotations(part, { points: codePoints, start, end: start + part.text.length }, draft.citations, state);
  }
  if (part.logprobs !== undefined) addLogprobs(part, "content", draft, state);
  draft.text += part.text;
}

/**
 * Returns the code point index of the text that citations refer to; null if citations cannot be encoded. A response has
 * no citations if its content is a list of several texts. A request has citations only if the decoded request had them
 * and the message has one text.
 */
function createCodePoints(message: Message, state: ChatEncodeState): CodePointIndex | null {
  const texts: string[] = [];
  for (const part of message.parts) if (part.type === "text") texts.push(part.text);
  const isOne = texts.length === 1;
  const isCitable = state.isResponse
    ? isOne || !wasContentList(message, state)
    : isOne && readFormValue(message, "annotations", state) === true;
  return isCitable ? new CodePointIndex(texts.join("")) : null;
}

function addLogprobs(
  part: TextPart | RefusalPart,
  field: keyof ChoiceLogprobs,
  { logprobs }: AssistantDraft,
  state: ChatEncodeState,
): void {
  if (logprobs === undefined) state.context.report.addLoss("field-unsupported", "logprobs");
  else {
    const list = (logprobs[field] ??= []);
    for (const token of encodeLogprobs(part.logprobs ?? [], state)) list.push(token);
  }
}

function writeReasoning(
  part: ReasoningPart,
  sourceField: string,
  draft: AssistantDraft,
  state: ChatEncodeState,
): boolean {
  if (sourceField === "thinking") draft.blocks.push(encodeThinking(part, state));
  else if (sourceField === DETAILS_FIELD) return encodeReasoning(part, sourceField, draft.wire, state);
  else {
    const previous = draft.wire[sourceField];
    if (!encodeReasoning(part, sourceField, draft.wire, state)) return false;
    appendText(draft, sourceField, previous, part.text);
  }
  return true;
}

const SUPPORTED_REFUSAL = supportedFields("text", "logprobs");

function writeRefusal(part: RefusalPart, draft: AssistantDraft, state: ChatEncodeState): void {
  appendText(draft, "refusal", draft.wire["refusal"], part.text);
  if (part.logprobs !== undefined) addLogprobs(part, "refusal", draft, state);
  finishPart({}, part, SUPPORTED_REFUSAL, state);
}

/**
 * Appends a text to a wire field, after an empty line if the field already has text. `previous` is the value of the
 * field.
 */
function appendText(draft: AssistantDraft, field: string, previous: JsonValue | undefined, text: string): void {
  const current = typeof previous === "string" ? previous : "";
  if (previous !== undefined) draft.hasJoinedTexts = true;
  draft.wire[field] = current !== "" && text !== "" ? `${current}\n\n${text}` : current + text;
}

function writeAudio(part: AudioPart, wire: JsonObject, state: ChatEncodeState): boolean {
  const isOccupied = wire["audio"] !== undefined;
  if (isOccupied) state.context.report.addLoss("part-unsupported");
  const audio = isOccupied ? undefined : encodeAudioOutput(part, state);
  if (audio !== undefined) wire["audio"] = audio;
  return audio !== undefined;
}

/**
 * Encodes the content as a string if it is one text block with only `type` and `text`. A response joins several such
 * blocks into one string, unless the decoded content was a list.
 */
function encodeContent(draft: AssistantDraft, state: ChatEncodeState): void {
  const { message, wire, blocks, text } = draft;
  const isList = wasContentList(message, state);
  if (!isList && blocks.length > 0 && (blocks.length === 1 || state.isResponse) && blocks.every(isBareTextBlock)) {
    wire["content"] = text;
    if (blocks.length > 1 || text === "") draft.hasJoinedTexts = true;
  } else if (blocks.length > 0 || isList) wire["content"] = blocks;
  else {
    const form = readFormValue(message, "content", state);
    const hasOnlyRoleAndContent = Object.keys(wire).length === 2 && message.parts.length > 0;
    if (form === "absent") delete wire["content"];
    // A message whose parts were all dropped is sent with an empty text, so that its turn is not lost (B7).
    else if (form === "" || hasOnlyRoleAndContent) wire["content"] = "";
  }
}

/**
 * Joins the text blocks of a response before its first other block into one block and drops empty texts among them, as
 * the stream encoder does. A text block with fields besides `type` and `text` counts as another block.
 */
function joinTexts(turn: OutgoingTurn, { blocks, partIndexes, wire }: AssistantDraft, state: ChatEncodeState): void {
  const list: JsonObject[] = [];
  const reportText = (code: "text-empty" | "texts-joined", block: JsonObject): void => {
    enterPartPath(turn, partIndexes.get(block) ?? 0, state);
    state.context.report.addLoss(code, "text");
    leavePartPath(state);
  };
  let firstText: JsonObject | undefined;
  let [isOne, isList, text] = [true, false, ""];
  for (const block of blocks) {
    isList ||= !isBareTextBlock(block);
    if (!isList && typeof block["text"] === "string") text += block["text"];
    if (isList) list.push(block);
    else if (block["text"] === "") reportText("text-empty", block);
    else if (firstText === undefined) list.push((firstText = block));
    else {
      if (isOne) reportText("texts-joined", firstText);
      isOne = false;
      reportText("texts-joined", block);
      list.length = 0;
      list.push({ type: "text", text });
    }
  }
  wire["content"] = list;
}

/** Reports texts that were joined in one field, and an empty text, which is decoded as no text. */
function reportJoinedTexts(turn: OutgoingTurn, { textFields, wire }: AssistantDraft, state: ChatEncodeState): void {
  const counts = new Map<string | undefined, number>();
  for (const field of textFields) counts.set(field, (counts.get(field) ?? 0) + 1);
  for (const [at, field] of textFields.entries()) {
    if (field === undefined || typeof wire[field] !== "string") continue;
    const isEmpty = field === "content" && wire[field] === "";
    if (!isEmpty && counts.get(field) === 1) continue;
    enterPartPath(turn, at, state);
    state.context.report.addLoss(isEmpty ? "text-empty" : "texts-joined", "text");
    leavePartPath(state);
  }
}
