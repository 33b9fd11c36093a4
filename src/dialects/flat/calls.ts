// Tool calls. A call is known by `call_id`, else by `id`; plain is `id`. A call without one gets one (B17), which is
// not written as long as a reader finds the call's result without it.
import { argumentsText, readArguments } from "../../model/arguments.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { stringifyJson } from "../../model/json.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject } from "../kit/read.ts";
import { decodeOpaque } from "./items.ts";
import type { Kept } from "./kept.ts";
import { keepRest, note, optionalText } from "./kept.ts";
import type { FlatContext } from "./losses.ts";
import { FLAT } from "./terms.ts";

/** The calls so far. */
export interface Calls {
  /** Ids that nobody may make up. */
  used: Set<unknown>;
  /** Ids that results name on the wire. */
  answered: Set<unknown>;
  open: OpenCalls;
  /** Names of tools, by the id of the call. */
  names: Map<string, string>;
}

export function noCalls(): Calls {
  return { used: new Set(), answered: new Set(), open: new OpenCalls(), names: new Map() };
}

/** Calls without an id on the wire that no result has taken yet, in order, and by name so that each is found at once. */
export class OpenCalls {
  readonly #all = new Set<ToolCallPart>();
  readonly #byName = new Map<string, Set<ToolCallPart>>();

  add(call: ToolCallPart): void {
    this.#all.add(call);
    const namesakes = this.#byName.get(call.toolName) ?? new Set();
    this.#byName.set(call.toolName, namesakes.add(call));
  }

  delete(call: ToolCallPart): void {
    this.#all.delete(call);
    this.#byName.get(call.toolName)?.delete(call);
  }

  of(name: string | undefined): Iterable<ToolCallPart> {
    return name === undefined ? this.#all : (this.#byName.get(name) ?? []);
  }
}

/** The open calls, of a name where there is one: a result without an id answers the first. */
export function* openFor({ open, answered }: Calls, name: string | undefined): Generator<ToolCallPart> {
  for (const call of open.of(name)) if (!answered.has(call.toolCallId)) yield call;
}

/** What a call is known by: `id` wins only where results name it and not the `call_id`. */
function identityOf({ id, call_id }: JsonObject, { answered }: Calls): JsonValue | undefined {
  return call_id && !(id && answered.has(id) && !answered.has(call_id)) ? call_id : id;
}

/** The call that a wire object describes; without a name it is none, and is kept as it is (B43). */
export function decodeCall(wire: JsonObject, newId: string, calls: Calls, context: DecodeContext): Part {
  const { name } = wire;
  if (typeof name !== "string") return decodeOpaque(wire, "tool_calls");
  const part: ToolCallPart = { type: "tool-call", toolCallId: "", toolName: name, input: {} };
  const callId = readId(wire, "call_id", part, context);
  const field = callId !== undefined && identityOf(wire, calls) === callId ? "call_id" : "id";
  if (field !== "id") note(part, "id_field", field);
  part.toolCallId = (field === "id" ? readId(wire, field, part, context) : callId) ?? synthesize(newId, part, calls);
  calls.names.set(part.toolCallId, name);
  decodeArguments(wire, part, context);
  keepRest(part, wire, new Set(["name", "arguments", field, callId === undefined ? "call_id" : field]));
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

/** Writes the id of a call to where it was, else to its plain place, and returns it; "" goes unsaid. */
export function writeId(wire: JsonObject, toolCallId: string, plain: string, kept: Kept, { answered }: Calls): string {
  const isUnsaid = kept.get("synthesized") === toolCallId && !answered.has(toolCallId);
  if (isUnsaid) kept.take("synthesized");
  const id = isUnsaid ? "" : toolCallId;
  const idField = id === "" ? "" : (kept.take("id_field") ?? plain);
  for (const field of ["id", "call_id"]) kept.write(wire, field, field === idField ? id : undefined);
  return id;
}

function synthesize(newId: string, part: ToolCallPart, { used, open }: Calls): string {
  let id = newId;
  while (used.has(id)) id += "_";
  used.add(id);
  open.add(part);
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

export function encodeCall(part: ToolCallPart, kept: Kept, calls: Calls, context: FlatContext): JsonObject {
  const { toolCallId, toolName } = part;
  const wire: JsonObject = { name: toolName };
  // Arguments are JSON here, so that free text is a JSON string.
  const text = part.format === "text" ? stringifyJson(part.input ?? "") : argumentsText(part);
  const read = readArguments(text);
  if (isObject(read.input) && isObject(kept.get("arguments"))) {
    kept.take("arguments");
    wire["arguments"] = read.input;
  } else {
    kept.write(wire, "arguments", text === "{}" ? undefined : text, "{}");
  }
  calls.names.set(toolCallId, toolName);
  const id = writeId(wire, toolCallId, "id", kept, calls);
  if (part.invalid !== undefined && part.invalid !== (read.invalid === true)) {
    context.report.addLoss("call-invalid", "invalid");
  }
  // The other id is left out where it would now be the one that counts.
  const isKnown = (identityOf({ ...part.extra?.[FLAT], ...wire }, calls) ?? "") === id;
  kept.restore(wire, isKnown ? [] : ["id", "call_id"]);
  return wire;
}
