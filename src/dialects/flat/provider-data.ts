// `extra` on the wire: provider data by provider name. Most of it is the message's residue of that provider's dialect;
// thinking blocks and thought signatures become seals; what cannot come back under its key stays this dialect's own.
import { setOwn } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import { isObject } from "../read.ts";
import { keepFields } from "../residue.ts";
import type { FlatContext, FlatLoss } from "./losses.ts";
import { ANTHROPIC, dialectOfKey, FLAT, GEMINI, keyOfDialect, THINKING_BLOCKS } from "./names.ts";

export const THOUGHT_SIGNATURES = "thought_signatures";

/** The lists that become seals, by dialect, and what to say where they no longer fit. */
const SEALING: Readonly<Record<string, { field: string; stale: FlatLoss }>> = {
  [ANTHROPIC]: { field: THINKING_BLOCKS, stale: "thinking-blocks-stale" },
  [GEMINI]: { field: THOUGHT_SIGNATURES, stale: "thought-signatures-stale" },
};

function sealingOf(dialect: string): { field: string; stale: FlatLoss } | undefined {
  return Object.hasOwn(SEALING, dialect) ? SEALING[dialect] : undefined;
}

/** The sealing lists of one message, by dialect. */
export type SealLists = { [dialect in typeof ANTHROPIC | typeof GEMINI]?: JsonValue[] };

/** Moves provider data to where the model has it, and returns the lists that become seals. */
export function decodeProviderData(
  wire: JsonObject,
  message: Message,
  sealing: readonly (keyof SealLists)[],
): SealLists {
  const { extra } = wire;
  const lists: SealLists = {};
  if (extra === undefined) return lists;
  if (!isObject(extra) || Object.keys(extra).length === 0) {
    keepFields(message, FLAT, { extra });
    return lists;
  }
  const own: JsonObject = {};
  for (const key of Object.keys(extra)) {
    const data = extra[key] ?? null;
    const dialect = dialectOfKey(key);
    if (dialect === undefined || !isObject(data)) setOwn(own, key, data);
    else
      keepProviderData(
        message,
        dialect,
        takeList(
          data,
          sealing.find((each) => each === dialect),
          lists,
        ),
      );
  }
  if (Object.keys(own).length > 0) keepFields(message, FLAT, { extra: own });
  return lists;
}

/** Takes the sealing list out of a provider's data; undefined if nothing else is there. */
function takeList(data: JsonObject, dialect: keyof SealLists | undefined, lists: SealLists): JsonObject | undefined {
  const field = dialect === undefined ? undefined : sealingOf(dialect)?.field;
  const list = field !== undefined && Object.hasOwn(data, field) ? data[field] : undefined;
  if (dialect === undefined || field === undefined || !Array.isArray(list)) return data;
  lists[dialect] = list;
  const rest = without(data, field);
  return Object.keys(rest).length > 0 ? rest : undefined;
}

function without(data: JsonObject, field: string): JsonObject {
  const { [field]: _, ...rest } = data;
  return rest;
}

function keepProviderData(message: Message, dialect: string, data: JsonObject | undefined): void {
  if (data === undefined) return;
  message.extra ??= {};
  setOwn(message.extra, dialect, data);
}

/** Keeps what a sealing list says about nothing here, so that every encoder has to report it. */
export function keepStale(message: Message, dialect: keyof SealLists, list: JsonValue[] | undefined): void {
  const key = keyOfDialect(dialect);
  const field = sealingOf(dialect)?.field;
  if (list === undefined || list.length === 0 || key === undefined || field === undefined) return;
  const own = message.extra?.[FLAT]?.["extra"];
  keepFields(message, FLAT, { extra: { ...(isObject(own) ? own : {}), [key]: { [field]: list } } });
}

/** Writes `extra`: the message's residue of other dialects, the sealing lists, and what had stayed this dialect's own. */
export function encodeProviderData(
  message: Message | undefined,
  lists: SealLists,
  sealing: readonly string[],
  context: FlatContext,
): JsonValue | undefined {
  const written: JsonObject = {};
  for (const dialect of Object.keys(message?.extra ?? {})) {
    const residue = message?.extra?.[dialect];
    if (dialect === FLAT || residue === undefined) continue;
    const key = keyOfDialect(dialect);
    if (key === undefined) context.report.lose("residue-foreign", ["extra", dialect]);
    else setOwn(written, key, withoutClash(residue, dialect, lists, sealing, context));
  }
  for (const dialect of [ANTHROPIC, GEMINI] as const) {
    const list = lists[dialect];
    const key = keyOfDialect(dialect);
    const field = sealingOf(dialect)?.field;
    if (list === undefined || key === undefined || field === undefined) continue;
    const beside = written[key];
    written[key] = { ...(isObject(beside) ? beside : {}), [field]: list };
  }
  return withOwn(written, message, context);
}

/** A provider's residue without a field that is, or would be read as, a sealing list. */
function withoutClash(
  residue: JsonObject,
  dialect: string,
  lists: SealLists,
  sealing: readonly string[],
  context: FlatContext,
): JsonObject {
  const field = sealingOf(dialect)?.field;
  if (field === undefined || !Object.hasOwn(residue, field)) return residue;
  const replaced = (dialect === ANTHROPIC || dialect === GEMINI) && lists[dialect] !== undefined;
  if (!replaced && !(sealing.includes(dialect) && Array.isArray(residue[field]))) return residue;
  context.report.lose("residue-clash", ["extra", dialect, field]);
  return without(residue, field);
}

/** Adds what had stayed this dialect's own; stale lists are reported instead. */
function withOwn(written: JsonObject, message: Message | undefined, context: FlatContext): JsonValue | undefined {
  const own = message?.extra?.[FLAT]?.["extra"];
  const isEmpty = Object.keys(written).length === 0;
  if (own === undefined || !isObject(own)) {
    if (own === undefined || isEmpty) return isEmpty ? own : written;
    context.report.lose("residue-clash", ["extra", FLAT, "extra"]);
    return written;
  }
  let left = Object.keys(own).length === 0;
  for (const key of Object.keys(own)) {
    const data = own[key] ?? null;
    if (isObject(data) && dialectOfKey(key) !== undefined) reportStale(key, data, context);
    else if (Object.hasOwn(written, key)) context.report.lose("residue-clash", ["extra", FLAT, "extra", key]);
    else {
      setOwn(written, key, data);
      left = true;
    }
  }
  return isEmpty && !left ? undefined : written;
}

function reportStale(key: string, data: JsonObject, context: FlatContext): void {
  const sealing = sealingOf(dialectOfKey(key) ?? key);
  for (const field of Object.keys(data)) {
    const code = field === sealing?.field ? sealing.stale : "residue-clash";
    context.report.lose(code, ["extra", FLAT, "extra", key, field]);
  }
}
