// What the AI SDK calls provider options in prompts and provider metadata in answers: an object for each provider. The
// artefacts in it that only their issuer can read are seals of that provider's dialect, a cache breakpoint is the
// model's; the rest is residue that both of the SDK's shapes share, so that it travels between them.
import { setOwn } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { CacheBreakpoint, Extra, Issuer, PartBase, Seal, SealKind } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { copyField, isObject, unknownFields } from "./read.ts";
import type { NotPortableLoss } from "./residue.ts";
import { readForm, storeForm, reportNotPortableResidue } from "./residue.ts";
import type { SealLoss } from "./seals.ts";

/** The name of the residue that is neither shape's own. */
const SHARED = "ai-sdk";

interface Carrier {
  extra?: Extra;
}

/** Whose artefacts the SDK keeps where. */
interface Issue extends Issuer {
  /** The names of the provider; some have had two, and say everything under both. The first is the plain one. */
  keys: readonly [string, ...string[]];
  fields: Readonly<Record<string, SealKind>>;
}

const OPENAI = { itemId: "id", reasoningEncryptedContent: "encrypted" };
const GOOGLE = { thoughtSignature: "signature" };
const THINKING = { signature: "signature", redactedData: "redacted" };
/** Of several rows for one dialect, the first has no provider and is plain. */
const ISSUES: readonly Issue[] = [
  { keys: ["anthropic"], dialect: "anthropic", fields: THINKING },
  { keys: ["openai"], dialect: "openai-responses", fields: OPENAI },
  { keys: ["azure"], dialect: "openai-responses", provider: "azure", fields: OPENAI },
  { keys: ["google"], dialect: "gemini", fields: GOOGLE },
  { keys: ["vertex", "googleVertex"], dialect: "gemini", provider: "vertex", fields: GOOGLE },
  { keys: ["bedrock", "amazonBedrock"], dialect: "bedrock", fields: THINKING },
];

/** Where a seal goes; one of a provider that the SDK has no name for goes to the plain place. */
function issueOf({ dialect, kind, provider }: Seal): { issue: Issue; field: string } | undefined {
  const alike = ISSUES.filter((each) => each.dialect === dialect);
  const issue = alike.find((each) => each.provider === provider) ?? alike[0];
  const field = issue && Object.keys(issue.fields).find((each) => issue.fields[each] === kind);
  return issue === undefined || field === undefined ? undefined : { issue, field };
}

/** A breakpoint, where a value is one and nothing more. */
function readBreakpoint(value: JsonValue | undefined): CacheBreakpoint | undefined {
  if (!isObject(value) || value["type"] !== "ephemeral") return undefined;
  const { ttl } = value;
  const size = Object.keys(value).length;
  if (ttl === undefined) return size === 1 ? {} : undefined;
  return size === 2 && (ttl === "5m" || ttl === "1h") ? { ttl } : undefined;
}

/** What has been taken from options that are being read. */
interface Taking {
  target: PartBase;
  withCache: boolean;
  /** The names that artefacts were found under, of providers that have several. */
  names: Set<string>;
}

function take(key: string, field: string, value: JsonValue | undefined, taking: Taking): boolean {
  const { target, withCache, names } = taking;
  if (typeof value === "string") {
    const issue = ISSUES.find(({ keys, fields }) => keys.includes(key) && Object.hasOwn(fields, field));
    const kind = issue?.fields[field];
    if (issue === undefined || kind === undefined) return false;
    const { dialect, provider } = issue;
    const before = target.seals?.find(
      (each) => each.dialect === dialect && each.kind === kind && each.provider === provider,
    );
    // Under its other name the provider may say the same; what says otherwise is no artefact that could be told apart.
    if (before !== undefined && before.value !== value) return false;
    if (issue.keys.length > 1) names.add(key);
    if (before !== undefined) return true;
    const seal: Seal = provider === undefined ? { dialect, kind, value } : { dialect, provider, kind, value };
    (target.seals ??= []).push(seal);
    return true;
  }
  const cache = withCache && key === "anthropic" && field === "cacheControl" ? readBreakpoint(value) : undefined;
  if (cache !== undefined) target.cache = cache;
  return cache !== undefined;
}

