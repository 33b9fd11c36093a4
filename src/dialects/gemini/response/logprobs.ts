// Decodes and encodes log probabilities. On the wire they belong to a candidate; in the canonical model they belong to
// its only text part.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Logprob } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import { FieldTable } from "../../kit/fields/field-table.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import type { GeminiLossCode } from "../losses.ts";
import type { GeminiLogprob, GeminiLogprobs } from "../types.ts";

const TOKEN_FIELDS = new FieldTable<"token" | "logprob" | "tokenId">([
  ["token", "token", "string"],
  ["logProbability", "logprob", "number"],
  ["tokenId", "tokenId", "number"],
]);

/**
 * Decodes one token; returns undefined if the token or its log probability is missing, or if a field has no canonical
 * equivalent.
 */
function decodeToken(wire: JsonValue | undefined): Logprob | undefined {
  if (!isObject(wire)) return undefined;
  const token: Partial<Logprob> = {};
  for (const key of Object.keys(wire)) if (!TOKEN_FIELDS.decode(wire, key, token)) return undefined;
  const { token: text, logprob } = token;
  return text === undefined || logprob === undefined ? undefined : (token as Logprob);
}

/** Decodes the tokens of a candidate; returns undefined if the encoder could not restore them exactly. */
export function decodeLogprobs({ chosenCandidates: chosen, topCandidates: top }: JsonObject): Logprob[] | undefined {
  if (!Array.isArray(chosen) || chosen.length === 0) return undefined;
  if (top !== undefined && (!Array.isArray(top) || top.length !== chosen.length)) return undefined;
  const tokens: Logprob[] = [];
  for (const [at, each] of chosen.entries()) {
    const token = decodeToken(each);
    if (token === undefined) return undefined;
    if (top !== undefined) {
      const topEntry = top[at];
      if (!isObject(topEntry) || !Array.isArray(topEntry["candidates"]) || Object.keys(topEntry).length > 1)
        return undefined;
      const topTokens = topEntry["candidates"].map(decodeToken);
      if (!topTokens.every((one) => one !== undefined)) return undefined;
      token.top = topTokens;
    }
    tokens.push(token);
  }
  return tokens;
}

const LOGPROB_FIELDS: ReadonlySet<string> = new Set(["token", "logprob", "tokenId", "top", "extra"]);

function encodeToken(token: Logprob, context: EncodeContext<GeminiLossCode>): GeminiLogprob {
  const wire: GeminiLogprob = { token: token.token, logProbability: 0 };
  copyField(token, "logprob", wire, "logProbability");
  if (token.tokenId !== undefined) copyField(token, "tokenId", wire);
  reportUnsupportedFields(token, LOGPROB_FIELDS, context, "field-unsupported");
  reportNotPortableResidue(token, context);
  return wire;
}

/** Appends the log probabilities of a text to those of its candidate. The path tracker must be at the part. */
export function addLogprobs(
  tokens: readonly Logprob[],
  result: GeminiLogprobs,
  context: EncodeContext<GeminiLossCode>,
): void {
  const { chosenCandidates } = result;
  context.pathTracker.each("logprobs", tokens, (token) => {
    chosenCandidates.push(encodeToken(token, context));
    const { top } = token;
    if (top === undefined && result.topCandidates === undefined) return;
    // If at least one token has top tokens, every token gets a list, which may be empty.
    result.topCandidates ??= chosenCandidates.slice(1).map(() => ({ candidates: [] }));
    const candidates = context.pathTracker.each("top", top ?? [], (each) => encodeToken(each, context));
    result.topCandidates.push({ candidates });
  });
}
