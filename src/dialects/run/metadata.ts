// Decides which keys of `meta` become metadata. A key that the canonical model defines needs a value of the right type;
// otherwise it becomes residue.
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

/** Metadata keys that are fields of the message itself and not keys of `meta`. */
export const OUTSIDE_META = ["runId", "timestamp"] as const;

/**
 * By metadata key, a check that the value has the type that the canonical model defines. `runId` and `timestamp` always
 * fail, because they are fields of the message and not keys of `meta`.
 */
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

/** True if a key of `meta` becomes metadata; all other keys become residue. */
export function isMetadata(key: string, value: JsonValue | undefined): boolean {
  return CHECKS.get(key)?.(value) ?? true;
}
