// Decodes and encodes provider options (model messages) and provider metadata (UI messages and streams): one object per
// provider. Data that only its issuer can read becomes a seal, a cache breakpoint becomes `cache`. The rest becomes
// residue that both AI SDK formats share, so that it survives translation between them.
import { setOwn } from "../../model/merge-extra.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { CacheBreakpoint, Issuer, PartBase, Seal, SealKind, WithExtra } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { copyField, isObject, unknownFields } from "../kit/fields/read-wire.ts";
import type { NotPortableLoss } from "../kit/losses/catalog.ts";
import { readForm, storeForm } from "../kit/residue/residue.ts";
import { reportNotPortableResidue } from "../kit/residue/unsent-fields.ts";
import type { SealLoss } from "../kit/seals/seals.ts";

/** The key in `extra` of the residue that both AI SDK formats share. */
const SHARED_RESIDUE = "ai-sdk";

/**
 * One provider: the issuer of its seals, its keys in provider options, and the option fields that contain seals, with
 * the kind of each seal.
 */
interface ProviderSeals extends Issuer {
  /**
   * The keys of the provider in the options; the first key is the default. Some providers have two keys and write every
   * field under both.
   */
  keys: readonly [string, ...string[]];
  fields: Readonly<Record<string, SealKind>>;
}

const OPENAI_FIELDS = { itemId: "id", reasoningEncryptedContent: "encrypted" };
const GOOGLE_FIELDS = { thoughtSignature: "signature" };
const THINKING_FIELDS = { signature: "signature", redactedData: "redacted" };
/**
 * One row per provider. If a dialect has several rows, its first row has no `provider` and is used for seals of an
 * unknown provider.
 */
const PROVIDER_SEALS: readonly ProviderSeals[] = [
  { keys: ["anthropic"], dialect: "anthropic", fields: THINKING_FIELDS },
  { keys: ["openai"], dialect: "openai-responses", fields: OPENAI_FIELDS },
  { keys: ["azure"], dialect: "openai-responses", provider: "azure", fields: OPENAI_FIELDS },
  { keys: ["google"], dialect: "gemini", fields: GOOGLE_FIELDS },
  { keys: ["vertex", "googleVertex"], dialect: "gemini", provider: "vertex", fields: GOOGLE_FIELDS },
  { keys: ["bedrock", "amazonBedrock"], dialect: "bedrock", fields: THINKING_FIELDS },
];

/**
 * Returns the provider and the options field in which a seal is written; undefined if no field exists for its dialect
 * and kind. A seal of an unknown provider uses the first row of its dialect.
 */
function findSealField({ dialect, kind, provider }: Seal): { seals: ProviderSeals; field: string } | undefined {
  const candidates = PROVIDER_SEALS.filter((each) => each.dialect === dialect);
  const seals = candidates.find((each) => each.provider === provider) ?? candidates[0];
  const field = seals && Object.keys(seals.fields).find((each) => seals.fields[each] === kind);
  return seals === undefined || field === undefined ? undefined : { seals, field };
}

/** Decodes a cache breakpoint; undefined if the value is something else or has further fields. */
function readBreakpoint(value: JsonValue | undefined): CacheBreakpoint | undefined {
  if (!isObject(value) || value["type"] !== "ephemeral") return undefined;
  const { ttl } = value;
  const size = Object.keys(value).length;
  if (ttl === undefined) return size === 1 ? {} : undefined;
  return size === 2 && (ttl === "5m" || ttl === "1h") ? { ttl } : undefined;
}

/** The state of decoding the options of one part. */
interface OptionsDecoding {
  target: PartBase;
  withCache: boolean;
  /**
   * The keys under which seals were found, collected only for providers with two keys, so that the encoder can write
   * the seals under the same keys.
   */
  providerKeys: Set<string>;
}

