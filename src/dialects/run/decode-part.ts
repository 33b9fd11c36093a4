// Decodes parts of the run dialect. Unknown kinds become opaque parts, and malformed payloads are errors. Only the
// content of a tool result may be any JSON; if it is not a list of parts, it becomes the output.
import { findWrongField } from "../../assembly/payload-fields.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Part, ToolResultPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { copyField, isObject, readObject, readString, unknownFields } from "../kit/fields/read-wire.ts";
import { storeResidue } from "../kit/residue/residue.ts";
import { checkFields, isPartKind, PART_KINDS, readPayload, splitFields } from "./fields.ts";
import { storeEmptyField } from "./empty-fields.ts";
import { decodeCall } from "./tool-call.ts";
import type { RunPartKind } from "./types.ts";

const PART_KEYS: ReadonlySet<string> = new Set(["kind", "payload"]);
/** The maximum depth of tool results inside the content of tool results. */
const MAX_NESTING = 100;

/** The state of decoding parts. */
export interface RunDecodeScope {
  context: DecodeContext;
  /** Tool names of the calls that have been decoded so far, by call id. */
  toolNames: Map<string, string>;
  nesting: number;
}

export function decodePart(value: JsonValue, scope: RunDecodeScope): Part {
  const { context } = scope;
  const wire = readObject(value, context);
  const kind = readString(wire, "kind", context);
  if (!isPartKind(kind)) return { type: "opaque", dialect: context.dialect, value: wire };
  const payload = readPayload(wire, context);
  const part = context.pathTracker.into("payload", () => decodePayload(payload, kind, scope));
  storeResidue(part, context.dialect, unknownFields(wire, PART_KEYS));
  return part;
}

function decodePayload(payload: JsonObject, kind: RunPartKind, scope: RunDecodeScope): Part {
  const { table, type } = PART_KINDS[kind];
  checkFields(payload, table, scope.context);
  // A media part has one source; if it has data, a URL becomes residue.
  const usedTable = typeof payload["data"] === "string" ? table.filter(({ name }) => name !== "url") : table;
  const { known: fields, unknown } = splitFields(payload, usedTable);
  const part = kind === "tool_result" ? decodeResult(fields, scope) : decodeKnown(fields, type, scope);
  storeResidue(part, scope.context.dialect, unknown, "payload");
  return part;
}

function decodeKnown(fields: JsonObject, type: Part["type"], { context, toolNames }: RunDecodeScope): Part {
  if (type === "tool-call") {
    const call = decodeCall(fields, context.dialect);
    toolNames.set(call.toolCallId, call.toolName);
    return call;
  }
  // The cast is safe, because `checkFields` has checked the fields, and `splitFields` leaves only fields of this part
  // type.
  const part = { type } as Part;
  for (const field of Object.keys(fields)) copyField(fields, field, part);
  return part;
}

/**
 * True if a value can be decoded as a part: it has a kind and a payload object, and either the kind is unknown or the
 * payload has the fields of its kind.
 */
export function readsAsPart(value: unknown): boolean {
  if (!isObject(value) || typeof value["kind"] !== "string" || !isObject(value["payload"])) return false;
  const { kind, payload } = value;
  return !isPartKind(kind) || findWrongField(payload, PART_KINDS[kind].table, true) === undefined;
}

function decodeResult(payload: JsonObject, scope: RunDecodeScope): ToolResultPart {
  const { context, toolNames } = scope;
  const { isError, content } = payload;
  const toolCallId = readString(payload, "toolCallId", context);
  const result: ToolResultPart = {
    type: "tool-result",
    toolCallId,
    toolName: toolNames.get(toolCallId) ?? "",
    isError: isError === true,
  };
  storeEmptyField(result, context.dialect, "isError", isError);
  if (content === undefined) storeEmptyField(result, context.dialect, "content", content);
  else if (Array.isArray(content) && content.every(readsAsPart)) {
    if (scope.nesting >= MAX_NESTING) context.fail("too-deep", `Results nest deeper than ${MAX_NESTING}.`, "content");
    const inner: RunDecodeScope = { ...scope, nesting: scope.nesting + 1 };
    result.content = context.pathTracker.each("content", content, (each) => decodePart(each, inner));
  } else copyField(payload, "content", result, "output");
  return result;
}
