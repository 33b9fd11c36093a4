// Maps former loss codes to current ones. Ledgers store losses in the metadata of runs, so readers rename former codes;
// writers use only current codes.
import type { JsonObject } from "./json/index.ts";
import { isObject } from "./value-kind.ts";

/** The current code for each former loss code. */
export const RENAMED_LOSS_CODES: Readonly<Record<string, string>> = {
  "annotation-unsaid": "annotation-unsupported",
  "approval-foreign": "approval-not-portable",
  "audio-by-id": "audio-sent-by-id",
  "beside-messages": "field-outside-messages",
  bookkeeping: "metadata-dropped",
  "cache-surplus": "cache-breakpoint-limit",
  "call-invalid": "invalid-call-unsupported",
  "call-made": "call-synthesized",
  "choice-approximated": "tool-choice-approximated",
  "choice-lost": "tool-choice-dropped",
  "choice-unfit": "tool-choice-incompatible",
  "context-foreign": "context-not-portable",
  "default-unsaid": "default-omitted",
  "document-named": "document-name-synthesized",
  "echo-foreign": "response-metadata-not-portable",
  "error-flag": "error-flag-unsupported",
  "error-unsaid": "error-flag-unsupported",
  "failure-unsaid": "failure-unsupported",
  "field-filled": "field-synthesized",
  "field-unsaid": "field-unsupported",
  "file-id": "file-id-not-portable",
  "finish-approximated": "finish-reason-approximated",
  "finish-raw": "raw-finish-reason-dropped",
  "form-foreign": "form-not-portable",
  "id-foreign": "id-not-portable",
  "id-made": "id-synthesized",
  "late-unsaid": "late-dropped",
  "logprobs-made": "logprobs-enabled",
  "media-elsewhere": "media-source-unsupported",
  "media-inlined": "media-converted",
  "media-kind": "media-kind-changed",
  "media-retyped": "media-kind-changed",
  "media-type": "mime-type-corrected",
  "media-unfit": "media-format-unsupported",
  "message-unsaid": "message-unsupported",
  "metadata-joined": "metadata-merged",
  "metadata-unfit": "metadata-invalid",
  "metadata-unstored": "metadata-requires-store",
  "mime-guessed": "mime-type-guessed",
  "mime-told": "mime-type-from-url",
  "opaque-foreign": "opaque-not-portable",
  order: "parts-reordered",
  "order-regrouped": "parts-reordered",
  "output-shaped": "output-wrapped",
  "part-unsayable": "part-unsupported",
  prefill: "prefill-unsupported",
  "provider-tool": "provider-tool-unsupported",
  "reasoning-unsaid": "reasoning-unsupported",
  "residue-clash": "residue-conflict",
  "residue-foreign": "residue-not-portable",
  "response-moved": "approval-response-moved",
  "result-between": "stream-result-dropped",
  "result-executor": "result-executor-approximated",
  "result-joined": "result-merged-into-call",
  "result-name": "result-tool-name-dropped",
  "result-repeated": "result-duplicate",
  "sampling-unfit": "sampling-adjusted",
  "schema-made": "schema-synthesized",
  "sdk-unsaid": "sdk-unsupported",
  "seal-foreign": "seal-not-portable",
  "setting-nearest": "setting-approximated",
  "signature-sentinel": "signature-placeholder",
  "stop-surplus": "stop-sequence-limit",
  "stop-unfit": "stop-sequence-limit",
  "strict-unmet": "strict-disabled",
  surrogates: "lone-surrogate-replaced",
  "thinking-unfit": "reasoning-disabled",
  "tool-default": "tool-default-omitted",
  "tool-foreign": "tool-not-portable",
  "tool-name": "result-tool-name-dropped",
  "tools-empty": "tool-settings-dropped",
  "tools-made": "tools-synthesized",
  "usage-made": "usage-synthesized",
  "usage-odd": "usage-inconsistent",
  "user-first": "user-turn-synthesized",
};

/**
 * Replaces former loss codes in the metadata of a stored run: in its `losses` and in the `losses` of its attempts. The
 * metadata is changed in place.
 */
export function renameLossCodes(metadata: JsonObject): void {
  const { attempts } = metadata;
  const attemptObjects = Array.isArray(attempts) ? attempts.filter(isObject) : [];
  for (const attempt of attemptObjects) renameAttemptField(attempt);
  const holders = [metadata, ...attemptObjects];
  for (const { losses } of holders) {
    for (const loss of Array.isArray(losses) ? losses.filter(isObject) : []) {
      const { code } = loss;
      if (typeof code === "string" && Object.hasOwn(RENAMED_LOSS_CODES, code))
        loss["code"] = RENAMED_LOSS_CODES[code] ?? code;
    }
  }
}

/** Renames the field `begun` of a stored attempt to `mayBeBilled`, its current name, in place. */
function renameAttemptField(attempt: JsonObject): void {
  if (attempt["begun"] === undefined || attempt["mayBeBilled"] !== undefined) return;
  attempt["mayBeBilled"] = attempt["begun"];
  delete attempt["begun"];
}
