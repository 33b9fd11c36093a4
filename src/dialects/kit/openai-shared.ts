// What OpenAI's two wires, Chat and Responses, share although the model has no word for it: fields that each has, at
// times in another place, file ids, and limits that both set.
import type { JsonObject } from "../../model/json.ts";
import { copyObject, sameJson } from "../../model/json.ts";
import type { Extra, FilePart, Issuer } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { copyField, isObject } from "./read.ts";
import type { LossDeclaration } from "./report.ts";
import { isSealFor } from "./residue.ts";
import { BLANK_LINE } from "./system.ts";

const CHAT = "openai-chat";
const RESPONSES = "openai-responses";

interface Carrier {
  extra?: Extra;
}
type Steps = readonly [string, string?];
type SharedRow = readonly [chat: Steps, responses: Steps];

function same(...steps: Steps): SharedRow {
  return [steps, steps];
}

export const SHARED_SETTINGS: readonly SharedRow[] = [
  same("store"),
  same("user"),
  same("safety_identifier"),
  same("service_tier"),
  same("moderation"),
  same("prompt_cache_key"),
  same("prompt_cache_options", "mode"),
  same("prompt_cache_retention"),
  same("stream_options", "include_obfuscation"),
  [["verbosity"], ["text", "verbosity"]],
];
export const SHARED_ECHO: readonly SharedRow[] = [same("service_tier")];
export const SHARED_IMAGE: readonly SharedRow[] = [[["image_url", "detail"], ["detail"]]];

function siblingOf(dialect: string): string {
  return dialect === CHAT ? RESPONSES : CHAT;
}

/** What the sibling has kept of a request, response or part. */
export function siblingResidue({ extra }: Carrier, { dialect }: EncodeContext): JsonObject {
  return extra?.[siblingOf(dialect)] ?? {};
}

/**
 * Writes what the sibling has kept where this wire has the very field. It gives what is left to report, with the
 * residue that did not go out. Call it when the wire's own residue is back in place: that wins.
 */
export function carryShared<Target extends Carrier>(
  wire: JsonObject,
  target: Target,
  rows: readonly SharedRow[],
  { dialect }: EncodeContext,
): Target {
  const sibling = siblingOf(dialect);
  const kept = target.extra?.[sibling];
  if (kept === undefined) return target;
  const left = copyObject(kept);
  for (const [chat, responses] of rows) {
    const [from, to] = dialect === CHAT ? [responses, chat] : [chat, responses];
    carry(left, from, wire, to);
  }
  return { ...target, extra: { ...target.extra, [sibling]: left } };
}

function carry(left: JsonObject, [from, fromInner]: Steps, wire: JsonObject, [to, toInner]: Steps): void {
  const source = fromInner === undefined ? left : left[from];
  const field = fromInner ?? from;
  if (!isObject(source) || !Object.hasOwn(source, field)) return;
  let goal = wire;
  if (toInner !== undefined) {
    const there = wire[to] ?? {};
    if (!isObject(there)) return;
    // It may be somebody's residue.
    wire[to] = goal = copyObject(there);
  }
  const name = toInner ?? to;
  if (Object.hasOwn(goal, name) && !sameJson(goal[name], source[field])) return;
  copyField(source, field, goal, name);
  if (fromInner === undefined) delete left[from];
  else {
    const rest = copyObject(source);
    delete rest[field];
    if (Object.keys(rest).length > 0) left[from] = rest;
    else delete left[from];
  }
}

/** Whether a file's id means something to the target: files are the provider's, whichever wire speaks of them (B5). */
export function isFileOf(issuer: Issuer | undefined, target: EncodeContext): boolean {
  if (issuer === undefined || isSealFor(issuer, target)) return true;
  const { dialect, provider } = issuer;
  return dialect === siblingOf(target.dialect) && provider !== undefined && provider === target.provider;
}

/** The text of a document that is made of nothing but texts. */
export function textOfContent({ content }: Pick<FilePart, "content">): string | undefined {
  if (content === undefined || content.length === 0) return undefined;
  const texts: string[] = [];
  for (const part of content) {
    if (part.type !== "text") return undefined;
    texts.push(part.text);
  }
  return texts.join(BLANK_LINE);
}

export const metadataUnfit = {
  "metadata-unfit": {
    action: "repaired",
    level: "loss",
    message: "The target takes 16 strings of up to 512 characters, under names of up to 64; it was left out.",
  },
} as const satisfies Record<string, LossDeclaration>;

const MAX_KEYS = 16;
const MAX_KEY = 64;
const MAX_VALUE = 512;

/** The metadata that OpenAI takes: a few short strings. The rest is reported; undefined where nothing is left. */
export function fittingMetadata(
  metadata: Readonly<Record<string, unknown>>,
  { repair, report }: EncodeContext<"metadata-unfit">,
): JsonObject | undefined {
  const fitting: JsonObject = {};
  const keys = Object.keys(metadata);
  let count = 0;
  for (const key of repair ? keys : []) {
    const value = metadata[key];
    const isFit = typeof value === "string" && value.length <= MAX_VALUE && key.length <= MAX_KEY;
    if (!isFit || count === MAX_KEYS) report.addLoss("metadata-unfit", ["metadata", key]);
    else {
      copyField(metadata, key, fitting);
      count++;
    }
  }
  // Metadata is JSON by contract.
  if (!repair || count === keys.length) return metadata as JsonObject;
  return count === 0 ? undefined : fitting;
}
