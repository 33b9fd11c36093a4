// Reasoning: summaries, the raw text where a model shows it, and the seals that let the provider go on from it.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Part, ReasoningPart } from "../../model/parts.ts";
import { keepOthers, noteAbsent } from "../kit/openai-reading.ts";
import { isObject } from "../kit/read.ts";
import { storeForm, restoreResidue } from "../kit/residue.ts";
import { addSeal, sealOf } from "../kit/seals.ts";
import { keepsItem } from "./encode-tools.ts";
import type { Reading } from "./reading.ts";
import { readItemId } from "./reading.ts";
import type { Writing } from "./writing.ts";
import { carrying, isMadeId, itemId, reportPart, spelled, wasAbsent } from "./writing.ts";

const ENCRYPTED = "encrypted_content";

/** The texts of a list of blocks that say nothing else; undefined where there is more to them. */
function textsOf(list: JsonValue | undefined, type: string): string[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const texts: string[] = [];
  for (const block of list) {
    if (!isObject(block) || block["type"] !== type || typeof block["text"] !== "string") return undefined;
    if (Object.keys(block).length > 2) return undefined;
    texts.push(block["text"]);
  }
  return texts;
}

/** Undefined where it says more than a part can hold. */
export function decodeReasoning(item: JsonObject, reading: Reading): ReasoningPart | undefined {
  const { context } = reading;
  const { summary, content, [ENCRYPTED]: encrypted } = item;
  const part: ReasoningPart = { type: "reasoning", text: "" };
  const known = ["type"];
  if (Array.isArray(summary)) {
    const texts = textsOf(summary, "summary_text");
    if (texts === undefined) return undefined;
    if (texts.length > 0) part.summary = texts;
    known.push("summary");
  }
  if (Array.isArray(content)) {
    const [text = "", more] = textsOf(content, "reasoning_text") ?? [];
    if (content.length > 0 && (text === "" || more !== undefined)) return undefined;
    if (text === "") storeForm(part, context.dialect, "content", []);
    part.text = text;
    known.push("content");
  }
  if (readItemId(part, item, reading)) known.push("id");
  else storeForm(part, context.dialect, "bare", true);
  if (typeof encrypted === "string") {
    addSeal(part, "encrypted", encrypted, context);
    known.push(ENCRYPTED);
  }
  noteAbsent(part, item, ["summary"], context);
  keepOthers(part, item, known, context);
  return part;
}

const REASONING = carrying("text", "summary");

/** The item; undefined where only another could go on from it, or nobody. */
export function encodeReasoning(
  part: ReasoningPart,
  follower: Part | undefined,
  writing: Writing,
): JsonObject | undefined {
  const { context, seed } = writing;
  const encrypted = sealOf(part, "encrypted", context);
  const sealed = sealOf(part, "id", context);
  const { bare, content } = spelled(part, context);
  if (seed === undefined && sealed === undefined && encrypted === undefined && (context.repair || bare !== true)) {
    // What it led to must not say so: its id would ask for it.
    writing.withholdsIds ||= context.repair;
    context.report.addLoss("reasoning-unsaid");
    return undefined;
  }
  if (seed === undefined && context.repair && isRefused(sealed, encrypted, follower, writing)) {
    writing.withholdsIds = true;
    context.report.addLoss("reasoning-unpaired");
    return undefined;
  }
  const id = itemId(part, "rs", writing);
  reportPart(part, REASONING, writing, id === undefined || id !== sealed ? undefined : "id", "encrypted");
  const item: JsonObject = { type: "reasoning" };
  if (id !== undefined) item["id"] = id;
  if (encrypted !== undefined) item[ENCRYPTED] = encrypted;
  const { summary = [], text } = part;
  if (summary.length > 0 || !isUnsaid(part, "summary", context)) {
    item["summary"] = summary.map((each) => ({ type: "summary_text", text: each }));
  }
  if (text !== "") item["content"] = [{ type: "reasoning_text", text }];
  else if (Array.isArray(content)) item["content"] = [];
  restoreResidue(item, part, context);
  return item;
}

function isUnsaid(part: ReasoningPart, field: string, context: Writing["context"]): boolean {
  return wasAbsent(part, field, context) || part.extra?.[context.dialect]?.[field] !== undefined;
}

/**
 * Reasoning must be followed by what was said or asked next (B12). What goes by its id alone must be stored as well, and
 * its follower have its id, too (B13).
 */
function isRefused(
  id: string | undefined,
  encrypted: string | undefined,
  follower: Part | undefined,
  writing: Writing,
): boolean {
  if (follower === undefined) return true;
  if (encrypted !== undefined) return false;
  if (id === undefined || id === "" || isMadeId(id) || writing.isStateless) return true;
  if (follower.type === "opaque") return !isObject(follower.value) || typeof follower.value["id"] !== "string";
  if (follower.type === "tool-call") {
    if (follower.executor === "provider") return false;
    if (!keepsItem(follower, writing)) return true;
  }
  return sealOf(follower, "id", writing.context) === undefined;
}