/** Koine's own notes begin with `$`; a provider's name that does so, too, gets one more. */
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
  const taking: Taking = { target, withCache, names: new Set() };
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
      if (take(key, field, fields[field], taking)) isTaken = true;
      else copyField(fields, field, (rest ??= {}));
    }
    if (rest !== undefined || !isTaken) setOwn(sharedOf(target), escaped(key), rest ?? {});
  }
  if (isEmpty) markShared(target, "empty", true);
  if (taking.names.size > 0) markNames(target, taking.names);
  return true;
}

/** Notes what names artefacts were found under, where it is not the plain one alone. */
function markNames(target: Carrier, found: ReadonlySet<string>): void {
  const names = ISSUES.flatMap(({ keys }) => keys.filter((key) => found.has(key)));
  if (names.some((name) => ISSUES.every(({ keys }) => keys[0] !== name))) markShared(target, "names", names);
}

/** Keeps the options of a message, which belong to no single part; but a breakpoint is one behind its last. */
export function keepOptions(target: Carrier, options: JsonValue | undefined, last: PartBase | undefined): boolean {
  if (!isObject(options)) return false;
  let isTaken = false;
  for (const key of Object.keys(options)) {
    const fields = options[key];
    if (fields === undefined) continue;
    const cache = key === "anthropic" && isObject(fields) ? readBreakpoint(fields["cacheControl"]) : undefined;
    if (cache === undefined || last === undefined || last.cache !== undefined || !isObject(fields)) {
      copyField(options, key, sharedOf(target), escaped(key));
      continue;
    }
    last.cache = cache;
    isTaken = true;
    const rest = unknownFields(fields, CACHE);
    if (rest !== undefined) setOwn(sharedOf(target), key, rest);
  }
  if (isTaken) markShared(target, "cache", "message");
  else if (target.extra?.[SHARED] === undefined || Object.keys(target.extra[SHARED]).length === 0)
    markShared(target, "empty", true);
  return true;
}

const CACHE: ReadonlySet<string> = new Set(["cacheControl"]);

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
  const names = markOf(target, "names");
  target.seals?.forEach((seal, index) => {
    writeSeal(options, seal, index, Array.isArray(names) ? names : [], context);
  });
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

function writeSeal(
  options: JsonObject,
  seal: Seal,
  index: number,
  names: readonly JsonValue[],
  { report }: EncodeContext<SealLoss>,
): void {
  const place = issueOf(seal);
  const [plain = "", ...others] = place?.issue.keys ?? [];
  const named = [plain, ...others].filter((key) => names.includes(key));
  const keys = named.length > 0 ? named : [plain];
  if (place === undefined || !keys.every((key) => put(options, key, place.field, seal.value))) {
    report.addLoss(seal.kind === "id" ? "id-foreign" : "seal-foreign", ["seals", index]);
    return;
  }
  if (seal.provider !== undefined && seal.provider !== place.issue.provider) {
    report.addLoss("bookkeeping", ["seals", index, "provider"]);
  }
  if (seal.model !== undefined) report.addLoss("bookkeeping", ["seals", index, "model"]);
}

/** What both shapes know of a part beyond its options: how a tool is shown, and the like. */
export function markShared(target: Carrier, mark: string, value: JsonValue): void {
  storeForm(target, SHARED, mark, value);
}

export function markOf(target: Carrier, mark: string): JsonValue | undefined {
  return target.extra === undefined ? undefined : readForm(target, SHARED)[mark];
}

/** Reports a mark that the shape in hand cannot say. */
export function reportMark(target: Carrier, mark: string, context: EncodeContext<NotPortableLoss>): void {
  if (markOf(target, mark) !== undefined) context.report.addLoss("form-foreign", ["extra", SHARED, "$form", mark]);
}

/** Reports what is said to single providers where there is no place to say it. */
export function reportShared({ extra }: Carrier, context: EncodeContext<NotPortableLoss>): void {
  const shared = extra?.[SHARED];
  if (shared !== undefined) reportNotPortableResidue({ extra: { [SHARED]: shared } }, context);
}

/** Reports the residue of other dialects; what the SDK's two shapes share is theirs. */
export function reportOthers(target: Carrier, context: EncodeContext<NotPortableLoss>): void {
  const { extra } = target;
  if (extra === undefined) return;
  if (extra[SHARED] === undefined) return reportNotPortableResidue(target, context);
  const { [SHARED]: _, ...others } = extra;
  reportNotPortableResidue({ extra: others }, context);
}
