// Decodes and encodes reasoning items: summaries, the raw text if the model reveals it, and the seals with which the
// provider continues the reasoning.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Part, ReasoningPart } from "../../../model/parts.ts";
import { storeUnknownFields, storeAbsentFields } from "../../openai/unknown-fields.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { storeForm, restoreResidue } from "../../kit/residue/residue.ts";
import { addSeal, findSealValue } from "../../kit/seals/seals.ts";
import { hasOwnItem } from "./encode-tool-items.ts";
import type { ResponsesDecodeState } from "../decode-state.ts";
import { decodeItemId } from "../decode-state.ts";
import type { ResponsesEncodeState } from "../encode-state.ts";
import { supportedFields, isMadeId, encodeItemId, reportPart, readOwnForm, wasOmitted } from "../encode-state.ts";

const ENCRYPTED_FIELD = "encrypted_content";

/** Returns the texts of a list of blocks; undefined if an entry is not a block of the type or has further fields. */
function readTexts(list: JsonValue | undefined, type: string): string[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const texts: string[] = [];
  for (const block of list) {
    if (!isObject(block) || block["type"] !== type || typeof block["text"] !== "string") return undefined;
    if (Object.keys(block).length > 2) return undefined;
    texts.push(block["text"]);
  }
  return texts;
}

/** Decodes a reasoning item. Returns undefined if the item has content that a reasoning part cannot express. */
export function decodeReasoning(item: JsonObject, state: ResponsesDecodeState): ReasoningPart | undefined {
  const { context } = state;
  const { summary, content, [ENCRYPTED_FIELD]: encrypted } = item;
  const part: ReasoningPart = { type: "reasoning", text: "" };
  const known = ["type"];
  if (Array.isArray(summary)) {
    const texts = readTexts(summary, "summary_text");
    if (texts === undefined) return undefined;
    if (texts.length > 0) part.summary = texts;
    known.push("summary");
  }
  if (Array.isArray(content)) {
    const [text = "", more] = readTexts(content, "reasoning_text") ?? [];
    if (content.length > 0 && (text === "" || more !== undefined)) return undefined;
    if (text === "") storeForm(part, context.dialect, "content", []);
    part.text = text;
    known.push("content");
  }
  if (decodeItemId(part, item, state)) known.push("id");
  else storeForm(part, context.dialect, "bare", true);
  if (typeof encrypted === "string") {
    addSeal(part, "encrypted", encrypted, context);
    known.push(ENCRYPTED_FIELD);
  }
  storeAbsentFields(part, item, ["summary"], context);
  storeUnknownFields(part, item, known, context);
  return part;
}

const SUPPORTED = supportedFields("text", "summary");

/**
 * Encodes reasoning. Returns undefined and reports a loss if the target cannot continue from the reasoning. `follower`
 * is the next part that is encoded.
 */
export function encodeReasoning(
  part: ReasoningPart,
  follower: Part | undefined,
  state: ResponsesEncodeState,
): JsonObject | undefined {
  const { context, idSeed } = state;
  const encrypted = findSealValue(part, "encrypted", context);
  const sealed = findSealValue(part, "id", context);
  const { bare, content } = readOwnForm(part, context);
  if (idSeed === undefined && sealed === undefined && encrypted === undefined && (context.repair || bare !== true)) {
    // The following items must omit their ids, because the provider rejects an item id without the reasoning that
    // belongs to it.
    state.withholdsIds ||= context.repair;
    context.report.addLoss("reasoning-unsupported");
    return undefined;
  }
  if (idSeed === undefined && context.repair && isRejected(sealed, encrypted, follower, state)) {
    state.withholdsIds = true;
    context.report.addLoss("reasoning-unpaired");
    return undefined;
  }
  const id = encodeItemId(part, "rs", state);
  reportPart(part, SUPPORTED, state, id === undefined || id !== sealed ? undefined : "id", "encrypted");
  const item: JsonObject = { type: "reasoning" };
  if (id !== undefined) item["id"] = id;
  if (encrypted !== undefined) item[ENCRYPTED_FIELD] = encrypted;
  const { summary = [], text } = part;
  if (summary.length > 0 || !wasOmitted(part, "summary", context)) {
    item["summary"] = summary.map((each) => ({ type: "summary_text", text: each }));
  }
  if (text !== "") item["content"] = [{ type: "reasoning_text", text }];
  else if (Array.isArray(content)) item["content"] = [];
  restoreResidue(item, part, context);
  return item;
}

/**
 * True if the API would reject the reasoning. A message or call must follow it (B12). Without encrypted content, the
 * provider must have stored the reasoning, and the following item must have an id (B13).
 */
function isRejected(
  id: string | undefined,
  encrypted: string | undefined,
  follower: Part | undefined,
  state: ResponsesEncodeState,
): boolean {
  if (follower === undefined) return true;
  if (encrypted !== undefined) return false;
  if (id === undefined || id === "" || isMadeId(id) || state.isStateless) return true;
  if (follower.type === "opaque") return !isObject(follower.value) || typeof follower.value["id"] !== "string";
  if (follower.type === "tool-call") {
    if (follower.executor === "provider") return false;
    if (!hasOwnItem(follower, state)) return true;
  }
  return findSealValue(follower, "id", state.context) === undefined;
}
