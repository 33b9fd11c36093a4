// Parts of the run shape to parts of the model. Unknown kinds are kept whole; malformed payloads are errors, except
// inside of a tool's result, which may be any JSON and is then taken as such.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { FilePart, ImagePart, Part, ToolResultPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { copyField, isObject, kindOf, readObject, readString, restOf } from "../read.ts";
import { keepFields, keepForm } from "../residue.ts";
import { findProblem, hasTable, leftOver, PART_FIELDS } from "./fields.ts";
import { keepInner } from "./residue.ts";
import { decodeCall } from "./tool-call.ts";
import type { RunPartKind } from "./types.ts";

const PART_KEYS: ReadonlySet<string> = new Set(["kind", "payload"]);
/** Results inside of results, deeper than any tool makes them. */
const MAX_NESTING = 100;

/** What the reader of a part needs beside it. */
export interface PartScope {
  context: DecodeContext;
  /** The tools of the calls so far, by call id. */
  toolNames: Map<string, string>;
  nesting: number;
}

type Reader = (payload: JsonObject, scope: PartScope) => Part;

const READERS: Readonly<Record<RunPartKind, Reader>> = {
  text: (payload, { context }) => ({ type: "text", text: readString(payload, "text", context) }),
  thinking: (payload, { context }) => ({ type: "reasoning", text: readString(payload, "text", context) }),
  tool_call: (payload, { context, toolNames }) => {
    const call = decodeCall(payload, context.dialect);
    toolNames.set(call.toolCallId, call.toolName);
    return call;
  },
  tool_result: decodeResult,
  image: (payload) => {
    const image: ImagePart = { type: "image" };
    for (const field of ["mimeType", "data"]) takeField(payload, field, image);
    // A media part has one source; a second one is residue.
    if (image.data === undefined) takeField(payload, "url", image);
    return image;
  },
  file_ref: (payload) => {
    const file: FilePart = { type: "file" };
    for (const field of ["path", "mimeType", "size"]) takeField(payload, field, file);
    return file;
  },
};

function takeField(payload: JsonObject, field: string, part: Part): void {
  if (payload[field] !== undefined && payload[field] !== null) copyField(payload, field, part);
}

export function decodePart(value: JsonValue, scope: PartScope): Part {
  const context: DecodeContext = scope.context;
  const wire = readObject(value, context);
  const kind = readString(wire, "kind", context);
  if (!hasTable(PART_FIELDS, kind)) return { type: "opaque", dialect: context.dialect, value: wire };
  const { payload } = wire;
  if (payload === undefined) context.fail("missing-field", 'The field "payload" is missing.', "payload");
  if (!isObject(payload)) context.fail("wrong-type", `Expected an object, found ${kindOf(payload)}.`, "payload");
  const part = context.trail.into("payload", () => {
    const problem = findProblem(payload, PART_FIELDS[kind]);
    if (problem !== undefined) context.fail(problem.code, problem.message, problem.field);
    return READERS[kind](payload, scope);
  });
  keepFields(part, context.dialect, restOf(wire, PART_KEYS));
  keepInner(part, context.dialect, "payload", unread(payload, kind));
  return part;
}

function unread(payload: JsonObject, kind: RunPartKind): JsonObject | undefined {
  const rest = leftOver(payload, PART_FIELDS[kind]);
  const hasSecondSource = kind === "image" && typeof payload["data"] === "string" && typeof payload["url"] === "string";
  if (!hasSecondSource) return rest;
  const all = rest ?? {};
  copyField(payload, "url", all);
  return all;
}

/** Whether a value is a part whose payload can be read, or a part of an unknown kind. */
export function readsAsPart(value: unknown): boolean {
  if (!isObject(value) || typeof value["kind"] !== "string" || !isObject(value["payload"])) return false;
  const { kind, payload } = value;
  return !hasTable(PART_FIELDS, kind) || findProblem(payload, PART_FIELDS[kind]) === undefined;
}

function decodeResult(payload: JsonObject, scope: PartScope): ToolResultPart {
  const { context, toolNames } = scope;
  const { isError, content } = payload;
  const toolCallId = readString(payload, "toolCallId", context);
  const result: ToolResultPart = {
    type: "tool-result",
    toolCallId,
    toolName: toolNames.get(toolCallId) ?? "",
    isError: isError === true,
  };
  if (typeof isError !== "boolean") keepForm(result, context.dialect, "isError", isError === null ? null : "absent");
  if (content === undefined) keepForm(result, context.dialect, "content", "absent");
  else if (Array.isArray(content) && content.every(readsAsPart)) {
    if (scope.nesting >= MAX_NESTING) context.fail("too-deep", `Results nest deeper than ${MAX_NESTING}.`, "content");
    const inner: PartScope = { ...scope, nesting: scope.nesting + 1 };
    result.content = context.trail.each("content", content, (each) => decodePart(each, inner));
  } else copyField(payload, "content", result, "output");
  return result;
}
