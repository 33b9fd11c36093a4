// Which keys of a message's meta can stand in the metadata as they are. Some names mean something to the model; another
// kind of value under such a name is not that, and is residue.
import { FINISH_REASONS } from "../../model/finish.ts";
import type { JsonValue } from "../../model/json.ts";
import { isObject } from "../read.ts";
import type { FieldTable } from "./fields.ts";
import { findProblem, leftOver, USAGE_FIELDS } from "./fields.ts";

/** What the message says outside of its meta. */
export const OUTSIDE_META = ["runId", "timestamp"] as const;

const COUNTS = ["inputTokens", "outputTokens", "totalTokens"];
const INVALID_CALL: FieldTable = { toolCallId: "string!", reason: "string!" };
const FINISH: FieldTable = { unified: "string!", raw: "string" };

/** An object with the fields of a table and no others. */
function isExactly(value: JsonValue | undefined, table: FieldTable): boolean {
  return isObject(value) && findProblem(value, table) === undefined && leftOver(value, table) === undefined;
}

function isUsage(value: JsonValue | undefined): boolean {
  if (!isObject(value) || !isExactly(value, USAGE_FIELDS)) return false;
  const { extra } = value;
  const hasCounts = COUNTS.every((count) => typeof value[count] === "number");
  return hasCounts && (!isObject(extra) || Object.values(extra).every(isObject));
}

/** Names that the model knows, and what their values must be. */
const TYPED: Readonly<Record<string, (value: JsonValue | undefined) => boolean>> = {
  schemaVersion: (value) => Number.isInteger(value),
  model: (value) => typeof value === "string",
  provider: (value) => typeof value === "string",
  interrupted: (value) => typeof value === "boolean",
  finishReason: (value) =>
    isObject(value) && isExactly(value, FINISH) && FINISH_REASONS.some((reason) => reason === value["unified"]),
  usage: isUsage,
  invalidToolCalls: (value) => Array.isArray(value) && value.every((call) => isExactly(call, INVALID_CALL)),
};

export function isOutsideMeta(key: string): boolean {
  return OUTSIDE_META.some((field) => field === key);
}

/** Whether a key of `meta` is metadata; the others are residue. */
export function isMetadata(key: string, value: JsonValue | undefined): boolean {
  if (isOutsideMeta(key)) return false;
  return !Object.hasOwn(TYPED, key) || TYPED[key]?.(value) === true;
}
