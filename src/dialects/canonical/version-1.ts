// Encodes stored messages of schema version 1, which has five part types, four roles, and no residue.
import { formatArguments, parseArguments } from "../../model/tool-arguments.ts";
import { formatDataUrl } from "../../model/data-url.ts";
import { copyDigits, copyObject, hasExactNumbers, parseJson } from "../../model/json/index.ts";
import type { StoredMessage } from "../../model/message.ts";
import { isMediaPart } from "../../model/media-part.ts";
import type { MediaPart, Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { canSendClientTool } from "../kit/tools/client-tools.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../kit/residue/unsent-fields.ts";
import type { CANONICAL_LOSSES, CanonicalEncodeContext } from "./losses.ts";
import type { FilePartV1, MessageV1, PartV1, ToolCallPartV1, ToolResultPartV1 } from "./types.ts";
import { VERSION_1_ROLES } from "./types.ts";

const MESSAGE_FIELDS = new Set(["id", "parentMessageId", "role", "parts", "createdAt", "metadata", "extra"]);
const TEXT_FIELDS = new Set(["type", "extra", "text"]);
const CALL_FIELDS = new Set(["type", "extra", "toolCallId", "toolName", "input", "executor", "format"]);
const RESULT_FIELDS = new Set(["type", "extra", "toolCallId", "toolName", "output", "isError", "executor", "format"]);
const FILE_FIELDS = new Set(["type", "extra", "mimeType", "name"]);
const FIELD_LOSSES: Readonly<Record<string, keyof typeof CANONICAL_LOSSES>> = {
  cache: "metadata-dropped",
  inputText: "metadata-dropped",
  seals: "seal-not-portable",
};

export function toVersion1(messages: readonly StoredMessage[], context: CanonicalEncodeContext): MessageV1[] {
  return context.pathTracker.each(undefined, messages, (message) => {
    const { id, parentMessageId, createdAt, metadata } = message;
    reportVersion1Fields(message, MESSAGE_FIELDS, context);
    const parts = context.pathTracker.each("parts", message.parts, (part) => encodePart(part, context));
    return {
      id,
      parentMessageId,
      role: encodeRole(message.role, context),
      parts: parts.filter((part) => part !== undefined),
      createdAt,
      metadata: Object.assign(copyObject(metadata), { schemaVersion: 1 as const }),
    };
  });
}

/** Reports every field that is not in `supported`, and the residue of all dialects, including the canonical dialect. */
function reportVersion1Fields(
  value: StoredMessage | Part,
  supported: ReadonlySet<string>,
  context: CanonicalEncodeContext,
): void {
  reportUnsupportedFields(value, supported, context, "field-unsupported", FIELD_LOSSES);
  reportNotPortableResidue(value, context);
  if (value.extra?.[context.dialect] !== undefined)
    context.report.addLoss("residue-not-portable", ["extra", context.dialect]);
}

function encodeRole(role: string, context: CanonicalEncodeContext): MessageV1["role"] {
  const known = VERSION_1_ROLES.find((each) => each === role);
  if (known !== undefined) return known;
  const nearest = role === "developer" ? "system" : "user";
  context.report.addLoss("role-approximated", "role", `"${role}" became "${nearest}".`);
  return nearest;
}

function encodePart(part: Part, context: CanonicalEncodeContext): PartV1 | undefined {
  if (isMediaPart(part)) return encodeMedia(part, context);
  switch (part.type) {
    case "text":
    case "reasoning":
      reportVersion1Fields(part, TEXT_FIELDS, context);
      return { type: part.type, text: part.text };
    case "refusal":
      context.report.addLoss("refusal-as-text", "type");
      reportVersion1Fields(part, TEXT_FIELDS, context);
      return { type: "text", text: part.text };
    case "tool-call":
    case "tool-result":
      return encodeTool(part, context);
    default:
      // Opaque parts and part types of later schema versions are dropped.
      context.report.addLoss("part-unsupported");
      return undefined;
  }
}

function encodeTool(part: ToolCallPart | ToolResultPart, context: CanonicalEncodeContext): PartV1 | undefined {
  if (!canSendClientTool(part, context)) return undefined;
  return part.type === "tool-call" ? encodeCall(part, context) : encodeResult(part, context);
}

function encodeCall(part: ToolCallPart, context: CanonicalEncodeContext): ToolCallPartV1 {
  const { type, toolCallId, toolName, input } = part;
  reportVersion1Fields(part, CALL_FIELDS, context);
  const call: ToolCallPartV1 = { type, toolCallId, toolName, input };
  copyDigits(part, "input", call, "input");
  const exact = readExactInput(part);
  if (exact !== undefined) {
    call.input = exact[0];
    copyDigits(exact, "0", call, "input");
  }
  return call;
}

/**
 * Returns the tool input with the exact digits of `inputText`, as the only item of a list, because exact digits can
 * only be stored inside an object or list; undefined if the input needs no exact digits.
 */
function readExactInput(part: ToolCallPart): readonly unknown[] | undefined {
  const { input, inputText } = part;
  if (inputText === undefined || typeof input === "string" || formatArguments(part) !== inputText) return undefined;
  const { input: read } = parseArguments(inputText);
  const exact = typeof read === "number" ? parseJson(`[${inputText}]`) : [read];
  return Array.isArray(exact) && hasExactNumbers(exact) ? exact : undefined;
}

function encodeResult(part: ToolResultPart, context: CanonicalEncodeContext): ToolResultPartV1 {
  const { type, toolCallId, toolName, isError, output, content } = part;
  const result: ToolResultPartV1 = { type, toolCallId, toolName, isError };
  if (output !== undefined) {
    result.output = output;
    copyDigits(part, "output", result, "output");
  } else if (content !== undefined) {
    context.report.addLoss("content-as-output", "content");
    result.output = content;
  }
  const { content: _, ...otherFields } = part;
  reportVersion1Fields(output === undefined ? otherFields : part, RESULT_FIELDS, context);
  return result;
}

/** The MIME type that is written for media without one, by part type. */
const WIDEST_MIME_TYPES: Readonly<Record<MediaPart["type"], string>> = {
  image: "image/*",
  audio: "audio/*",
  video: "video/*",
  file: "application/octet-stream",
};

function encodeMedia(part: MediaPart, context: CanonicalEncodeContext): FilePartV1 | undefined {
  const { url, data } = part;
  if (url === undefined && data === undefined) {
    context.report.addLoss("media-source-unsupported");
    return undefined;
  }
  if (part.type !== "file") context.report.addLoss("media-as-file", "type");
  if (part.mimeType === undefined) context.report.addLoss("mime-type-synthesized", "mimeType");
  const mimeType = part.mimeType ?? WIDEST_MIME_TYPES[part.type];
  const source = data === undefined ? "url" : "data";
  reportVersion1Fields(part, new Set([...FILE_FIELDS, source]), context);
  const file: FilePartV1 = {
    type: "file",
    mimeType,
    url: data === undefined ? (url ?? "") : formatDataUrl(mimeType, data),
  };
  if (part.name !== undefined) file.name = part.name;
  return file;
}
