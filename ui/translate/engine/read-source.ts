// Reads a source: parses it, detects its dialect and kind, and decodes it.
import { DialectError, isObject, stringifyJson } from "koine";
import type { JsonDocument } from "../../json/json-document.ts";
import { indexJson } from "../../json/json-document.ts";
import { findLine } from "../../json/json-pointers.ts";
import type { ReadFailure, ReadResult, TranslationSource } from "../types.ts";
import type { DecodedPayload } from "./decode-payload.ts";
import { decodePayload, CanonicalError } from "./decode-payload.ts";
import type { ParsedPayload } from "./parse-payload.ts";
import { PayloadError, parsePayload } from "./parse-payload.ts";
import type { DetectedPayload } from "./detect-payload.ts";
import { detectPayload } from "./detect-payload.ts";

/** A decoded source and its description for the page. */
export interface DecodedSource {
  reading: ReadResult;
  canonical: DecodedPayload;
}

/** Returns the decoded source, or the reason why it cannot be read. */
export function readSource({
  content,
  field,
  from,
  kind,
}: TranslationSource): DecodedSource | { failure: ReadFailure } {
  let detected: DetectedPayload | undefined;
  try {
    detected = detectPayload(selectField(parsePayload(content), field), { from, kind });
    const canonical = decodePayload(detected.from, detected.kind, detected.value);
    return { reading: toReadResult(detected, canonical), canonical };
  } catch (error) {
    return { failure: toReadFailure(error, detected) };
  }
}

function selectField(payload: ParsedPayload, field: string | undefined): ParsedPayload {
  if (field === undefined || payload.format !== "json" || !isObject(payload.value)) return payload;
  return { format: "json", value: payload.value[field] ?? null };
}

function toReadResult({ from, kind, alternatives, remarks }: DetectedPayload, canonical: DecodedPayload): ReadResult {
  const more = canonical.kind === "stream" ? canonical.remarks : [];
  return {
    from,
    kind,
    alternatives,
    remarks: [...remarks, ...more],
    model: "model" in canonical.value ? (canonical.value.model ?? "") : "",
    canonical: toDocument(canonical.value),
  };
}

export function toDocument(value: unknown): JsonDocument {
  return indexJson(stringifyJson(value));
}

function toReadFailure(error: unknown, detected: DetectedPayload | undefined): ReadFailure {
  if (error instanceof PayloadError) {
    const { message, line, column } = error;
    return { message, ...(line !== undefined && column !== undefined && { line, column }) };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof DialectError || error instanceof CanonicalError) || detected === undefined) return { message };
  const wire = toDocument(withoutBytes(detected.value));
  return { message, wire, wireLine: findLine(wire, error.path).line };
}

/**
 * Returns the value. Bytes of an event stream are replaced by a text with their number, because they cannot be shown as
 * JSON.
 */
function withoutBytes(value: unknown): unknown {
  return Array.isArray(value) && value[0] instanceof Uint8Array ? [`${value[0].length} bytes`] : value;
}
