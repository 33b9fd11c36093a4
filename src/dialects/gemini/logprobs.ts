// Log probabilities: said of a whole candidate on the wire, of its text in the model.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Logprob } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { FieldTable } from "../kit/fields.ts";
import { copyField, isObject } from "../kit/read.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../kit/residue.ts";
import type { Code } from "./losses.ts";
import type { GeminiLogprob, GeminiLogprobs } from "./types.ts";

const FIELDS = new FieldTable<"token" | "logprob" | "tokenId">([
  ["token", "token", "string"],
  ["logProbability", "logprob", "number"],
  ["tokenId", "tokenId", "number"],
]);

/** One token; undefined where it says more, or less, than the model has words for. */
function decodeToken(wire: JsonValue | undefined): Logprob | undefined {
  if (!isObject(wire)) return undefined;
  const token: Partial<Logprob> = {};
  for (const key of Object.keys(wire)) if (!FIELDS.decode(wire, key, token)) return undefined;
  const { token: text, logprob } = token;
  return text === undefined || logprob === undefined ? undefined : (token as Logprob);
}

/** The tokens of a candidate; undefined where they would not come back exactly. */
export function decodeLogprobs({ chosenCandidates: chosen, topCandidates: top }: JsonObject): Logprob[] | undefined {
  if (!Array.isArray(chosen) || chosen.length === 0) return undefined;
  if (top !== undefined && (!Array.isArray(top) || top.length !== chosen.length)) return undefined;
  const tokens: Logprob[] = [];
  for (const [at, each] of chosen.entries()) {
    const token = decodeToken(each);
    if (token === undefined) return undefined;
    if (top !== undefined) {
      const step = top[at];
      if (!isObject(step) || !Array.isArray(step["candidates"]) || Object.keys(step).length > 1) return undefined;
      const likeliest = step["candidates"].map(decodeToken);
      if (!likeliest.every((one) => one !== undefined)) return undefined;
      token.top = likeliest;
    }
    tokens.push(token);
  }
  return tokens;
}

const CARRIED: ReadonlySet<string> = new Set(["token", "logprob", "tokenId", "top", "extra"]);

function encodeToken(token: Logprob, context: EncodeContext<Code>): GeminiLogprob {
  const wire: GeminiLogprob = { token: token.token, logProbability: 0 };
  copyField(token, "logprob", wire, "logProbability");
  if (token.tokenId !== undefined) copyField(token, "tokenId", wire);
  reportUnsupportedFields(token, CARRIED, context, "field-unsaid");
  reportNotPortableResidue(token, context);
  return wire;
}

/** Adds the tokens of a text to those of its candidate; the trail stands at the part. */
export function addLogprobs(tokens: readonly Logprob[], result: GeminiLogprobs, context: EncodeContext<Code>): void {
  const { chosenCandidates } = result;
  context.pathTracker.each("logprobs", tokens, (token) => {
    chosenCandidates.push(encodeToken(token, context));
    const { top } = token;
    if (top === undefined && result.topCandidates === undefined) return;
    // One list for every token, where there is any.
    result.topCandidates ??= chosenCandidates.slice(1).map(() => ({ candidates: [] }));
    const candidates = context.pathTracker.each("top", top ?? [], (each) => encodeToken(each, context));
    result.topCandidates.push({ candidates });
  });
}
