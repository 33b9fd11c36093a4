// Parts of the model to parts of the run shape; what it cannot say is left out and reported.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { stringifyJson } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { MediaPart, OpaquePart, Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { isClientTool } from "../kit/client-tools.ts";
import { copyField, isObject } from "../kit/read.ts";
import { reportNotPortableResidue, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import { readsAsPart } from "./decode-part.ts";
import { PART_KINDS } from "./fields.ts";
import type { RunEncodeContext, RunLoss } from "./losses.ts";
import { respell } from "./silence.ts";
import { encodeCall } from "./tool-call.ts";
import type { RunPartKind } from "./types.ts";

/** What the writer of a part needs beside it. */
export interface PartScope {
  context: RunEncodeContext;
  /** The tools of the calls written so far, by call id. */
  toolNames: Map<string, string>;
}

const OPAQUE: ReadonlySet<string> = new Set(["type", "extra", "dialect", "value"]);
/** Fields of parts and messages whose loss has a name of its own. */
const FIELD_LOSSES: Readonly<Record<string, RunLoss>> = {
  cache: "bookkeeping",
  seals: "seal-foreign",
  id: "bookkeeping",
  parentMessageId: "bookkeeping",
  createdAt: "bookkeeping",
};

/** Reports every field that did not arrive, and all residue but our own. */
export function reportRest(target: Message | Part, carried: ReadonlySet<string>, context: RunEncodeContext): void {
  reportUnsupportedFields<RunLoss>(target, carried, context, "field-unsaid", FIELD_LOSSES);
  reportNotPortableResidue(target, context);
}

/** The parts of a list that stands in the field `key`, without those that cannot be said. */
export function encodeParts(key: string, parts: readonly Part[], scope: PartScope): JsonObject[] {
  const written = scope.context.pathTracker.each(key, parts, (part) => encodePart(part, scope));
  return written.filter((part) => part !== undefined);
}

function encodePart(part: Part, scope: PartScope): JsonObject | undefined {
  const { context } = scope;
  if (part.type === "opaque" && part.dialect === context.dialect) return encodeOpaque(part, context);
  switch (part.type) {
    case "text":
      return write("text", part, context);
    case "reasoning":
      return write("thinking", part, context);
    case "refusal":
      context.report.addLoss("refusal-as-text", "type");
      return write("text", part, context);
    case "tool-call":
    case "tool-result":
      return encodeTool(part, scope);
    case "image":
    case "audio":
    case "video":
    case "file":
      return encodeMedia(part, context);
    default:
      // Opaque to other dialects, or of a newer version.
      context.report.addLoss("part-unsayable");
      return undefined;
  }
}

function write(
  kind: RunPartKind,
  part: Part,
  context: RunEncodeContext,
  payload: JsonObject = namesakes(kind, part),
): JsonObject {
  const wire: JsonObject = { kind, payload };
  reportRest(part, PART_KINDS[kind].carried, context);
  restoreResidue(wire, part, context, "payload");
  return wire;
}

/** The fields that the payload and the part call the same. */
function namesakes(kind: RunPartKind, part: Part): JsonObject {
  const payload: JsonObject = {};
  for (const { name } of PART_KINDS[kind].table) {
    // Read as a record: the names are data.
    if ((part as unknown as JsonObject)[name] !== undefined) copyField(part, name, payload);
  }
  return payload;
}

function encodeOpaque(part: OpaquePart, context: RunEncodeContext): JsonObject | undefined {
  // The decoder puts a whole wire part there; anything else could not be read again.
  if (!isObject(part.value) || typeof part.value["kind"] !== "string") {
    context.report.addLoss("part-unsayable");
    return undefined;
  }
  reportRest(part, OPAQUE, context);
  if (part.extra?.[context.dialect] !== undefined) context.report.addLoss("residue-clash", ["extra", context.dialect]);
  return part.value;
}

function encodeMedia(part: MediaPart, context: RunEncodeContext): JsonObject | undefined {
  const kind = mediaKind(part);
  if (kind === undefined) {
    context.report.addLoss("media-elsewhere");
    return undefined;
  }
  if (kind === "file_ref" && part.type !== "file") context.report.addLoss("media-as-file", "type");
  return write(kind, part, context);
}

function mediaKind(part: MediaPart): "image" | "file_ref" | undefined {
  const { data, url, path, text, content, fileId, blob } = part;
  if (part.type === "image" && (data ?? url) !== undefined) return "image";
  if (path !== undefined) return "file_ref";
  // An image without any source is nothing that could be lost.
  return part.type === "image" && (text ?? content ?? fileId ?? blob) === undefined ? "image" : undefined;
}

function encodeTool(part: ToolCallPart | ToolResultPart, scope: PartScope): JsonObject | undefined {
  const { context, toolNames } = scope;
  if (!isClientTool(part, context)) return undefined;
  if (part.type === "tool-result") return write("tool_result", part, context, encodeResult(part, scope));
  toolNames.set(part.toolCallId, part.toolName);
  return write("tool_call", part, context, encodeCall(part, context));
}

function encodeResult(part: ToolResultPart, scope: PartScope): JsonObject {
  const { context, toolNames } = scope;
  const { toolCallId, toolName, isError, output, content } = part;
  const payload: JsonObject = { toolCallId, isError };
  respell(payload, "isError", !isError, part, context);
  if (toolName !== "" && toolNames.get(toolCallId) !== toolName) context.report.addLoss("tool-name", "toolName");
  const isSilent = output === undefined && content === undefined;
  const isAbsent = respell(payload, "content", isSilent, part, context);
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
