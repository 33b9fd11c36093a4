// Parts of the run shape to parts of the model. Unknown kinds are kept whole; malformed payloads are errors, except
// inside of a tool's result, which may be any JSON and is then taken as such.
import { wrongField } from "../../assembly/payload-fields.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Part, ToolResultPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { copyField, isObject, readObject, readString, unknownFields } from "../kit/read.ts";
import { storeResidue } from "../kit/residue.ts";
import { check, isPartKind, PART_KINDS, payloadOf, sift } from "./fields.ts";
import { keepSilence } from "./silence.ts";
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

export function decodePart(value: JsonValue, scope: PartScope): Part {
  const { context } = scope;
  const wire = readObject(value, context);
  const kind = readString(wire, "kind", context);
  if (!isPartKind(kind)) return { type: "opaque", dialect: context.dialect, value: wire };
  const payload = payloadOf(wire, context);
  const part = context.pathTracker.into("payload", () => decodePayload(payload, kind, scope));
  storeResidue(part, context.dialect, unknownFields(wire, PART_KEYS));
  return part;
}

function decodePayload(payload: JsonObject, kind: RunPartKind, scope: PartScope): Part {
  const { table, type } = PART_KINDS[kind];
  check(payload, table, scope.context);
  // A media part has one source; a second one is residue.
  const taken = typeof payload["data"] === "string" ? table.filter(({ name }) => name !== "url") : table;
  const { known, rest } = sift(payload, taken);
  const part = kind === "tool_result" ? decodeResult(known, scope) : decodeKnown(known, type, scope);
  storeResidue(part, scope.context.dialect, rest, "payload");
  return part;
}

function decodeKnown(known: JsonObject, type: Part["type"], { context, toolNames }: PartScope): Part {
  if (type === "tool-call") {
    const call = decodeCall(known, context.dialect);
    toolNames.set(call.toolCallId, call.toolName);
    return call;
  }
  // The table has the fields of this type of part.
  const part = { type } as Part;
  for (const field of Object.keys(known)) copyField(known, field, part);
  return part;
}

/** Whether a value is a part whose payload can be read, or a part of an unknown kind. */
export function readsAsPart(value: unknown): boolean {
  if (!isObject(value) || typeof value["kind"] !== "string" || !isObject(value["payload"])) return false;
  const { kind, payload } = value;
  return !isPartKind(kind) || wrongField(payload, PART_KINDS[kind].table, true) === undefined;
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
  keepSilence(result, context.dialect, "isError", isError);
  if (content === undefined) keepSilence(result, context.dialect, "content", content);
  else if (Array.isArray(content) && content.every(readsAsPart)) {
    if (scope.nesting >= MAX_NESTING) context.fail("too-deep", `Results nest deeper than ${MAX_NESTING}.`, "content");
    const inner: PartScope = { ...scope, nesting: scope.nesting + 1 };
    result.content = context.pathTracker.each("content", content, (each) => decodePart(each, inner));
  } else copyField(payload, "content", result, "output");
  return result;
}
