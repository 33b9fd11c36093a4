// Decodes and encodes cache breakpoints: `cache_control` (Anthropic's, which some vendors pass through) and OpenAI's
// `prompt_cache_breakpoint`. A block can have both.
import type { JsonObject } from "../../../model/json/index.ts";
import type { CacheBreakpoint, Extra } from "../../../model/parts.ts";
import type { DecodeContext } from "../../dialect.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { readForm, storeForm } from "../../kit/residue/residue.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { readFormValue } from "../encode-state.ts";

interface Cacheable {
  cache?: CacheBreakpoint;
  extra?: Extra;
}

/** The wire fields that can hold a breakpoint, each with the key and the constant value that identify a breakpoint. */
const BREAKPOINT_FIELDS: Readonly<Record<string, readonly [key: string, value: string]>> = {
  cache_control: ["type", "ephemeral"],
  prompt_cache_breakpoint: ["mode", "explicit"],
};

/**
 * Decodes a field as a breakpoint. Returns false if the field is not a breakpoint, or if the target already has a
 * breakpoint with another TTL.
 */
export function decodeCacheBreakpoint(
  target: Cacheable,
  wire: JsonObject,
  field: string,
  { dialect }: DecodeContext,
): boolean {
  const marker = Object.hasOwn(BREAKPOINT_FIELDS, field) ? BREAKPOINT_FIELDS[field] : undefined;
  const value = wire[field];
  if (marker === undefined || !isObject(value) || value[marker[0]] !== marker[1]) return false;
  const ttl = value["ttl"] === "5m" || value["ttl"] === "1h" ? value["ttl"] : undefined;
  if (target.cache !== undefined && target.cache.ttl !== ttl) return false;
  target.cache = ttl === undefined ? {} : { ttl };
  const rest: JsonObject = {};
  for (const key in value) if (key !== marker[0] && (key !== "ttl" || ttl === undefined)) copyField(value, key, rest);
  const before = readForm(target, dialect)["cache"];
  storeForm(target, dialect, "cache", { ...(isObject(before) ? before : {}), [field]: rest });
  return true;
}

/**
 * Encodes a breakpoint into the fields that it was decoded from, or else into the vendor's field. Reports a loss if
 * there is neither.
 */
export function encodeCacheBreakpoint(wire: JsonObject, target: Cacheable, state: ChatEncodeState): void {
  const { context, vendor } = state;
  const { cache } = target;
  const form = readFormValue(target, "cache", state);
  const fields = isObject(form) ? form : vendor?.cache === undefined ? undefined : { [vendor.cache]: {} };
  if (cache === undefined) return;
  if (fields === undefined) return context.report.addLoss("metadata-dropped", "cache");
  for (const field in fields) {
    const [key, constant] = BREAKPOINT_FIELDS[field] ?? ["type", "ephemeral"];
    const marker: JsonObject = { [key]: constant };
    if (cache.ttl !== undefined) marker["ttl"] = cache.ttl;
    const rest = fields[field];
    if (isObject(rest)) for (const each in rest) if (!Object.hasOwn(marker, each)) copyField(rest, each, marker);
    wire[field] = marker;
  }
}
