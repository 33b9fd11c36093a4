// Parts of the model to parts of the run shape; what it cannot say is left out and reported.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { stringifyJson } from "../../model/json.ts";
import type { MediaPart, OpaquePart, Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { copyField } from "../read.ts";
import { formOf, reportForeignResidue, reportUncarried } from "../residue.ts";
import { readsAsPart } from "./decode-part.ts";
import type { RunEncodeContext, RunLoss } from "./losses.ts";
import { restore, restoreInner, staleForm } from "./residue.ts";
import { encodeCall } from "./tool-call.ts";
import type { RunPartKind } from "./types.ts";

/** What the writer of a part needs beside it. */
export interface PartScope {
  context: RunEncodeContext;
  /** The tools of the calls written so far, by call id. */
  toolNames: Map<string, string>;
}

/** Fields that arrive, by the kind of part that is written. */
const CARRIED: Readonly<Record<RunPartKind | "opaque", ReadonlySet<string>>> = {
  text: new Set(["type", "extra", "text"]),
  thinking: new Set(["type", "extra", "text"]),
  tool_call: new Set([
    "type",
    "extra",
    "toolCallId",
    "toolName",
    "input",
    "inputText",
    "invalid",
    "executor",
    "format",
  ]),
  tool_result: new Set([
    "type",
    "extra",
    "toolCallId",
    "toolName",
    "isError",
    "output",
    "content",
    "executor",
    "format",
  ]),
  image: new Set(["type", "extra", "mimeType", "data", "url"]),
  file_ref: new Set(["type", "extra", "path", "mimeType", "size"]),
  opaque: new Set(["type", "extra", "dialect", "value"]),
};
const FIELD_LOSSES: Readonly<Record<string, RunLoss>> = { cache: "bookkeeping", seals: "seal-foreign" };

/** The parts of a list that stands in the field `key`, without those that cannot be said. */
export function encodeParts(key: string, parts: readonly Part[], scope: PartScope): JsonObject[] {
  const written = scope.context.trail.each(key, parts, (part) => encodePart(part, scope));
  return written.filter((part) => part !== undefined);
}

function encodePart(part: Part, scope: PartScope): JsonObject | undefined {
  const { context } = scope;
  switch (part.type) {
    case "text":
      return write("text", part, { text: part.text }, context);
    case "reasoning":
      return write("thinking", part, { text: part.text }, context);
    case "refusal":
      context.report.lose("refusal-as-text", "type");
      return write("text", part, { text: part.text }, context);
    case "tool-call":
    case "tool-result":
      return encodeTool(part, scope);
    case "image":
    case "audio":
    case "video":
    case "file":
      return encodeMedia(part, context);
    case "opaque":
      return encodeOpaque(part, context);
    default:
      // Part types of a newer version reach this at run time.
      context.report.lose("part-unsayable");
      return undefined;
  }
}

function write(kind: RunPartKind, part: Part, payload: JsonObject, context: RunEncodeContext): JsonObject {
  reportUncarried<RunLoss>(part, CARRIED[kind], context, "field-unsaid", FIELD_LOSSES);
  reportForeignResidue(part, context);
  restoreInner(payload, part, context, "payload");
  const wire: JsonObject = { kind, payload };
  restore(wire, part, context, "payload");
  return wire;
}

function encodeOpaque(part: OpaquePart, context: RunEncodeContext): JsonObject | undefined {
  if (part.dialect !== context.dialect) {
    context.report.lose("part-unsayable");
    return undefined;
  }
  reportUncarried<RunLoss>(part, CARRIED.opaque, context, "field-unsaid", FIELD_LOSSES);
  reportForeignResidue(part, context);
  if (part.extra?.[context.dialect] !== undefined) context.report.lose("form-stale", ["extra", context.dialect]);
  // The decoder put a whole wire part there.
  return part.value as JsonObject;
}

function encodeMedia(part: MediaPart, context: RunEncodeContext): JsonObject | undefined {
  const kind = mediaKind(part);
  if (kind === undefined) {
    context.report.lose("media-elsewhere");
    return undefined;
  }
  if (kind === "file_ref" && part.type !== "file") context.report.lose("media-as-file", "type");
  const payload: JsonObject = {};
  const fields = kind === "image" ? (["mimeType", "data", "url"] as const) : (["path", "mimeType", "size"] as const);
  for (const field of fields) if (part[field] !== undefined) copyField(part, field, payload);
  return write(kind, part, payload, context);
}

function mediaKind(part: MediaPart): "image" | "file_ref" | undefined {
  const { data, url, path, text, content, fileId, blob } = part;
  if (part.type === "image" && (data !== undefined || url !== undefined)) return "image";
  if (path !== undefined) return "file_ref";
  // An image without any source is nothing that could be lost.
  const isSourceless = [text, content, fileId, blob].every((source) => source === undefined);
  return part.type === "image" && isSourceless ? "image" : undefined;
}

function encodeTool(part: ToolCallPart | ToolResultPart, scope: PartScope): JsonObject | undefined {
  const { context, toolNames } = scope;
  if (part.executor === "provider") {
    context.report.lose("provider-tool");
    return undefined;
  }
  if (part.executor !== undefined) context.report.lose("tool-default", "executor");
  if (part.format !== undefined)
    context.report.lose(part.format === "json" ? "tool-default" : "field-unsaid", "format");
  if (part.type === "tool-result") return write("tool_result", part, encodeResult(part, scope), context);
  toolNames.set(part.toolCallId, part.toolName);
  return write("tool_call", part, encodeCall(part, context), context);
}

function encodeResult(part: ToolResultPart, scope: PartScope): JsonObject {
  const { context, toolNames } = scope;
  const form = formOf(part, context.dialect);
  const payload: JsonObject = { toolCallId: part.toolCallId, isError: part.isError };
  if (form["isError"] !== undefined) {
    if (part.isError) staleForm(context, "isError");
    else if (form["isError"] === null) payload["isError"] = null;
    else delete payload["isError"];
  }
  if (part.toolName !== "" && toolNames.get(part.toolCallId) !== part.toolName) {
    context.report.lose("tool-name", "toolName");
  }
  writeContent(payload, part, scope);
  return payload;
}

function writeContent(payload: JsonObject, part: ToolResultPart, scope: PartScope): void {
  const { context } = scope;
  const { output, content } = part;
  const isAbsent = formOf(part, context.dialect)["content"] !== undefined;
  if (isAbsent && (output !== undefined || content !== undefined)) staleForm(context, "content");
  if (content !== undefined && (content.length > 0 || output === undefined)) {
    payload["content"] = [...outputAsText(output, context), ...encodeParts("content", content, scope)];
  } else if (output !== undefined) {
    if (Array.isArray(output) && output.every(readsAsPart)) context.report.lose("output-reads-as-parts", "output");
    copyField(part, "output", payload, "content");
  } else if (!isAbsent) {
    context.report.lose("result-empty", "content");
    payload["content"] = "";
  }
}

function outputAsText(output: unknown, context: RunEncodeContext): JsonValue[] {
  if (output === undefined) return [];
  context.report.lose("output-in-content", "output");
  const text = typeof output === "string" ? output : stringifyJson(output);
  return [{ kind: "text", payload: { text } }];
}
