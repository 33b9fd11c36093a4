// Limits the metadata of a request to the entries that OpenAI accepts.
import type { JsonObject } from "../../model/json/index.ts";
import type { EncodeContext } from "../dialect.ts";
import { copyField } from "../kit/fields/read-wire.ts";

const MAX_ENTRIES = 16;
const MAX_KEY_LENGTH = 64;
const MAX_VALUE_LENGTH = 512;

/**
 * Returns the entries that OpenAI accepts and reports the others; undefined if no entry is accepted. Without repairs,
 * returns all entries.
 */
export function fitMetadata(
  metadata: Readonly<Record<string, unknown>>,
  { repair, report }: EncodeContext<"metadata-invalid">,
): JsonObject | undefined {
  const accepted: JsonObject = {};
  const keys = Object.keys(metadata);
  let count = 0;
  for (const key of repair ? keys : []) {
    const value = metadata[key];
    const isAccepted = typeof value === "string" && value.length <= MAX_VALUE_LENGTH && key.length <= MAX_KEY_LENGTH;
    if (!isAccepted || count === MAX_ENTRIES) report.addLoss("metadata-invalid", ["metadata", key]);
    else {
      copyField(metadata, key, accepted);
      count++;
    }
  }
  // The cast is safe, because the metadata of a canonical request is JSON.
  if (!repair || count === keys.length) return metadata as JsonObject;
  return count === 0 ? undefined : accepted;
}
