// Decodes and encodes `finish_reason`: the wire value is stored beside the unified reason (B61, B62).
import type { FinishReason, UnifiedFinishReason } from "../../../model/finish-reason.ts";
import type { Message } from "../../../model/message.ts";
import type { Alternative } from "../../../model/response.ts";
import type { DecodeContext } from "../../dialect.ts";
import { ValueMap } from "../../kit/fields/value-map.ts";
import { storeForm } from "../../kit/residue/residue.ts";
import { hasClientCalls } from "../../kit/tools/cut-off-calls.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { canFillField, readFormValue } from "../encode-state.ts";

type ReasonPair = readonly [unified: UnifiedFinishReason, wire: string];

/** Pairs of a unified reason and OpenAI's own wire value. Clients know only these wire values. */
const OPENAI_PAIRS = [
  ["stop", "stop"],
  ["length", "length"],
  ["tool-calls", "tool_calls"],
  ["tool-calls", "function_call"],
  ["content-filter", "content_filter"],
] as const satisfies ReasonPair[];

/**
 * Pairs with the wire values of other vendors. Such a value is encoded only if the answer was decoded with this value.
 */
const VENDOR_PAIRS: ReasonPair[] = [
  ["stop", "eos"],
  ["stop", "end_turn"],
  ["stop", "stop_sequence"],
  ["length", "model_length"],
  ["length", "max_tokens"],
  ["tool-calls", "tool_use"],
  ["content-filter", "safety"],
  ["content-filter", "sensitive"],
  ["refusal", "refusal"],
  ["error", "error"],
  ["error", "network_error"],
  ["error", "insufficient_system_resource"],
];

type OpenAiReason = (typeof OPENAI_PAIRS)[number][1];
const OPENAI_REASONS = new ValueMap<UnifiedFinishReason, OpenAiReason>(OPENAI_PAIRS);
const ALL_REASONS = new ValueMap<UnifiedFinishReason, string>([...OPENAI_PAIRS, ...VENDOR_PAIRS]);

const NEAREST_REASONS: Readonly<Partial<Record<UnifiedFinishReason, OpenAiReason>>> = { refusal: "content_filter" };
/**
 * The value for an answer that failed, paused or ended for an unknown reason. Clients treat "length" as incomplete and
 * run none of its calls; "stop" would claim a complete answer, and "content_filter" would blame the content.
 */
const INCOMPLETE_REASON: OpenAiReason = "length";

/** Returns the unified reason. "stop" becomes "tool-calls" if the answer has calls that the client runs. */
function toUnifiedReason(wireReason: string, message: Message): UnifiedFinishReason {
  const unified = ALL_REASONS.toModel(wireReason) ?? "other";
  return unified === "stop" && hasClientCalls(message) ? "tool-calls" : unified;
}

/**
 * Decodes a finish reason. A value that is not OpenAI's is marked in the form of the choice, so that it is encoded
 * again.
 */
export function decodeFinishReason(wireReason: string, choice: Alternative, { dialect }: DecodeContext): FinishReason {
  if (OPENAI_REASONS.toModel(wireReason) === undefined) storeForm(choice, dialect, "finish", "own");
  return { unified: toUnifiedReason(wireReason, choice.message), raw: wireReason };
}

/**
 * Returns the original wire value if it still fits the unified reason, or else OpenAI's value for the reason. Returns
 * undefined if the decoded choice had no finish reason and none has been set since.
 */
export function encodeFinishReason(
  { message, finishReason, extra }: Alternative,
  state: ChatEncodeState,
): string | undefined {
  const { report } = state.context;
  const { unified, raw } = finishReason;
  const choice = extra === undefined ? {} : { extra };
  const isKnown =
    raw !== undefined && (OPENAI_REASONS.toModel(raw) ?? readFormValue(choice, "finish", state)) !== undefined;
  if (isKnown && toUnifiedReason(raw, message) === unified) return raw;
  if (raw === undefined && unified === "other" && !canFillField(choice, "finish_reason", state)) return undefined;
  const wireReason = OPENAI_REASONS.toWire(unified) ?? NEAREST_REASONS[unified] ?? INCOMPLETE_REASON;
  if (raw !== undefined && raw !== wireReason) report.addLoss("raw-finish-reason-dropped", ["finishReason", "raw"]);
  if (toUnifiedReason(wireReason, message) !== unified)
    report.addLoss("finish-reason-approximated", ["finishReason", "unified"]);
  return wireReason;
}
