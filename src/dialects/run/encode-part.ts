// Encodes parts of the run dialect; parts that the dialect does not support are dropped and reported.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import { stringifyJson } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import { isMediaPart } from "../../model/media-part.ts";
import type { MediaPart, OpaquePart, Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { canSendClientTool } from "../kit/tools/client-tools.ts";
import { copyField, isObject } from "../kit/fields/read-wire.ts";
import { restoreResidue } from "../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../kit/residue/unsent-fields.ts";
import { readsAsPart } from "./decode-part.ts";
import { PART_KINDS } from "./fields.ts";
import type { RunEncodeContext, RunLossCode } from "./losses.ts";
import { restoreEmptyField } from "./empty-fields.ts";
import { encodeCall } from "./tool-call.ts";
import type { RunPartKind } from "./types.ts";

/** The state of encoding parts. */
export interface RunEncodeScope {
  context: RunEncodeContext;
  /** Tool names of the calls that have been encoded so far, by call id. */
  toolNames: Map<string, string>;
}

const OPAQUE_FIELDS: ReadonlySet<string> = new Set(["type", "extra", "dialect", "value"]);
/** Loss codes of certain unsupported fields; all other unsupported fields are reported as `field-unsupported`. */
const FIELD_LOSSES: Readonly<Record<string, RunLossCode>> = {
  cache: "metadata-dropped",
  seals: "seal-not-portable",
  id: "metadata-dropped",
  parentMessageId: "metadata-dropped",
  createdAt: "metadata-dropped",
};

/** Reports every field that is not in `supported`, and the residue of other dialects. */
export function reportRunFields(
  target: Message | Part,
  supported: ReadonlySet<string>,
  context: RunEncodeContext,
): void {
  reportUnsupportedFields<RunLossCode>(target, supported, context, "field-unsupported", FIELD_LOSSES);
  reportNotPortableResidue(target, context);
}

/** Encodes the parts in the field `key`; parts that are not supported are left out. */
export function encodeParts(key: string, parts: readonly Part[], scope: RunEncodeScope): JsonObject[] {
  const encoded = scope.context.pathTracker.each(key, parts, (part) => encodePart(part, scope));
  return encoded.filter((part) => part !== undefined);
}

function encodePart(part: Part, scope: RunEncodeScope): JsonObject | undefined {
  const { context } = scope;
  if (part.type === "opaque" && part.dialect === context.dialect) return encodeOpaque(part, context);
  if (isMediaPart(part)) return encodeMedia(part, context);
  switch (part.type) {
    case "text":
      return encodeKind("text", part, context);
    case "reasoning":
      return encodeKind("thinking", part, context);
    case "refusal":
      context.report.addLoss("refusal-as-text", "type");
      return encodeKind("text", part, context);
    case "tool-call":
    case "tool-result":
      return encodeTool(part, scope);
    default:
      // Opaque parts of other dialects and part types of later versions are dropped.
      context.report.addLoss("part-unsupported");
      return undefined;
  }
}

function encodeKind(
  kind: RunPartKind,
  part: Part,
  context: RunEncodeContext,
  payload: JsonObject = copyEqualFields(kind, part),
): JsonObject {
  const wire: JsonObject = { kind, payload };
  reportRunFields(part, PART_KINDS[kind].supported, context);
  restoreResidue(wire, part, context, "payload");
  return wire;
}

/** Copies the fields that have the same name in the payload and in the part. */
function copyEqualFields(kind: RunPartKind, part: Part): JsonObject {
  const payload: JsonObject = {};
  for (const { name } of PART_KINDS[kind].table) {
    // The cast is safe: it only makes the part readable by field name, and a missing field is undefined.
    if ((part as unknown as JsonObject)[name] !== undefined) copyField(part, name, payload);
  }
  return payload;
}

function encodeOpaque(part: OpaquePart, context: RunEncodeContext): JsonObject | undefined {
  // The decoder stores a complete wire part as the value of an opaque part; a value without a kind could not be decoded
  // again.
  if (!isObject(part.value) || typeof part.value["kind"] !== "string") {
    context.report.addLoss("part-unsupported");
    return undefined;
  }
  reportRunFields(part, OPAQUE_FIELDS, context);
  if (part.extra?.[context.dialect] !== undefined)
    context.report.addLoss("residue-conflict", ["extra", context.dialect]);
  return part.value;
}

function encodeMedia(part: MediaPart, context: RunEncodeContext): JsonObject | undefined {
  const kind = mediaKind(part);
  if (kind === undefined) {
    context.report.addLoss("media-source-unsupported");
    return undefined;
  }
  if (kind === "file_ref" && part.type !== "file") context.report.addLoss("media-as-file", "type");
  return encodeKind(kind, part, context);
}

function mediaKind(part: MediaPart): "image" | "file_ref" | undefined {
  const { data, url, path, text, content, fileId, blob } = part;
  if (part.type === "image" && (data ?? url) !== undefined) return "image";
  if (path !== undefined) return "file_ref";
  // An image without any source is written as an `image` without data and URL. All other media here have only sources
  // that the dialect does not support, so they have no kind.
  return part.type === "image" && (text ?? content ?? fileId ?? blob) === undefined ? "image" : undefined;
}

function encodeTool(part: ToolCallPart | ToolResultPart, scope: RunEncodeScope): JsonObject | undefined {
  const { context, toolNames } = scope;
  if (!canSendClientTool(part, context)) return undefined;
  if (part.type === "tool-result") return encodeKind("tool_result", part, context, encodeResult(part, scope));
  toolNames.set(part.toolCallId, part.toolName);
  return encodeKind("tool_call", part, context, encodeCall(part, context));
}

function encodeResult(part: ToolResultPart, scope: RunEncodeScope): JsonObject {
  const { context, toolNames } = scope;
  const { toolCallId, toolName, isError, output, content } = part;
  const payload: JsonObject = { toolCallId, isError };
  restoreEmptyField(payload, "isError", !isError, part, context);
  if (toolName !== "" && toolNames.get(toolCallId) !== toolName)
    context.report.addLoss("result-tool-name-dropped", "toolName");
  const isEmpty = output === undefined && content === undefined;
  const isAbsent = restoreEmptyField(payload, "content", isEmpty, part, context);
  if (content !== undefined && (content.length > 0 || output === undefined)) {
    payload["content"] = [...outputAsText(output, context), ...encodeParts("content", content, scope)];
  } else if (output !== undefined) {
    if (Array.isArray(output) && output.every(readsAsPart)) context.report.addLoss("output-reads-as-parts", "output");
    copyField(part, "output", payload, "content");
  } else if (!isAbsent) {
    context.report.addLoss("result-empty", "content");
    payload["content"] = "";
  }
  return payload;
}

function outputAsText(output: unknown, context: RunEncodeContext): JsonValue[] {
  if (output === undefined) return [];
  context.report.addLoss("output-in-content", "output");
  const text = typeof output === "string" ? output : stringifyJson(output);
  return [{ kind: "text", payload: { text } }];
}
