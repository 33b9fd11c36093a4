// Which keys of a message's meta can stand in the metadata as they are. Some names mean something to the model; another
// kind of value under such a name is not that, and is residue.
import type { FieldTypes } from "../../assembly/payload-fields.ts";
import { fields, USAGE_FIELDS, wrongField } from "../../assembly/payload-fields.ts";
import type { JsonValue } from "../../model/json.ts";
import { isObject } from "../kit/read.ts";

type Check = (value: JsonValue | undefined) => boolean;

function objectOf(required: FieldTypes, optional?: FieldTypes): Check {
  const table = fields(required, optional);
  return (value) => isObject(value) && wrongField(value, table) === undefined;
}

const isString: Check = (value) => typeof value === "string";
const isInvalidCall = objectOf({ toolCallId: "string", reason: "string" });

/** What the message says outside of its meta. */
export const OUTSIDE_META = ["runId", "timestamp"] as const;

/** Names that the model knows, and what their values must be for it to read them. */
const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ...OUTSIDE_META.map((field): [string, Check] => [field, () => false]),
  ["schemaVersion", Number.isInteger],
  ["model", isString],
  ["provider", isString],
  ["interrupted", (value) => typeof value === "boolean"],
  ["finishReason", objectOf({ unified: "string" }, { raw: "string" })],
  [
    "usage",
    objectOf(
      { inputTokens: "number", outputTokens: "number", totalTokens: "number" },
      { ...USAGE_FIELDS, extra: "residue" },
    ),
  ],
  ["invalidToolCalls", (value) => Array.isArray(value) && value.every(isInvalidCall)],
]);

/** Whether a key of `meta` is metadata; the others are residue. */
export function isMetadata(key: string, value: JsonValue | undefined): boolean {
  return CHECKS.get(key)?.(value) ?? true;
}
