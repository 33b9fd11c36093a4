// What the AI SDK calls provider options in prompts and provider metadata in answers: an object for each provider. The
// artefacts in it that only their issuer can read are seals of that provider's dialect, a cache breakpoint is the
// model's; the rest is residue that both of the SDK's shapes share, so that it travels between them.
import { setOwn } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { CacheBreakpoint, Extra, PartBase, Seal } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { copyField, isObject } from "./read.ts";
import type { ForeignLoss } from "./residue.ts";
import { reportForeignResidue } from "./residue.ts";
import type { SealLoss } from "./seals.ts";

/** The name of the residue that is neither shape's own. */
const SHARED = "ai-sdk";

interface Carrier {
  extra?: Extra;
}

interface Row extends Pick<Seal, "dialect" | "kind" | "provider"> {
  key: string;
  field: string;
}

/** Where each provider's artefacts stand. Of several rows for one kind of seal, the first without a provider is plain. */
const ROWS: readonly Row[] = [
  { key: "anthropic", field: "signature", dialect: "anthropic", kind: "signature" },
  { key: "anthropic", field: "redactedData", dialect: "anthropic", kind: "redacted" },
  { key: "openai", field: "itemId", dialect: "openai-responses", kind: "id" },
  { key: "openai", field: "reasoningEncryptedContent", dialect: "openai-responses", kind: "encrypted" },
  { key: "azure", field: "itemId", dialect: "openai-responses", kind: "id", provider: "azure" },
  {
    key: "azure",
    field: "reasoningEncryptedContent",
    dialect: "openai-responses",
    kind: "encrypted",
    provider: "azure",
  },
  { key: "google", field: "thoughtSignature", dialect: "gemini", kind: "signature" },
  { key: "vertex", field: "thoughtSignature", dialect: "gemini", kind: "signature", provider: "vertex" },
  { key: "bedrock", field: "signature", dialect: "bedrock", kind: "signature" },
  { key: "bedrock", field: "redactedData", dialect: "bedrock", kind: "redacted" },
];

function rowOf({ dialect, kind, provider }: Seal): Row | undefined {
  const alike = ROWS.filter((row) => row.dialect === dialect && row.kind === kind);
  return alike.find((row) => row.provider === provider) ?? alike.find((row) => row.provider === undefined);
}

/** A breakpoint, where a value is one and nothing more. */
function readBreakpoint(value: JsonValue | undefined): CacheBreakpoint | undefined {
  if (!isObject(value) || value["type"] !== "ephemeral") return undefined;
  const { ttl } = value;
  const size = Object.keys(value).length;
  if (ttl === undefined) return size === 1 ? {} : undefined;
  return size === 2 && (ttl === "5m" || ttl === "1h") ? { ttl } : undefined;
}

function take(target: PartBase, key: string, field: string, value: JsonValue | undefined, withCache: boolean): boolean {
  if (typeof value === "string") {
    const row = ROWS.find((each) => each.key === key && each.field === field);
    if (row === undefined) return false;
    const { dialect, kind, provider } = row;
    const seal: Seal = provider === undefined ? { dialect, kind, value } : { dialect, provider, kind, value };
    (target.seals ??= []).push(seal);
    return true;
  }
  const cache = withCache && key === "anthropic" && field === "cacheControl" ? readBreakpoint(value) : undefined;
  if (cache !== undefined) target.cache = cache;
  return cache !== undefined;
}

/** Marks of Koine's own begin with `$`; a provider's name that does so, too, gets one more. */
function escaped(key: string): string {
  return key.startsWith("$") ? `$${key}` : key;
}

function sharedOf(target: Carrier): JsonObject {
  const extra = (target.extra ??= {});
  return (extra[SHARED] ??= {});
}

/** Reads the options of a part; what is no object has no place here and is told so. Answers have no breakpoints. */
export function decodeOptions(target: PartBase, options: JsonValue | undefined, withCache = true): boolean {
  if (!isObject(options)) return false;
  let isEmpty = true;
  for (const key of Object.keys(options)) {
    const fields = options[key];
    if (fields === undefined) continue;
    isEmpty = false;
    if (!isObject(fields)) {
      copyField(options, key, sharedOf(target), escaped(key));
      continue;
    }
    let rest: JsonObject | undefined;
    let isTaken = false;
    for (const field of Object.keys(fields)) {
      if (fields[field] === undefined) continue;
      if (take(target, key, field, fields[field], withCache)) isTaken = true;
      else copyField(fields, field, (rest ??= {}));
    }
    if (rest !== undefined || !isTaken) setOwn(sharedOf(target), escaped(key), rest ?? {});
  }
  if (isEmpty) markShared(target, "empty", true);
  return true;
}

