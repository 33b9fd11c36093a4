// Encodes each message as one AI SDK model message; only a system message with several parts becomes several messages.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import { encodeProviderOptions, readSharedForm } from "../ai-sdk/provider-options.ts";
import { isObject } from "../kit/fields/read-wire.ts";
import { readForm, restoreResidue } from "../kit/residue/residue.ts";
import { encodePart, isApprovalResponse } from "./encode-part.ts";
import type { ModelMessageEncodeContext } from "./losses.ts";
import { reportUnsupportedModelFields } from "./losses.ts";

export function encodeMessages(messages: readonly Message[], context: ModelMessageEncodeContext): JsonObject[] {
  const { pathTracker } = context;
  const wireMessages: JsonObject[] = [];
  let movedResponses: JsonObject[] = [];
  for (let at = 0; at < messages.length; at++) {
    pathTracker.enter(at);
    const message = messages[at];
    if (message !== undefined) {
      const encoded = encodeMessage(message, context);
      insertResponses(movedResponses, encoded.wireMessages[0], wireMessages);
      for (const wire of encoded.wireMessages) wireMessages.push(wire);
      movedResponses = encoded.responses;
    }
    pathTracker.leave();
  }
  insertResponses(movedResponses, undefined, wireMessages);
  return wireMessages;
}

/** Inserts approval responses at the start of the next message if it is a tool message, else as a new tool message. */
function insertResponses(
  responses: readonly JsonObject[],
  next: JsonObject | undefined,
  wireMessages: JsonObject[],
): void {
  if (responses.length === 0) return;
  if (next?.["role"] === "tool" && Array.isArray(next["content"])) next["content"] = [...responses, ...next["content"]];
  else wireMessages.push({ role: "tool", content: [...responses] });
}

const MESSAGE_FIELDS: ReadonlySet<string> = new Set(["role", "parts", "extra"]);

interface EncodedModelMessage {
  wireMessages: JsonObject[];
  /**
   * The approval responses of an assistant message. They are moved, because the AI SDK reads them only from tool
   * messages.
   */
  responses: JsonObject[];
}

function encodeMessage(message: Message, context: ModelMessageEncodeContext): EncodedModelMessage {
  const { dialect, report } = context;
  reportUnsupportedModelFields(message, MESSAGE_FIELDS, context);
  const steering = findSteeringMessage(message, dialect);
  if (steering !== undefined) {
    report.addLoss("role-approximated", "role");
    return { wireMessages: [steering], responses: [] };
  }
  const form = readForm(message, dialect);
  const role = encodeRole(message, form, context);
  const isSystem = role === "system";
  const { remaining, options } = encodeMessageOptions(message, context);
  const [parts, responses] = encodeParts(remaining, context);
  const isString = form["content"] === undefined ? isSystem : form["content"] === "string";
  if (isSystem && isString && parts.length > 1) {
    report.addLoss("system-split", "role");
    const wireMessages = parts.map((part, at) =>
      toModelMessage(role, [part], true, at === 0 ? options : undefined, message, context, at > 0),
    );
    return { wireMessages, responses };
  }
  return { wireMessages: [toModelMessage(role, parts, isString, options, message, context)], responses };
}

/**
 * Returns the provider options of a message, and the message that remains to be encoded: without the cache breakpoint
 * of its last part if the options contain that breakpoint.
 */
function encodeMessageOptions(
  message: Message,
  context: ModelMessageEncodeContext,
): { remaining: Message; options: JsonObject | undefined } {
  const last = message.parts.at(-1);
  if (last?.cache === undefined || readSharedForm(message, "cache") !== "message") {
    return { remaining: message, options: encodeProviderOptions(message, context) };
  }
  const { cache, ...rest } = last;
  const options = encodeProviderOptions({ ...message, cache }, context);
  return { remaining: { ...message, parts: [...message.parts.slice(0, -1), rest] }, options };
}

/**
 * Returns the user message inside a steering part if that is the only part of an assistant message, as the stream
 * decoder creates it between two steps; undefined for all other messages.
 */
function findSteeringMessage(
  { role, parts: [onlyPart, secondPart] }: Message,
  dialect: string,
): JsonObject | undefined {
  if (role !== "assistant" || onlyPart?.type !== "opaque" || onlyPart.dialect !== dialect || secondPart !== undefined)
    return undefined;
  const { value } = onlyPart;
  const message = isObject(value) && value["type"] === "steering-message" ? value["message"] : undefined;
  return isObject(message) ? message : undefined;
}

/**
 * Encodes the parts of a message. Approval responses are returned separately, because they are moved to a tool message.
 */
function encodeParts(
  { role, parts }: Message,
  context: ModelMessageEncodeContext,
): [parts: JsonObject[], responses: JsonObject[]] {
  const { pathTracker, report, dialect } = context;
  const encodedParts: JsonObject[] = [];
  const responses: JsonObject[] = [];
  pathTracker.enter("parts");
  parts.forEach((part: Part, at) => {
    pathTracker.enter(at);
    for (const wire of encodePart(part, role, context)) {
      if (role === "assistant" && isApprovalResponse(wire) && readForm(part, dialect)["place"] !== role) {
        report.addLoss("approval-response-moved");
        responses.push(wire);
      } else encodedParts.push(wire);
    }
    pathTracker.leave();
  });
  pathTracker.leave();
  return [encodedParts, responses];
}

function encodeRole({ role }: Message, form: JsonObject, { report, dialect }: ModelMessageEncodeContext): string {
  const roleForm = form["role"];
  if (typeof roleForm === "string") {
    if (role === "user") return roleForm;
    report.addLoss("form-stale", ["extra", dialect, "$form", "role"]);
  }
  if (role === "developer") report.addLoss("developer-as-system", "role");
  if (role === "system" || role === "developer") return "system";
  if (role === "user" || role === "assistant" || role === "tool") return role;
  report.addLoss("role-approximated", "role");
  return "user";
}

function toModelMessage(
  role: string,
  parts: JsonObject[],
  isString: boolean,
  options: JsonObject | undefined,
  message: Message,
  context: ModelMessageEncodeContext,
  isContinuation = false,
): JsonObject {
  const wire: JsonObject = { role, content: parts };
  const text = isString ? toStringContent(parts, options) : undefined;
  if (text !== undefined) {
    wire["content"] = text.content;
    if (text.options !== undefined) wire["providerOptions"] = text.options;
  } else if (isString && parts.length === 0 && role === "system") wire["content"] = "";
  else if (isString && role !== "system")
    context.report.addLoss("form-stale", ["extra", context.dialect, "$form", "content"]);
  if (options !== undefined) wire["providerOptions"] = options;
  if (!isContinuation) restoreResidue(wire, message, context);
  return wire;
}

/** Returns the content of a message as a string if the message is one plain text; undefined for all other messages. */
function toStringContent(
  parts: readonly JsonObject[],
  options: JsonObject | undefined,
): { content: string; options?: JsonValue } | undefined {
  const [onlyPart, secondPart] = parts;
  if (onlyPart?.["type"] !== "text" || secondPart !== undefined || typeof onlyPart["text"] !== "string")
    return undefined;
  const { type: _, text: content, providerOptions, ...others } = onlyPart;
  if (Object.keys(others).length > 0 || (providerOptions !== undefined && options !== undefined)) return undefined;
  return providerOptions === undefined ? { content } : { content, options: providerOptions };
}
