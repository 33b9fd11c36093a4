// Which fields the payloads of parts and deltas have, and of what type. One table is the reader's check and tells the
// known fields from the residue.
import type { DeltaKind } from "../../model/delta.ts";
import type { JsonObject } from "../../model/json.ts";
import { copyField, isObject, kindOf } from "../read.ts";
import type { RunPartKind } from "./types.ts";

/** "!": must be there. "?null": null has a meaning of its own, which the reader notes. */
type FieldType =
  | "string!"
  | "object!"
  | "string"
  | "number"
  | "boolean"
  | "object"
  | "list"
  | "key"
  | "string?null"
  | "boolean?null"
  | "json";
export type FieldTable = Readonly<Record<string, FieldType>>;

export const PART_FIELDS: Readonly<Record<RunPartKind, FieldTable>> = {
  text: { text: "string!" },
  thinking: { text: "string!" },
  tool_call: { toolCallId: "string!", toolName: "string!", arguments: "json", rawArgsText: "string?null" },
  tool_result: { toolCallId: "string!", isError: "boolean?null", content: "json" },
  image: { mimeType: "string", data: "string", url: "string" },
  file_ref: { path: "string!", mimeType: "string", size: "number" },
};

/** What a usage says, as a delta or in the metadata. */
export const USAGE_FIELDS: FieldTable = {
  extra: "object",
  inputTokens: "number",
  outputTokens: "number",
  totalTokens: "number",
  cacheReadTokens: "number",
  cacheWriteTokens: "number",
  cacheWrite5mTokens: "number",
  cacheWrite1hTokens: "number",
  reasoningTokens: "number",
  cost: "number",
  raw: "json",
};

const ANY_DELTA = { part: "key", choice: "number", extra: "object" } as const;

export const DELTA_FIELDS: Readonly<Record<DeltaKind, FieldTable>> = {
  start: {
    ...ANY_DELTA,
    modelId: "string!",
    requestId: "string!",
    contractVersion: "number",
    createdAt: "string",
    message: "object",
  },
  text: { ...ANY_DELTA, textDelta: "string!", logprobs: "list" },
  thinking: { ...ANY_DELTA, textDelta: "string!", summary: "number" },
  refusal: { ...ANY_DELTA, textDelta: "string!", logprobs: "list" },
  tool_call_start: {
    ...ANY_DELTA,
    toolCallId: "string!",
    toolName: "string!",
    executor: "string",
    format: "string",
    tool: "string",
    objectArgs: "boolean",
  },
  tool_call_args: { ...ANY_DELTA, toolCallId: "string!", argsTextDelta: "string!" },
  tool_call_end: { ...ANY_DELTA, toolCallId: "string!", argsTextDelta: "string" },
  usage: { ...ANY_DELTA, ...USAGE_FIELDS },
  done: { ...ANY_DELTA, finishReason: "string!", raw: "string", alternatives: "list", message: "object" },
  error: {
    ...ANY_DELTA,
    errorCode: "string!",
    message: "string",
    retryable: "boolean",
    status: "number",
    retryAfterMs: "number",
    raw: "json",
  },
  seal: { ...ANY_DELTA, seal: "object!" },
  annotation: { ...ANY_DELTA, annotation: "object!" },
  media: { ...ANY_DELTA, type: "string", mimeType: "string", dataDelta: "string", transcriptDelta: "string" },
  part: { ...ANY_DELTA, value: "object!", role: "string" },
};

export function hasTable<Kind extends string>(tables: Readonly<Record<Kind, FieldTable>>, kind: string): kind is Kind {
  return Object.hasOwn(tables, kind);
}

export interface FieldProblem {
  field: string;
  code: "missing-field" | "wrong-type";
  message: string;
}

/** The first field that is not what it must be. */
export function findProblem(payload: JsonObject, table: FieldTable): FieldProblem | undefined {
  for (const field of Object.keys(table)) {
    const type = table[field] ?? "json";
    const value = Object.hasOwn(payload, field) ? payload[field] : undefined;
    if (value === undefined && type.endsWith("!")) {
      return { field, code: "missing-field", message: `The field "${field}" is missing.` };
    }
    if (value === undefined || (value === null && !type.endsWith("!")) || fits(value, type)) continue;
    const [wanted = type] = type.split(/[!?]/);
    return { field, code: "wrong-type", message: `Expected a ${wanted}, found ${kindOf(value)}.` };
  }
  return undefined;
}

function fits(value: unknown, type: FieldType): boolean {
  switch (type) {
    case "json":
      return true;
    case "object":
    case "object!":
      return isObject(value);
    case "list":
      return Array.isArray(value);
    case "key":
      return typeof value === "string" || typeof value === "number";
    default:
      return type.startsWith(typeof value);
  }
}

/** A field that the reader takes over: known, and no null that stands for nothing. */
function isTaken(payload: JsonObject, field: string, table: FieldTable): boolean {
  const type = Object.hasOwn(table, field) ? table[field] : undefined;
  return type !== undefined && (payload[field] !== null || type === "json" || type.endsWith("?null"));
}

/** What a payload says beyond its known fields, explicit nulls included; undefined where there is nothing. */
export function leftOver(payload: JsonObject, table: FieldTable): JsonObject | undefined {
  let rest: JsonObject | undefined;
  for (const field of Object.keys(payload)) {
    if (isTaken(payload, field, table)) continue;
    rest ??= {};
    copyField(payload, field, rest);
  }
  return rest;
}
