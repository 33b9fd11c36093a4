// Which fields the parts of the run shape have, and what of a wire object is known and what is left over. One table
// per object is the reader's check and the writer's list.
import type { Field, FieldTypes } from "../../assembly/payload-fields.ts";
import { fields, wanted, wrongField } from "../../assembly/payload-fields.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { kindOf, unknownFields } from "../kit/read.ts";
import type { RunPartKind } from "./types.ts";

type Table = readonly Field[];

interface PartKind {
  /** What the model calls it. */
  type: Part["type"];
  table: Table;
  /** The fields of the model that arrive. */
  carried: ReadonlySet<string>;
}

/** Fields are called the same in the model, unless others are named as carried. */
function partKind(type: Part["type"], required: FieldTypes, optional: FieldTypes = {}, ...carried: string[]): PartKind {
  const table = fields(required, optional);
  return { type, table, carried: new Set(["type", "extra", ...table.map(({ name }) => name), ...carried]) };
}

const TOOL = ["toolName", "executor", "format"];
export const PART_KINDS: Readonly<Record<RunPartKind, PartKind>> = {
  text: partKind("text", { text: "string" }),
  thinking: partKind("reasoning", { text: "string" }),
  tool_call: partKind(
    "tool-call",
    { toolCallId: "string", toolName: "string" },
    { arguments: "json", rawArgsText: "string" },
    ...TOOL,
    "input",
    "inputText",
    "invalid",
  ),
  tool_result: partKind(
    "tool-result",
    { toolCallId: "string" },
    { isError: "boolean", content: "json" },
    ...TOOL,
    "output",
  ),
  image: partKind("image", {}, { mimeType: "string", data: "string", url: "string" }),
  file_ref: partKind("file", { path: "string" }, { mimeType: "string", size: "number" }),
};

export function isPartKind(kind: string): kind is RunPartKind {
  return Object.hasOwn(PART_KINDS, kind);
}

/** Fails at the first field that is not what it must be. */
export function check(wire: JsonObject, table: Table, context: DecodeContext): void {
  const wrong = wrongField(wire, table, true);
  if (wrong === undefined) return;
  const found = wire[wrong.name];
  const code = found === undefined ? "missing-field" : "wrong-type";
  context.fail(code, `Expected ${wanted(wrong)}, found ${kindOf(found)}.`, wrong.name);
}

const WITH_PAYLOAD = fields({ payload: "object" });

/** The payload of a part or delta of a known kind. */
export function payloadOf(wire: JsonObject, context: DecodeContext): JsonObject {
  check(wire, WITH_PAYLOAD, context);
  // It has just been checked.
  return wire["payload"] as JsonObject;
}

/** Fields whose null the reader notes. */
const NOTED: ReadonlySet<string> = new Set(["runId", "timestamp", "meta", "rawArgsText", "isError"]);

/** The known fields, and the rest: unknown fields, and nulls that stand for nothing. */
export function sift(wire: JsonObject, table: Table): { known: JsonObject; rest: JsonObject | undefined } {
  const isKnown = (key: string): boolean => {
    const field = table.find(({ name }) => name === key);
    return field !== undefined && (wire[key] !== null || field.type === "json" || NOTED.has(key));
  };
  const rest = unknownFields(wire, new Set(Object.keys(wire).filter(isKnown)));
  return { known: rest === undefined ? wire : (unknownFields(wire, new Set(Object.keys(rest))) ?? {}), rest };
}
