// Log probabilities of tokens, each with the likeliest tokens in its place.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Logprob } from "../../model/parts.ts";
import { keepOthers, noteAbsent } from "../kit/openai-reading.ts";
import { copyField, isObject } from "../kit/read.ts";
import { reportNotPortableResidue, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import type { Reading } from "./reading.ts";
import type { Writing } from "./writing.ts";
import { isFree } from "./writing.ts";

const TOP = "top_logprobs";

/** A list of tokens; undefined where it is not one. */
export function decodeLogprobs(list: JsonValue | undefined, reading: Reading, isTop = false): Logprob[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const tokens: Logprob[] = [];
  for (const wire of list) {
    const token = isObject(wire) ? decodeToken(wire, isTop, reading) : undefined;
    if (token === undefined) return undefined;
    tokens.push(token);
  }
  return tokens;
}

function decodeToken(wire: JsonObject, isTop: boolean, reading: Reading): Logprob | undefined {
  const { token, logprob, bytes } = wire;
  if (typeof token !== "string" || typeof logprob !== "number") return undefined;
  const read: Logprob = { token, logprob };
  copyField(wire, "logprob", read);
  const known = ["token", "logprob"];
  if (bytes === null) known.push("bytes");
  else if (Array.isArray(bytes) && bytes.every(isByte)) {
    read.bytes = bytes;
    known.push("bytes");
  }
  const top = decodeLogprobs(wire[TOP], reading, true);
  if (top !== undefined && (!isTop || top.length > 0)) {
    if (top.length > 0) read.top = top;
    known.push(TOP);
  }
  noteAbsent(read, wire, isTop ? ["bytes"] : ["bytes", TOP], reading.context);
  keepOthers(read, wire, known, reading.context);
  return read;
}

function isByte(value: JsonValue): value is number {
  return Number.isInteger(value) && Number(value) >= 0;
}

const CARRIED: ReadonlySet<string> = new Set(["token", "logprob", "bytes", "top", "extra"]);

/** The tokens, where the trail stands at what they belong to. */
export function encodeLogprobs(list: readonly Logprob[], writing: Writing, field = "logprobs"): JsonValue[] {
  return writing.context.pathTracker.each(field, list, (token) => encodeToken(token, field === "top", writing));
}

function encodeToken(token: Logprob, isTop: boolean, writing: Writing): JsonObject {
  const { context } = writing;
  const wire: JsonObject = { token: token.token };
  copyField(token, "logprob", wire);
  if (token.bytes !== undefined) wire["bytes"] = token.bytes;
  else if (isFree(token, "bytes", writing)) wire["bytes"] = null;
  if (token.top !== undefined) wire[TOP] = encodeLogprobs(token.top, writing, "top");
  else if (!isTop && isFree(token, TOP, writing)) wire[TOP] = [];
  reportUnsupportedFields(token, CARRIED, context, "field-unsaid");
  if (token.extra !== undefined) {
    reportNotPortableResidue(token, context);
    restoreResidue(wire, token, context);
  }
  return wire;
}
