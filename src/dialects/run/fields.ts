// Declares the payload fields of each kind of part in the run dialect. The decoder checks payloads against the table of
// their kind, and the encoder copies the fields in the table.
import type { PayloadField, PayloadFieldTypes } from "../../assembly/payload-fields.ts";
import { createFieldTable, describeType, findWrongField } from "../../assembly/payload-fields.ts";
import type { JsonObject } from "../../model/json/index.ts";
import type { Part } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { describeKind, unknownFields } from "../kit/fields/read-wire.ts";
import type { RunPartKind } from "./types.ts";

type RunFieldTable = readonly PayloadField[];

interface RunPartDefinition {
  /** The canonical part type. */
  type: Part["type"];
  table: RunFieldTable;
  /** The canonical fields that are not reported as unsupported, because the encoder writes or reports them itself. */
  supported: ReadonlySet<string>;
}

/**
 * Defines a kind of part by its payload fields. `supportedFields` are further canonical fields that the encoder writes
 * or reports itself, although the payload has no field with their name.
 */
function definePart(
  type: Part["type"],
  required: PayloadFieldTypes,
  optional: PayloadFieldTypes = {},
  ...supportedFields: string[]
): RunPartDefinition {
  const table = createFieldTable(required, optional);
  return { type, table, supported: new Set(["type", "extra", ...table.map(({ name }) => name), ...supportedFields]) };
}

const TOOL_FIELDS = ["toolName", "executor", "format"];
export const PART_KINDS: Readonly<Record<RunPartKind, RunPartDefinition>> = {
  text: definePart("text", { text: "string" }),
  thinking: definePart("reasoning", { text: "string" }),
  tool_call: definePart(
    "tool-call",
    { toolCallId: "string", toolName: "string" },
    { arguments: "json", rawArgsText: "string" },
    ...TOOL_FIELDS,
    "input",
    "inputText",
    "invalid",
  ),
  tool_result: definePart(
    "tool-result",
    { toolCallId: "string" },
    { isError: "boolean", content: "json" },
    ...TOOL_FIELDS,
    "output",
  ),
  image: definePart("image", {}, { mimeType: "string", data: "string", url: "string" }),
  file_ref: definePart("file", { path: "string" }, { mimeType: "string", size: "number" }),
};

export function isPartKind(kind: string): kind is RunPartKind {
  return Object.hasOwn(PART_KINDS, kind);
}

/** Fails at the first field that is missing or has a wrong type. */
export function checkFields(wire: JsonObject, table: RunFieldTable, context: DecodeContext): void {
  const wrongEntry = findWrongField(wire, table, true);
  if (wrongEntry === undefined) return;
  const value = wire[wrongEntry.name];
  const code = value === undefined ? "missing-field" : "wrong-type";
  context.fail(code, `Expected ${describeType(wrongEntry)}, found ${describeKind(value)}.`, wrongEntry.name);
}

const WITH_PAYLOAD = createFieldTable({ payload: "object" });

/** Returns the payload of a part or delta of a known kind; fails if the payload is not an object. */
export function readPayload(wire: JsonObject, context: DecodeContext): JsonObject {
  checkFields(wire, WITH_PAYLOAD, context);
  // The cast is safe, because `checkFields` fails if the payload is not an object.
  return wire["payload"] as JsonObject;
}

/**
 * Fields in which null means a missing value and is stored as a form. In other fields that do not accept null, it
 * becomes residue.
 */
const NULLS_AS_FORM: ReadonlySet<string> = new Set(["runId", "timestamp", "meta", "rawArgsText", "isError"]);

/**
 * Splits an object into its known fields and its residue: unknown fields, and nulls in known fields that do not accept
 * null.
 */
export function splitFields(
  wire: JsonObject,
  table: RunFieldTable,
): { known: JsonObject; unknown: JsonObject | undefined } {
  const isKnown = (key: string): boolean => {
    const field = table.find(({ name }) => name === key);
    return field !== undefined && (wire[key] !== null || field.type === "json" || NULLS_AS_FORM.has(key));
  };
  const unknown = unknownFields(wire, new Set(Object.keys(wire).filter(isKnown)));
  const known = unknown === undefined ? wire : (unknownFields(wire, new Set(Object.keys(unknown))) ?? {});
  return { known, unknown };
}
