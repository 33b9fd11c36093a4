// Cache breakpoints. Anthropic's spelling passes through some vendors, OpenAI has its own; one block may have both.
import type { JsonObject } from "../../model/json.ts";
import type { CacheBreakpoint, Extra } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm, storeForm } from "../kit/residue.ts";
import type { Writing } from "./writing.ts";
import { spelling } from "./writing.ts";

interface Cached {
  cache?: CacheBreakpoint;
  extra?: Extra;
}

/** The fields that mark a breakpoint, and what they then say. */
const MARKS: Readonly<Record<string, readonly [key: string, word: string]>> = {
  cache_control: ["type", "ephemeral"],
  prompt_cache_breakpoint: ["mode", "explicit"],
};

/** Reads a field as a breakpoint; false where it is none, or says something else than the one before it. */
export function readCache(target: Cached, wire: JsonObject, field: string, { dialect }: DecodeContext): boolean {
  const mark = Object.hasOwn(MARKS, field) ? MARKS[field] : undefined;
  const value = wire[field];
  if (mark === undefined || !isObject(value) || value[mark[0]] !== mark[1]) return false;
  const ttl = value["ttl"] === "5m" || value["ttl"] === "1h" ? value["ttl"] : undefined;
  if (target.cache !== undefined && target.cache.ttl !== ttl) return false;
  target.cache = ttl === undefined ? {} : { ttl };
  const rest: JsonObject = {};
  for (const key in value) if (key !== mark[0] && (key !== "ttl" || ttl === undefined)) copyField(value, key, rest);
  const before = readForm(target, dialect)["cache"];
  storeForm(target, dialect, "cache", { ...(isObject(before) ? before : {}), [field]: rest });
  return true;
}

/** Writes a breakpoint in the spelling it came in, or in the vendor's own. */
export function writeCache(wire: JsonObject, target: Cached, writing: Writing): void {
  const { context, vendor } = writing;
  const { cache } = target;
  const spelled = spelling(target, "cache", writing);
  const fields = isObject(spelled) ? spelled : vendor?.cache === undefined ? undefined : { [vendor.cache]: {} };
  if (cache === undefined) return;
  if (fields === undefined) return context.report.addLoss("bookkeeping", "cache");
  for (const field in fields) {
    const [key, word] = MARKS[field] ?? ["type", "ephemeral"];
    const mark: JsonObject = { [key]: word };
    if (cache.ttl !== undefined) mark["ttl"] = cache.ttl;
    const rest = fields[field];
    if (isObject(rest)) for (const each in rest) if (!Object.hasOwn(mark, each)) copyField(rest, each, mark);
    wire[field] = mark;
  }
}
