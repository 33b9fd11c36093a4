// Decodes and encodes Chat responses: the first choice is the message, further choices are alternatives.
import { RESPONSE_FIELDS } from "../../kit/fields/supported-fields.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { RefusalPart, TextPart } from "../../../model/parts.ts";
import type { Alternative, ModelResponse } from "../../../model/response.ts";
import type { DecodeContext, DecodeReplyOptions, EncodeContext, Encoded } from "../../dialect.ts";
import { reportNotPortableResponse, reportNotPortableAlternative } from "../../kit/residue/response-residue.ts";
import { dateFromSeconds, secondsFromDate } from "../../kit/fields/dates.ts";
import { findCutOffCall } from "../../kit/tools/cut-off-calls.ts";
import { restoreSiblingFields, SHARED_RESPONSE_FIELDS } from "../../openai/sibling-residue.ts";
import { storeUnknownFields, storeAbsentFields } from "../../openai/unknown-fields.ts";
import { isObject, describeKind, readObject } from "../../kit/fields/read-wire.ts";
import { storeResidue, storeForm, restoreFields, restoreResidue } from "../../kit/residue/residue.ts";
import { reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { decodeAssistant } from "../messages/decode-message.ts";
import type { ChoiceLogprobs } from "../messages/encode-assistant.ts";
import { encodeAssistant } from "../messages/encode-assistant.ts";
import { reportMessage } from "../messages/encode-message.ts";
import { decodeFinishReason, encodeFinishReason } from "./finish-reason.ts";
import { decodeErrorField, encodeErrorField } from "./error-field.ts";
import { decodeLogprobs } from "../messages/logprobs.ts";
import type { ChatLossCode } from "../losses.ts";
import type { ChatDecodeState } from "../decode-state.ts";
import { collectField, createDecodeState } from "../decode-state.ts";
import { decodeUsage, encodeUsage } from "./usage.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { canFillField, readFormValue, createEncodeState } from "../encode-state.ts";

const OBJECT_TYPE = "chat.completion";
const PLAIN_FIELDS = ["id", "object", "created", "model"] as const;
/** The id of a response without an id. SDKs need an id to distinguish the answers of a stream and to read the usage. */
const PLACEHOLDER_ID = "chatcmpl-koine";

export function decodeResponse(value: unknown, context: DecodeContext, { names }: DecodeReplyOptions): ModelResponse {
  const wire = readObject(value, context);
  const { dialect } = context;
  const id = typeof wire["id"] === "string" ? wire["id"] : "";
  const model = typeof wire["model"] === "string" ? wire["model"] : "";
  const empty: Message = { role: "assistant", parts: [] };
  const response: ModelResponse = { id, model, message: empty, finishReason: { unified: "other" } };
  const choices = decodeChoices(wire["choices"], context, (index) =>
    // The seed differs per choice, so that the call ids that Koine makes are unique across choices (B17).
    createDecodeState(context, true, index === 0 ? id : `${id}_${index}`, names),
  );
  const [first, ...alternatives] = choices;
  if (first === undefined) storeForm(response, dialect, "choices", toChoicesForm(wire["choices"]));
  else {
    response.message = first.message;
    response.finishReason = first.finishReason;
    const residue = first.extra?.[dialect];
    if (residue !== undefined) storeResidue(response, dialect, { choices: residue });
  }
  if (alternatives.length > 0) response.alternatives = alternatives;
  const known: string[] = ["choices"];
  if (typeof wire["id"] === "string") known.push("id");
  if (typeof wire["model"] === "string") known.push("model");
  if (wire["object"] === OBJECT_TYPE) known.push("object");
  const createdAt = decodeDate(wire["created"]);
  if (createdAt !== undefined) {
    response.createdAt = createdAt;
    known.push("created");
  }
  if (isObject(wire["usage"])) {
    response.usage = decodeUsage(wire["usage"], context);
    known.push("usage");
  }
  if (decodeErrorField(wire["error"], response)) known.push("error");
  if (wire["id"] === "") storeForm(response, dialect, "id", "");
  storeAbsentFields(response, wire, PLAIN_FIELDS, context);
  storeUnknownFields(response, wire, known, context);
  return response;
}

/** Converts seconds to a date string; undefined if the value is 0, which means unknown, or is not a valid time. */
export function decodeDate(seconds: unknown): string | undefined {
  return seconds === 0 ? undefined : dateFromSeconds(seconds);
}

/** Returns the value to store as form if `choices` is empty, null or absent, all of which are legal (B71). */
function toChoicesForm(choices: JsonValue | undefined): JsonValue {
  return choices === undefined ? "absent" : choices;
}

function decodeChoices(
  choices: JsonValue | undefined,
  context: DecodeContext,
  read: (index: number) => ChatDecodeState,
): Alternative[] {
  if (choices === undefined || choices === null) return [];
  if (!Array.isArray(choices)) {
    return context.fail("wrong-type", `Expected a list, found ${describeKind(choices)}.`, "choices");
  }
  return context.pathTracker.each("choices", choices, (choice, index) =>
    decodeChoice(readObject(choice, context), index, read(index)),
  );
}

function decodeChoice(wire: JsonObject, index: number, state: ChatDecodeState): Alternative {
  const { context } = state;
  const { dialect, pathTracker } = context;
  const { message: wireMessage, finish_reason: wireReason, logprobs } = wire;
  let message: Message = { role: "assistant", parts: [] };
  const known: string[] = [];
  if (isObject(wireMessage)) {
    message = pathTracker.into("message", () => decodeChoiceMessage(wireMessage, state));
    known.push("message");
  }
  const choice: Alternative = { message, finishReason: { unified: "other" } };
  if (typeof wireReason === "string") {
    known.push("finish_reason");
    choice.finishReason = decodeFinishReason(wireReason, choice, context);
    const cut = findCutOffCall(message, choice.finishReason);
    if (cut !== undefined) cut.invalid = true;
  }
  if (logprobs === null) known.push("logprobs");
  else if (isObject(logprobs)) {
    const read = attachLogprobs(logprobs, message, state);
    if (read.length > 0) {
      known.push("logprobs");
      const presentFields = Object.keys(LOGPROB_PART_TYPES).filter((field) => logprobs[field] !== undefined);
      if (presentFields.length < 2) storeForm(choice, dialect, "logprobs", presentFields);
      if (read.length < Object.keys(logprobs).length) storeUnknownFields(choice, logprobs, read, context, "logprobs");
    }
  }
  if (wire["index"] === index) known.push("index");
  storeAbsentFields(choice, wire, ["index", "message", "finish_reason", "logprobs"], context);
  storeUnknownFields(choice, wire, known, context);
  return choice;
}

/** Decodes the message of a choice. A role other than assistant becomes residue. */
function decodeChoiceMessage(wire: JsonObject, state: ChatDecodeState): Message {
  const message = decodeAssistant(wire, state);
  if (wire["role"] !== "assistant") storeResidue(message, state.context.dialect, collectField(undefined, wire, "role"));
  return message;
}

const LOGPROB_PART_TYPES = { content: "text", refusal: "refusal" } as const;

/**
 * Attaches the log probabilities in `wire`, the `logprobs` of a choice, to the first text and the refusal. Returns the
 * names of the fields that do not become residue: the attached and the null fields; none if nothing was attached.
 */
function attachLogprobs(wire: JsonObject, { parts }: Message, state: ChatDecodeState): string[] {
  const read: string[] = [];
  let hasAttached = false;
  for (const field in wire) {
    const type = field === "content" || field === "refusal" ? LOGPROB_PART_TYPES[field] : undefined;
    if (type === undefined) continue;
    const part = parts.find((each): each is TextPart | RefusalPart => each.type === type);
    const list = part === undefined ? undefined : decodeLogprobs(wire[field], state);
    if (part !== undefined && list !== undefined) {
      part.logprobs = list;
      hasAttached = true;
    } else if (wire[field] !== null) continue;
    read.push(field);
  }
  return hasAttached ? read : [];
}

export function encodeResponse(
  response: ModelResponse,
  callerContext: EncodeContext<ChatLossCode>,
): Omit<Encoded, "losses"> {
  // Responses are not repaired, so that a client receives the ids and tool names that its own request used.
  const context: EncodeContext<ChatLossCode> = { ...callerContext, repair: false };
  const state = createEncodeState(context, true);
  const wire: JsonObject = {};
  encodeId(response, wire, state);
  if (canFillField(response, "object", state)) wire["object"] = OBJECT_TYPE;
  encodeDate(response, wire, state);
  if (response.model !== "" || canFillField(response, "model", state)) wire["model"] = response.model;
  const { usage } = response;
  if (usage !== undefined) wire["usage"] = context.pathTracker.into("usage", () => encodeUsage(usage, state));
  if (response.error !== undefined) wire["error"] = encodeErrorField(response.error, state);
  reportUnsupportedFields(response, RESPONSE_FIELDS, context, "field-unsupported");
  restoreResidue(wire, response, context);
  reportNotPortableResponse(restoreSiblingFields(wire, response, SHARED_RESPONSE_FIELDS, context), context);
  encodeChoices(response, wire, state);
  return { wire };
}

function encodeId(response: ModelResponse, wire: JsonObject, state: ChatEncodeState): void {
  if (response.id !== "" || readFormValue(response, "id", state) === "") wire["id"] = response.id;
  else if (canFillField(response, "id", state)) {
    wire["id"] = PLACEHOLDER_ID;
    state.context.report.addLoss("field-synthesized", "id");
  }
}

function encodeDate(response: ModelResponse, wire: JsonObject, state: ChatEncodeState): void {
  const { context } = state;
  const { createdAt } = response;
  const isFilled = createdAt === undefined && canFillField(response, "created", state);
  const seconds = createdAt === undefined ? undefined : secondsFromDate(createdAt);
  if (createdAt !== undefined && (seconds === undefined || Date.parse(createdAt) !== seconds * 1000)) {
    context.report.addLoss("metadata-dropped", "createdAt");
  }
  if (isFilled) context.report.addLoss("field-synthesized", "createdAt");
  if (createdAt !== undefined || isFilled) wire["created"] = seconds ?? 0;
}

/**
 * Encodes the message and the alternatives as choices. The residue of the first choice is stored under `choices` in the
 * response.
 */
function encodeChoices(response: ModelResponse, wire: JsonObject, state: ChatEncodeState): void {
  const { context, dialect } = state;
  const { message, finishReason, alternatives = [], error } = response;
  const emptyForm = readFormValue(response, "choices", state);
  const hasNoFinishReason =
    finishReason.raw === undefined && finishReason.unified === (error === undefined ? "other" : "error");
  delete wire["choices"];
  if (emptyForm !== undefined && message.parts.length === 0 && alternatives.length === 0 && hasNoFinishReason) {
    if (emptyForm !== "absent") wire["choices"] = emptyForm;
    return;
  }
  const residue = response.extra?.[dialect]?.["choices"];
  const first: Alternative = { message, finishReason, ...(isObject(residue) && { extra: { [dialect]: residue } }) };
  const choices = [encodeChoice(first, 0, ["choices"], state)];
  context.pathTracker.each("alternatives", alternatives, (alternative, index) => {
    reportNotPortableAlternative(alternative, context);
    choices.push(encodeChoice(alternative, index + 1, [], state));
  });
  wire["choices"] = choices;
}

function encodeChoice(choice: Alternative, index: number, path: readonly string[], state: ChatEncodeState): JsonObject {
  const { context, dialect } = state;
  const { message, finishReason } = choice;
  const choiceLogprobs: ChoiceLogprobs = {};
  const wire: JsonObject = canFillField(choice, "index", state) ? { index } : {};
  if (message.parts.length > 0 || canFillField(choice, "message", state)) {
    context.pathTracker.enter("message");
    reportMessage(message, state);
    state.cutOffCall = findCutOffCall(message, finishReason);
    if (message.role !== "assistant") context.report.addLoss("role-approximated", "role");
    wire["message"] = encodeAssistant({ message, index: 0 }, state, choiceLogprobs);
    context.pathTracker.leave();
  }
  const wireReason = encodeFinishReason(choice, state);
  if (wireReason !== undefined) wire["finish_reason"] = wireReason;
  const { content = null, refusal = null } = choiceLogprobs;
  if (content !== null || refusal !== null) {
    const presentFields = readFormValue(choice, "logprobs", state);
    const residue = choice.extra?.[dialect]?.["logprobs"];
    const hasField = (field: string): boolean =>
      choiceLogprobs[field as keyof ChoiceLogprobs] !== undefined ||
      ((!Array.isArray(presentFields) || presentFields.includes(field)) &&
        !(isObject(residue) && Object.hasOwn(residue, field)));
    wire["logprobs"] = { ...(hasField("content") && { content }), ...(hasField("refusal") && { refusal }) };
  } else if (canFillField(choice, "logprobs", state)) wire["logprobs"] = null;
  const reportClash = (...steps: string[]): void =>
    context.report.addLoss("residue-conflict", ["extra", dialect, ...path, ...steps]);
  restoreFields(wire, choice.extra?.[dialect], reportClash, "logprobs");
  return wire;
}
