// Tool calls. A call is known by `call_id`, else by `id`; plain is `id`. A call without one gets one (B17), which is
// not written as long as nobody else uses it.
import { argumentsText, readArguments } from "../../model/arguments.ts";
import type { JsonObject } from "../../model/json.ts";
import { stringifyJson } from "../../model/json.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject } from "../read.ts";
import { decodeOpaque } from "./items.ts";
import type { Kept } from "./kept.ts";
import { keepRest, note, optionalText } from "./kept.ts";
import type { FlatContext } from "./losses.ts";

/** The calls so far. */
export interface Calls {
  /** Ids that somebody uses. */
  used: Set<unknown>;
  /** Names of tools, by the id of the call. */
  names: Map<string, string>;
}

const BY_CALL_ID = new Set(["name", "arguments", "call_id"]);
const BY_ID = new Set([...BY_CALL_ID, "id"]);

/** The call that a wire object describes; without a name it is none, and is kept as it is (B43). */
export function decodeCall(wire: JsonObject, newId: string, calls: Calls, context: DecodeContext): Part {
  const { name } = wire;
  if (typeof name !== "string") return decodeOpaque(wire, "tool_calls");
  const part: ToolCallPart = { type: "tool-call", toolCallId: "", toolName: name, input: {} };
  const callId = readId(wire, "call_id", part, context);
  if (callId !== undefined) note(part, "id_field", "call_id");
  part.toolCallId = callId ?? readId(wire, "id", part, context) ?? synthesize(newId, part, calls);
  calls.names.set(part.toolCallId, name);
  decodeArguments(wire, part, context);
  keepRest(part, wire, callId === undefined ? BY_ID : BY_CALL_ID);
  return part;
}

/** An id; an empty one is none. */
export function readId(
  wire: JsonObject,
  field: string,
  part: ToolCallPart | ToolResultPart,
  context: DecodeContext,
): string | undefined {
  const id = optionalText(wire, field, part, context);
  if (id === "") note(part, field, id);
  return id === "" ? undefined : id;
}

/** Writes an id to where it was, else to its plain place. */
export function writeId(wire: JsonObject, id: string | undefined, plain: string, kept: Kept): void {
  const idField = id === undefined ? plain : (kept.take("id_field") ?? plain);
  for (const field of ["id", "call_id"]) kept.write(wire, field, field === idField ? id : undefined);
}

function synthesize(newId: string, part: ToolCallPart, { used }: Calls): string {
  let id = newId;
  while (used.has(id)) id += "_";
  used.add(id);
  note(part, "synthesized", id);
  return id;
}

/** Text is the plain form; an object, null and nothing are others. */
function decodeArguments(wire: JsonObject, part: ToolCallPart, context: DecodeContext): void {
  const args = wire["arguments"];
  const objectArgs = isObject(args);
  if (objectArgs) note(part, "arguments", {});
  const text = objectArgs ? stringifyJson(args) : optionalText(wire, "arguments", part, context, "{}");
  if (text === undefined) return;
  const { reason: _, ...read } = readArguments(text, { objectArgs });
  Object.assign(part, read);
}

export function encodeCall(part: ToolCallPart, kept: Kept, { used, names }: Calls, context: FlatContext): JsonObject {
  const { toolCallId, toolName } = part;
  const wire: JsonObject = { name: toolName };
  const text = argumentsText(part);
  const read = readArguments(text);
  if (isObject(read.input) && isObject(kept.get("arguments"))) {
    kept.take("arguments");
    wire["arguments"] = read.input;
  } else {
    kept.write(wire, "arguments", text === "{}" ? undefined : text, "{}");
  }
  const isUnsaid = kept.get("synthesized") === toolCallId && !used.has(toolCallId);
  if (isUnsaid) kept.take("synthesized");
  else if (toolCallId !== "") names.set(toolCallId, toolName);
  writeId(wire, isUnsaid ? undefined : toolCallId, "id", kept);
  if (part.invalid !== undefined && part.invalid !== (read.invalid === true)) {
    context.report.lose("call-invalid", "invalid");
  }
  kept.restore(wire);
  return wire;
}
