// Decodes and encodes log probabilities of tokens, each with the most likely alternatives.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Logprob } from "../../../model/parts.ts";
import { storeUnknownFields, storeAbsentFields } from "../../openai/unknown-fields.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import type { ChatDecodeState } from "../decode-state.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { canFillField } from "../encode-state.ts";

const TOP_LOGPROBS = "top_logprobs";

/**
 * Returns the decoded tokens; undefined if the value is not a list of tokens. `isTop` is true for the alternatives of a
 * token.
 */
export function decodeLogprobs(
  list: JsonValue | undefined,
  state: ChatDecodeState,
  isTop = false,
): Logprob[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const tokens: Logprob[] = [];
  for (const wire of list) {
    const token = isObject(wire) ? decodeToken(wire, isTop, state) : undefined;
    if (token === undefined) return undefined;
    tokens.push(token);
  }
  return tokens;
}

function decodeToken(wire: JsonObject, isTop: boolean, state: ChatDecodeState): Logprob | undefined {
  const { token, logprob, bytes } = wire;
  if (typeof token !== "string" || typeof logprob !== "number") return undefined;
  const decoded: Logprob = { token, logprob };
  copyField(wire, "logprob", decoded);
  const known = ["token", "logprob"];
  if (bytes === null) known.push("bytes");
  else if (Array.isArray(bytes) && bytes.every(isByte)) {
    decoded.bytes = bytes;
    known.push("bytes");
  }
  const top = decodeLogprobs(wire[TOP_LOGPROBS], state, true);
  if (top !== undefined && (!isTop || top.length > 0)) {
    if (top.length > 0) decoded.top = top;
    known.push(TOP_LOGPROBS);
  }
  storeAbsentFields(decoded, wire, isTop ? ["bytes"] : ["bytes", TOP_LOGPROBS], state.context);
  storeUnknownFields(decoded, wire, known, state.context);
  return decoded;
}

function isByte(value: JsonValue): value is number {
  return Number.isInteger(value) && Number(value) >= 0;
}

const SUPPORTED: ReadonlySet<string> = new Set(["token", "logprob", "bytes", "top", "extra"]);

/** Encodes tokens. The path tracker must be at the part of the tokens, or for alternatives at their token. */
export function encodeLogprobs(list: readonly Logprob[], state: ChatEncodeState, field = "logprobs"): JsonValue[] {
  return state.context.pathTracker.each(field, list, (token) => encodeToken(token, field === "top", state));
}

function encodeToken(token: Logprob, isTop: boolean, state: ChatEncodeState): JsonObject {
  const { context } = state;
  const wire: JsonObject = { token: token.token };
  copyField(token, "logprob", wire);
  if (token.bytes !== undefined) wire["bytes"] = token.bytes;
  else if (canFillField(token, "bytes", state)) wire["bytes"] = null;
  if (token.top !== undefined) wire[TOP_LOGPROBS] = encodeLogprobs(token.top, state, "top");
  else if (!isTop && canFillField(token, TOP_LOGPROBS, state)) wire[TOP_LOGPROBS] = [];
  reportUnsupportedFields(token, SUPPORTED, context, "field-unsupported");
  if (token.extra !== undefined) {
    reportNotPortableResidue(token, context);
    restoreResidue(wire, token, context);
  }
  return wire;
}