/** Keeps the options of a message, which belong to no single part. */
export function keepOptions(target: Carrier, options: JsonValue | undefined): boolean {
  if (!isObject(options)) return false;
  const shared = sharedOf(target);
  for (const key of Object.keys(options)) {
    if (options[key] !== undefined) copyField(options, key, shared, escaped(key));
  }
  if (Object.keys(shared).length === 0) markShared(target, "empty", true);
  return true;
}

/** The options as they were, with the seals that are there now; undefined where there are none. */
export function encodeOptions(target: PartBase, context: EncodeContext<SealLoss>): JsonObject | undefined {
  const shared = target.extra?.[SHARED];
  if (shared === undefined && target.seals === undefined && target.cache === undefined) return undefined;
  const options: JsonObject = {};
  for (const key of Object.keys(shared ?? {})) {
    if (shared === undefined || (key.startsWith("$") && !key.startsWith("$$"))) continue;
    const name = key.startsWith("$") ? key.slice(1) : key;
    const fields = shared[key];
    // A copy: seals are put beside what was kept.
    if (isObject(fields)) setOwn(options, name, copyOf(fields));
    else copyField(shared, key, options, name);
  }
  target.seals?.forEach((seal, index) => writeSeal(options, seal, index, context));
  if (target.cache !== undefined) put(options, "anthropic", "cacheControl", { type: "ephemeral", ...target.cache });
  return Object.keys(options).length > 0 || markOf(target, "empty") === true ? options : undefined;
}

function copyOf(fields: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const field of Object.keys(fields)) copyField(fields, field, copy);
  return copy;
}

/** Whether there was room for a field. */
function put(options: JsonObject, key: string, field: string, value: JsonValue): boolean {
  const fields = (options[key] ??= {});
  // What was kept of the same name says that the wire had no artefact there.
  if (!isObject(fields) || typeof fields[field] === "string") return false;
  fields[field] = value;
  return true;
}

function writeSeal(options: JsonObject, seal: Seal, index: number, { report }: EncodeContext<SealLoss>): void {
  const row = rowOf(seal);
  if (row === undefined || !put(options, row.key, row.field, seal.value)) {
    report.lose(seal.kind === "id" ? "id-foreign" : "seal-foreign", ["seals", index]);
    return;
  }
  if (seal.provider !== undefined && seal.provider !== row.provider) {
    report.lose("bookkeeping", ["seals", index, "provider"]);
  }
  if (seal.model !== undefined) report.lose("bookkeeping", ["seals", index, "model"]);
}

/** What both shapes know of a part beyond its options: how a tool is shown, and the like. */
export function markShared(target: Carrier, mark: string, value: JsonValue): void {
  sharedOf(target)[`$${mark}`] = value;
}

export function markOf(target: Carrier, mark: string): JsonValue | undefined {
  return target.extra?.[SHARED]?.[`$${mark}`];
}

/** Reports a mark that the shape in hand cannot say. */
export function reportMark(target: Carrier, mark: string, context: EncodeContext<ForeignLoss>): void {
  if (markOf(target, mark) !== undefined) context.report.lose("form-foreign", ["extra", SHARED, `$${mark}`]);
}

/** Reports what is said to single providers where there is no place to say it. */
export function reportShared(target: Carrier, { report }: EncodeContext<ForeignLoss>): void {
  for (const key of Object.keys(target.extra?.[SHARED] ?? {})) report.lose("residue-foreign", ["extra", SHARED, key]);
}

/** Reports the residue of other dialects; what the SDK's two shapes share is theirs. */
export function reportOthers(target: Carrier, context: EncodeContext<ForeignLoss>): void {
  const { extra } = target;
  if (extra === undefined) return;
  if (extra[SHARED] === undefined) return reportForeignResidue(target, context);
  const { [SHARED]: _, ...others } = extra;
  reportForeignResidue({ extra: others }, context);
}