/** Decodes one field of a provider's options as a seal or a cache breakpoint; returns false if it is neither. */
function decodeOption(key: string, field: string, value: JsonValue | undefined, decoding: OptionsDecoding): boolean {
  const { target, withCache, providerKeys } = decoding;
  if (typeof value === "string") {
    const providerSeals = PROVIDER_SEALS.find(({ keys, fields }) => keys.includes(key) && Object.hasOwn(fields, field));
    const kind = providerSeals?.fields[field];
    if (providerSeals === undefined || kind === undefined) return false;
    const { dialect, provider } = providerSeals;
    const earlierSeal = target.seals?.find(
      (each) => each.dialect === dialect && each.kind === kind && each.provider === provider,
    );
    // A provider with two keys may have the same seal under both. If the value under the second key differs, it is not
    // decoded as a seal and becomes residue.
    if (earlierSeal !== undefined && earlierSeal.value !== value) return false;
    if (providerSeals.keys.length > 1) providerKeys.add(key);
    if (earlierSeal !== undefined) return true;
    const seal: Seal = provider === undefined ? { dialect, kind, value } : { dialect, provider, kind, value };
    (target.seals ??= []).push(seal);
    return true;
  }
  const cache = withCache && key === "anthropic" && field === "cacheControl" ? readBreakpoint(value) : undefined;
  if (cache !== undefined) target.cache = cache;
  return cache !== undefined;
}

/** Escapes a provider key that begins with `$`, because the keys of forms in the residue also begin with `$`. */
function escapeKey(key: string): string {
  return key.startsWith("$") ? `$${key}` : key;
}

function ensureSharedResidue(target: WithExtra): JsonObject {
  const extra = (target.extra ??= {});
  return (extra[SHARED_RESIDUE] ??= {});
}

/**
 * Decodes the options of a part; returns false if they are not an object. `withCache` is false for answers, which have
 * no cache breakpoints.
 */
export function decodeProviderOptions(target: PartBase, options: JsonValue | undefined, withCache = true): boolean {
  if (!isObject(options)) return false;
  const decoding: OptionsDecoding = { target, withCache, providerKeys: new Set() };
  let isEmpty = true;
  for (const key of Object.keys(options)) {
    const fields = options[key];
    if (fields === undefined) continue;
    isEmpty = false;
    if (!isObject(fields)) {
      copyField(options, key, ensureSharedResidue(target), escapeKey(key));
      continue;
    }
    let rest: JsonObject | undefined;
    let isDecoded = false;
    for (const field of Object.keys(fields)) {
      if (fields[field] === undefined) continue;
      if (decodeOption(key, field, fields[field], decoding)) isDecoded = true;
      else copyField(fields, field, (rest ??= {}));
    }
    if (rest !== undefined || !isDecoded) setOwn(ensureSharedResidue(target), escapeKey(key), rest ?? {});
  }
  if (isEmpty) storeSharedForm(target, "empty", true);
  if (decoding.providerKeys.size > 0) storeProviderKeys(target, decoding.providerKeys);
  return true;
}

/**
 * Stores the keys under which seals were found as a form, so that the encoder writes the seals under the same keys.
 * Nothing is stored if all keys are default keys.
 */
function storeProviderKeys(target: WithExtra, usedKeys: ReadonlySet<string>): void {
  const providerKeys = PROVIDER_SEALS.flatMap(({ keys }) => keys.filter((key) => usedKeys.has(key)));
  if (providerKeys.some((name) => PROVIDER_SEALS.every(({ keys }) => keys[0] !== name)))
    storeSharedForm(target, "names", providerKeys);
}

/**
 * Stores the options of a message as residue of the message. A cache breakpoint becomes `cache` of `last`, the last
 * part of the message. Returns false if the options are not an object.
 */
export function storeMessageOptions(
  target: WithExtra,
  options: JsonValue | undefined,
  last: PartBase | undefined,
): boolean {
  if (!isObject(options)) return false;
  let isDecoded = false;
  for (const key of Object.keys(options)) {
    const fields = options[key];
    if (fields === undefined) continue;
    const cache = key === "anthropic" && isObject(fields) ? readBreakpoint(fields["cacheControl"]) : undefined;
    if (cache === undefined || last === undefined || last.cache !== undefined || !isObject(fields)) {
      copyField(options, key, ensureSharedResidue(target), escapeKey(key));
      continue;
    }
    last.cache = cache;
    isDecoded = true;
    const rest = unknownFields(fields, CACHE_FIELDS);
    if (rest !== undefined) setOwn(ensureSharedResidue(target), key, rest);
  }
  if (isDecoded) storeSharedForm(target, "cache", "message");
  else if (target.extra?.[SHARED_RESIDUE] === undefined || Object.keys(target.extra[SHARED_RESIDUE]).length === 0)
    storeSharedForm(target, "empty", true);
  return true;
}

const CACHE_FIELDS: ReadonlySet<string> = new Set(["cacheControl"]);

