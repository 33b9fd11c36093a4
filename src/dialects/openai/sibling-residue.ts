// Restores residue of the sibling dialect (Responses for Chat, Chat for Responses): fields without a canonical
// counterpart that both dialects have, some of them under different names.
import type { JsonObject } from "../../model/json/index.ts";
import { copyObject, sameJson } from "../../model/json/index.ts";
import type { WithExtra } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { copyField, isObject } from "../kit/fields/read-wire.ts";

const CHAT = "openai-chat";
const RESPONSES = "openai-responses";

type FieldPath = readonly [string, string?];
type SharedField = readonly [chat: FieldPath, responses: FieldPath];

function sameField(...path: FieldPath): SharedField {
  return [path, path];
}

export const SHARED_SETTINGS: readonly SharedField[] = [
  sameField("store"),
  sameField("user"),
  sameField("safety_identifier"),
  sameField("service_tier"),
  sameField("moderation"),
  sameField("prompt_cache_key"),
  sameField("prompt_cache_options", "mode"),
  sameField("prompt_cache_retention"),
  sameField("stream_options", "include_obfuscation"),
  [["verbosity"], ["text", "verbosity"]],
];
export const SHARED_RESPONSE_FIELDS: readonly SharedField[] = [sameField("service_tier")];
export const SHARED_IMAGE_FIELDS: readonly SharedField[] = [[["image_url", "detail"], ["detail"]]];

export function siblingDialect(dialect: string): string {
  return dialect === CHAT ? RESPONSES : CHAT;
}

/**
 * Returns the residue that the sibling dialect stored in a request, response or part; an empty object if there is none.
 */
export function readSiblingResidue({ extra }: WithExtra, { dialect }: EncodeContext): JsonObject {
  return extra?.[siblingDialect(dialect)] ?? {};
}

/**
 * Copies the fields in `rows` from the residue of the sibling dialect into the wire object. Returns the target with the
 * residue that was not copied, so that the caller can report it. The caller must first restore the residue of its own
 * dialect, which takes precedence.
 */
export function restoreSiblingFields<Target extends WithExtra>(
  wire: JsonObject,
  target: Target,
  rows: readonly SharedField[],
  { dialect }: EncodeContext,
): Target {
  const sibling = siblingDialect(dialect);
  const residue = target.extra?.[sibling];
  if (residue === undefined) return target;
  const unmoved = copyObject(residue);
  for (const [chat, responses] of rows) {
    const [from, to] = dialect === CHAT ? [responses, chat] : [chat, responses];
    moveField(unmoved, from, wire, to);
  }
  return { ...target, extra: { ...target.extra, [sibling]: unmoved } };
}

function moveField(
  unmoved: JsonObject,
  [from, fromInner]: FieldPath,
  wire: JsonObject,
  [to, toInner]: FieldPath,
): void {
  const source = fromInner === undefined ? unmoved : unmoved[from];
  const field = fromInner ?? from;
  if (!isObject(source) || !Object.hasOwn(source, field)) return;
  let destination = wire;
  if (toInner !== undefined) {
    const existing = wire[to] ?? {};
    if (!isObject(existing)) return;
    // The object is copied, because it can belong to the residue of the caller's request.
    wire[to] = destination = copyObject(existing);
  }
  const name = toInner ?? to;
  if (Object.hasOwn(destination, name) && !sameJson(destination[name], source[field])) return;
  copyField(source, field, destination, name);
  if (fromInner === undefined) delete unmoved[from];
  else {
    const rest = copyObject(source);
    delete rest[field];
    if (Object.keys(rest).length > 0) unmoved[from] = rest;
    else delete unmoved[from];
  }
}
