// Reads a source: what it is, what it says, and where it goes wrong if it does.
import { DialectError, isObject, stringifyJson } from "koine";
import type { JsonDocument } from "../../json/document.ts";
import { indexJson } from "../../json/document.ts";
import { lineAt } from "../../json/pointers.ts";
import type { ReadFailure, Reading, Source } from "../types.ts";
import type { Canonical } from "./decode.ts";
import { decode, OwnError } from "./decode.ts";
import type { Payload } from "./payload.ts";
import { PayloadError, readPayload } from "./payload.ts";
import type { Recognised } from "./recognise.ts";
import { recognise } from "./recognise.ts";

/** A reading, and what it is made of. */
export interface Read {
  reading: Reading;
  canonical: Canonical;
}

/** What was read, or why it was not. */
export function read({ content, field, from, kind }: Source): Read | { failure: ReadFailure } {
  let recognised: Recognised | undefined;
  try {
    recognised = recognise(fieldOf(readPayload(content), field), { from, kind });
    const canonical = decode(recognised.from, recognised.kind, recognised.value);
    return { reading: readingOf(recognised, canonical), canonical };
  } catch (error) {
    return { failure: failureOf(error, recognised) };
  }
}

function fieldOf(payload: Payload, field: string | undefined): Payload {
  if (field === undefined || payload.format !== "json" || !isObject(payload.value)) return payload;
  return { format: "json", value: payload.value[field] ?? null };
}

function readingOf({ from, kind, maybe, remarks }: Recognised, canonical: Canonical): Reading {
  const more = canonical.kind === "stream" ? canonical.remarks : [];
  return {
    from,
    kind,
    maybe,
    remarks: [...remarks, ...more],
    model: "model" in canonical.value ? (canonical.value.model ?? "") : "",
    canonical: documentOf(canonical.value),
  };
}

export function documentOf(value: unknown): JsonDocument {
  return indexJson(stringifyJson(value));
}

function failureOf(error: unknown, recognised: Recognised | undefined): ReadFailure {
  if (error instanceof PayloadError) {
    const { message, line, column } = error;
    return { message, ...(line !== undefined && column !== undefined && { line, column }) };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof DialectError || error instanceof OwnError) || recognised === undefined) return { message };
  const wire = documentOf(withoutBytes(recognised.value));
  return { message, wire, wireLine: lineAt(wire, error.path).line };
}

/** The bytes of a file are nothing to look at. */
function withoutBytes(value: unknown): unknown {
  return Array.isArray(value) && value[0] instanceof Uint8Array ? [`${value[0].length} bytes`] : value;
}
