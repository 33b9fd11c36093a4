// Decodes and encodes log probabilities of tokens with all their digits (B60).
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Logprob } from "../../../model/parts.ts";
import type { DecodeContext } from "../../dialect.ts";
import { storeUnknownFields } from "../../openai/unknown-fields.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import type { ResponsesEncodeState } from "../encode-state.ts";

const TOP_LOGPROBS = "top_logprobs";

/** Returns the decoded tokens; undefined if an entry is not a token. */
export function decodeLogprobs(list: readonly JsonValue[], context: DecodeContext): Logprob[] | undefined {
  const logprobs: Logprob[] = [];
  for (const wire of list) {
    if (!isObject(wire) || typeof wire["token"] !== "string" || typeof wire["logprob"] !== "number") return undefined;
    const { token, bytes, [TOP_LOGPROBS]: tops } = wire;
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
      known.push(TOP_LOGPROBS);
    }
    storeUnknownFields(logprob, wire, known, context);
    logprobs.push(logprob);
  }
  return logprobs;
}

const SUPPORTED: ReadonlySet<string> = new Set(["token", "logprob", "bytes", "top", "extra"]);

/** Encodes tokens. The path tracker must be at the list. */
export function encodeLogprobs(logprobs: readonly Logprob[], state: ResponsesEncodeState): JsonObject[] {
  const { context } = state;
  return context.pathTracker.each(undefined, logprobs, (logprob) => {
    const wire: JsonObject = { token: logprob.token };
    copyField(logprob, "logprob", wire);
    if (logprob.bytes !== undefined) wire["bytes"] = logprob.bytes;
    const { top } = logprob;
    if (top !== undefined) wire[TOP_LOGPROBS] = context.pathTracker.into("top", () => encodeLogprobs(top, state));
    reportUnsupportedFields(logprob, SUPPORTED, context, "field-unsupported");
    reportNotPortableResidue(logprob, context);
    restoreResidue(wire, logprob, context);
    return wire;
  });
}
