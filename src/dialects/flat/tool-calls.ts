// Decodes and encodes tool calls of flat messages. A call is identified by `call_id`, or by `id` if it has no
// `call_id`; the encoder writes `id` by default. A call without an id gets a created id (B17), which is written only if
// a decoder could not find the call's result without it.
import { formatArguments, parseArguments } from "../../model/tool-arguments.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import { stringifyJson } from "../../model/json/index.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject } from "../kit/fields/read-wire.ts";
import { decodeOpaque } from "./content-items.ts";
import type { FlatResidue } from "./residue.ts";
import { storeUnknownFields, storeFlatForm, readOptionalString } from "./residue.ts";
import type { FlatEncodeContext } from "./losses.ts";
import { FLAT } from "./field-names.ts";

/** The state of decoding or encoding the tool calls of a list of messages. */
export interface FlatCalls {
  /** All ids on the wire; a created id must differ from them. */
  usedIds: Set<unknown>;
  /** The call ids that results have on the wire. */
  answeredIds: Set<unknown>;
  unidentifiedCalls: UnidentifiedCalls;
  /** Tool names by call id. */
  toolNames: Map<string, string>;
}

export function createFlatCalls(): FlatCalls {
  return {
    usedIds: new Set(),
    answeredIds: new Set(),
    unidentifiedCalls: new UnidentifiedCalls(),
    toolNames: new Map(),
  };
}

/** Calls that have no id on the wire and no result yet, in the order of the messages and indexed by tool name. */
export class UnidentifiedCalls {
  readonly #all = new Set<ToolCallPart>();
  readonly #byName = new Map<string, Set<ToolCallPart>>();

  add(call: ToolCallPart): void {
    this.#all.add(call);
    const sameName = this.#byName.get(call.toolName) ?? new Set();
    this.#byName.set(call.toolName, sameName.add(call));
  }

  delete(call: ToolCallPart): void {
    this.#all.delete(call);
    this.#byName.get(call.toolName)?.delete(call);
  }

  listByName(name: string | undefined): Iterable<ToolCallPart> {
    return name === undefined ? this.#all : (this.#byName.get(name) ?? []);
  }
}

/**
 * Lists the calls that a result without an id can belong to: calls without a wire id and without a result, of the tool
 * `name` if it is defined. The result belongs to the first call of the list.
 */
export function* listUnansweredCalls(
  { unidentifiedCalls, answeredIds }: FlatCalls,
  name: string | undefined,
): Generator<ToolCallPart> {
  for (const call of unidentifiedCalls.listByName(name)) if (!answeredIds.has(call.toolCallId)) yield call;
}

/**
 * Returns the id that identifies a call: `call_id`, unless results refer to its `id` and none refers to its `call_id`.
 */
function readCallIdentity({ id, call_id }: JsonObject, { answeredIds }: FlatCalls): JsonValue | undefined {
  return call_id && !(id && answeredIds.has(id) && !answeredIds.has(call_id)) ? call_id : id;
}

/** Decodes a call; an object without a name becomes an opaque part (B43). */
export function decodeCall(wire: JsonObject, newId: string, calls: FlatCalls, context: DecodeContext): Part {
  const { name } = wire;
  if (typeof name !== "string") return decodeOpaque(wire, "tool_calls");
  const part: ToolCallPart = { type: "tool-call", toolCallId: "", toolName: name, input: {} };
  const callId = readCallId(wire, "call_id", part, context);
  const field = callId !== undefined && readCallIdentity(wire, calls) === callId ? "call_id" : "id";
  if (field !== "id") storeFlatForm(part, "id_field", field);
  part.toolCallId =
    (field === "id" ? readCallId(wire, field, part, context) : callId) ?? createCallId(newId, part, calls);
  calls.toolNames.set(part.toolCallId, name);
  decodeArguments(wire, part, context);
  storeUnknownFields(part, wire, new Set(["name", "arguments", field, callId === undefined ? "call_id" : field]));
  return part;
}

/** Returns an id field; undefined if the id is missing or empty. */
export function readCallId(
  wire: JsonObject,
  field: string,
  part: ToolCallPart | ToolResultPart,
  context: DecodeContext,
): string | undefined {
  const id = readOptionalString(wire, field, part, context);
  if (id === "") storeFlatForm(part, field, id);
  return id === "" ? undefined : id;
}

/**
 * Writes the id of a call or result to the field from which it was decoded, by default to the field `plain`. A created
 * id that no result needs is omitted. Returns the written id; "" if it is omitted.
 */
export function writeCallId(
  wire: JsonObject,
  toolCallId: string,
  plain: string,
  residue: FlatResidue,
  { answeredIds }: FlatCalls,
): string {
  const isOmitted = residue.getForm("synthesized") === toolCallId && !answeredIds.has(toolCallId);
  if (isOmitted) residue.takeForm("synthesized");
  const id = isOmitted ? "" : toolCallId;
  const idField = id === "" ? "" : (residue.takeForm("id_field") ?? plain);
  for (const field of ["id", "call_id"]) residue.writeField(wire, field, field === idField ? id : undefined);
  return id;
}

function createCallId(newId: string, part: ToolCallPart, { usedIds, unidentifiedCalls }: FlatCalls): string {
  let id = newId;
  while (usedIds.has(id)) id += "_";
  usedIds.add(id);
  unidentifiedCalls.add(part);
  storeFlatForm(part, "synthesized", id);
  return id;
}

/**
 * Decodes the arguments of a call. The default spelling is a text; a form stores an object, null or an absent field.
 */
function decodeArguments(wire: JsonObject, part: ToolCallPart, context: DecodeContext): void {
  const args = wire["arguments"];
  const objectArgs = isObject(args);
  if (objectArgs) storeFlatForm(part, "arguments", {});
  const text = objectArgs ? stringifyJson(args) : readOptionalString(wire, "arguments", part, context, "{}");
  if (text === undefined) return;
  const { reason: _, ...parsed } = parseArguments(text, { objectArgs });
  Object.assign(part, parsed);
}

export function encodeCall(
  part: ToolCallPart,
  residue: FlatResidue,
  calls: FlatCalls,
  context: FlatEncodeContext,
): JsonObject {
  const { toolCallId, toolName } = part;
  const wire: JsonObject = { name: toolName };
  // The wire has arguments as JSON text, so free-form input is written as a JSON string.
  const text = part.format === "text" ? stringifyJson(part.input ?? "") : formatArguments(part);
  const parsed = parseArguments(text);
  if (isObject(parsed.input) && isObject(residue.getForm("arguments"))) {
    residue.takeForm("arguments");
    wire["arguments"] = parsed.input;
  } else {
    residue.writeField(wire, "arguments", text === "{}" ? undefined : text, "{}");
  }
  calls.toolNames.set(toolCallId, toolName);
  const id = writeCallId(wire, toolCallId, "id", residue, calls);
  if (part.invalid !== undefined && part.invalid !== (parsed.invalid === true)) {
    context.report.addLoss("invalid-call-unsupported", "invalid");
  }
  // The residue may contain a second id of the call. It is not restored if a decoder would then identify the call by it
  // instead of by the written id.
  const isIdentifiedByWrittenId = (readCallIdentity({ ...part.extra?.[FLAT], ...wire }, calls) ?? "") === id;
  residue.restoreUnknownFields(wire, isIdentifiedByWrittenId ? [] : ["id", "call_id"]);
  return wire;
}
