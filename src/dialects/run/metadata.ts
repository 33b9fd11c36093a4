// Checks which keys of `meta` become metadata. Keys that the model defines need a value of the right type; other values
// are residue.
import type { PayloadFieldTypes } from "../../assembly/payload-fields.ts";
import { createFieldTable, USAGE_FIELDS, findWrongField } from "../../assembly/payload-fields.ts";
import type { JsonValue } from "../../model/json/index.ts";
import { isObject } from "../kit/fields/read-wire.ts";

type MetadataCheck = (value: JsonValue | undefined) => boolean;

function createObjectCheck(required: PayloadFieldTypes, optional?: PayloadFieldTypes): MetadataCheck {
  const table = createFieldTable(required, optional);
  return (value) => isObject(value) && findWrongField(value, table) === undefined;
}

const isString: MetadataCheck = (value) => typeof value === "string";
const isInvalidCall = createObjectCheck({ toolCallId: "string", reason: "string" });

/** Metadata keys that the message holds outside of `meta`. */
export const OUTSIDE_META = ["runId", "timestamp"] as const;

/** Checks of the keys that the model defines. */
const CHECKS: ReadonlyMap<string, MetadataCheck> = new Map<string, MetadataCheck>([
  ...OUTSIDE_META.map((field): [string, MetadataCheck] => [field, () => false]),
  ["schemaVersion", Number.isInteger],
  ["model", isString],
  ["provider", isString],
  ["interrupted", (value) => typeof value === "boolean"],
  ["finishReason", createObjectCheck({ unified: "string" }, { raw: "string" })],
  [
    "usage",
    createObjectCheck(
      { inputTokens: "number", outputTokens: "number", totalTokens: "number" },
      { ...USAGE_FIELDS, extra: "residue" },
    ),
  ],
  ["invalidToolCalls", (value) => Array.isArray(value) && value.every(isInvalidCall)],
]);

/** True if a key of `meta` becomes metadata; other keys are residue. */
export function isMetadata(key: string, value: JsonValue | undefined): boolean {
  return CHECKS.get(key)?.(value) ?? true;
}
