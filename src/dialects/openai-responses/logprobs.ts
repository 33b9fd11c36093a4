// Log probabilities of tokens, exact to the digit (B60).
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Logprob } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { keepOthers } from "../kit/openai-reading.ts";
import { copyField, isObject } from "../kit/read.ts";
import { reportNotPortableResidue, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import type { Writing } from "./writing.ts";

const TOP = "top_logprobs";

/** The tokens of a list; undefined where one of them cannot be read. */
export function decodeLogprobs(list: readonly JsonValue[], context: DecodeContext): Logprob[] | undefined {
  const logprobs: Logprob[] = [];
  for (const wire of list) {
    if (!isObject(wire) || typeof wire["token"] !== "string" || typeof wire["logprob"] !== "number") return undefined;
    const { token, bytes, [TOP]: tops } = wire;
    const logprob: Logprob = { token, logprob: 0 };
    copyField(wire, "logprob", logprob);
    const known = ["token", "logprob"];
    if (Array.isArray(bytes) && bytes.every((byte) => typeof byte === "number")) {
      logprob.bytes = bytes;
      known.push("bytes");
    }
    const top = Array.isArray(tops) ? decodeLogprobs(tops, context) : undefined;
    if (top !== undefined) {
      logprob.top = top;
      known.push(TOP);
    }
    keepOthers(logprob, wire, known, context);
    logprobs.push(logprob);
  }
  return logprobs;
}

const CARRIED: ReadonlySet<string> = new Set(["token", "logprob", "bytes", "top", "extra"]);

/** The trail stands at the list. */
export function encodeLogprobs(logprobs: readonly Logprob[], writing: Writing): JsonObject[] {
  const { context } = writing;
  return context.pathTracker.each(undefined, logprobs, (logprob) => {
    const wire: JsonObject = { token: logprob.token };
    copyField(logprob, "logprob", wire);
    if (logprob.bytes !== undefined) wire["bytes"] = logprob.bytes;
    const { top } = logprob;
    if (top !== undefined) wire[TOP] = context.pathTracker.into("top", () => encodeLogprobs(top, writing));
    reportUnsupportedFields(logprob, CARRIED, context, "field-unsaid");
    reportNotPortableResidue(logprob, context);
    restoreResidue(wire, logprob, context);
    return wire;
  });
}