/** Encodes the stored options, the seals and the cache breakpoint of a part; undefined if there are none. */
export function encodeProviderOptions(target: PartBase, context: EncodeContext<SealLoss>): JsonObject | undefined {
  const shared = target.extra?.[SHARED_RESIDUE];
  if (shared === undefined && target.seals === undefined && target.cache === undefined) return undefined;
  const options: JsonObject = {};
  for (const key of Object.keys(shared ?? {})) {
    if (shared === undefined || (key.startsWith("$") && !key.startsWith("$$"))) continue;
    const name = key.startsWith("$") ? key.slice(1) : key;
    const fields = shared[key];
    // The fields are copied, because seals are added to them.
    if (isObject(fields)) setOwn(options, name, copyFields(fields));
    else copyField(shared, key, options, name);
  }
  const providerKeys = readSharedForm(target, "names");
  target.seals?.forEach((seal, index) => {
    encodeSeal(options, seal, index, Array.isArray(providerKeys) ? providerKeys : [], context);
  });
  if (target.cache !== undefined)
    setOption(options, "anthropic", "cacheControl", { type: "ephemeral", ...target.cache });
  return Object.keys(options).length > 0 || readSharedForm(target, "empty") === true ? options : undefined;
}

function copyFields(fields: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const field of Object.keys(fields)) copyField(fields, field, copy);
  return copy;
}

/**
 * Sets a field in the options of the provider `key`; returns false, and sets nothing, if residue already has a value
 * there.
 */
function setOption(options: JsonObject, key: string, field: string, value: JsonValue): boolean {
  const fields = (options[key] ??= {});
  // A string in this field comes from residue: the decoder did not accept it as a seal, so it is preserved. The options
  // of a provider that are not an object are preserved, too.
  if (!isObject(fields) || typeof fields[field] === "string") return false;
  fields[field] = value;
  return true;
}

function encodeSeal(
  options: JsonObject,
  seal: Seal,
  index: number,
  providerKeys: readonly JsonValue[],
  { report }: EncodeContext<SealLoss>,
): void {
  const sealField = findSealField(seal);
  const [defaultKey = "", ...others] = sealField?.seals.keys ?? [];
  const usedKeys = [defaultKey, ...others].filter((key) => providerKeys.includes(key));
  const keys = usedKeys.length > 0 ? usedKeys : [defaultKey];
  if (sealField === undefined || !keys.every((key) => setOption(options, key, sealField.field, seal.value))) {
    report.addLoss(seal.kind === "id" ? "id-not-portable" : "seal-not-portable", ["seals", index]);
    return;
  }
  if (seal.provider !== undefined && seal.provider !== sealField.seals.provider) {
    report.addLoss("metadata-dropped", ["seals", index, "provider"]);
  }
  if (seal.model !== undefined) report.addLoss("metadata-dropped", ["seals", index, "model"]);
}

/** Stores a form value that both AI SDK formats share, such as the display fields of a tool. */
export function storeSharedForm(target: WithExtra, formKey: string, value: JsonValue): void {
  storeForm(target, SHARED_RESIDUE, formKey, value);
}

export function readSharedForm(target: WithExtra, formKey: string): JsonValue | undefined {
  return target.extra === undefined ? undefined : readForm(target, SHARED_RESIDUE)[formKey];
}

/** Reports the loss of a shared form value that the current format cannot represent. */
export function reportSharedForm(target: WithExtra, formKey: string, context: EncodeContext<NotPortableLoss>): void {
  if (readSharedForm(target, formKey) !== undefined)
    context.report.addLoss("form-not-portable", ["extra", SHARED_RESIDUE, "$form", formKey]);
}

/** Reports the loss of shared residue of a message or part for which the wire has no field for provider options. */
export function reportSharedResidue({ extra }: WithExtra, context: EncodeContext<NotPortableLoss>): void {
  const shared = extra?.[SHARED_RESIDUE];
  if (shared !== undefined) reportNotPortableResidue({ extra: { [SHARED_RESIDUE]: shared } }, context);
}

/**
 * Reports the loss of other dialects' residue; the shared residue belongs to both AI SDK formats and is not reported.
 */
export function reportOtherResidue(target: WithExtra, context: EncodeContext<NotPortableLoss>): void {
  const { extra } = target;
  if (extra === undefined) return;
  if (extra[SHARED_RESIDUE] === undefined) return reportNotPortableResidue(target, context);
  const { [SHARED_RESIDUE]: _, ...others } = extra;
  reportNotPortableResidue({ extra: others }, context);
}
