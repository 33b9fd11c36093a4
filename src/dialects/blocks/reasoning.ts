// Encodes reasoning parts. Reasoning with a seal is sent to its issuer (B1, B3). Reasoning without a seal is sent to a
// model only if the provider accepts unsigned reasoning (B6); in a response for a client it is always written.
import type { JsonObject } from "../../model/json/index.ts";
import type { ReasoningPart } from "../../model/parts.ts";
import { readForm } from "../kit/residue/residue.ts";
import { reportUnsentSeals, findSealValue } from "../kit/seals/seals.ts";
import type { BlockEncodeState } from "./encode-state.ts";

/** The functions of one dialect that create its reasoning blocks. */
export interface ReasoningBlocks<State extends BlockEncodeState> {
  signed(text: string, signature: string): JsonObject;
  redacted(data: string, form: JsonObject): JsonObject;
  unsigned(text: string): JsonObject;
  /** Creates a block for reasoning of another provider, which a client can show. */
  foreign(text: string): JsonObject;
  /** True if the provider accepts unsigned reasoning of its own models in a request. */
  acceptsUnsigned(state: State): boolean;
  /**
   * Completes a block. `isForeign` is true if `foreign` created the block; `hasSummary` is true if its text is the
   * summary.
   */
  close(block: JsonObject, part: ReasoningPart, state: State, isForeign: boolean, hasSummary: boolean): JsonObject;
}

export function encodeReasoningPart<State extends BlockEncodeState>(
  part: ReasoningPart,
  state: State,
  blocks: ReasoningBlocks<State>,
): JsonObject | undefined {
  const { context } = state;
  const { text } = part;
  const form = part.extra === undefined ? {} : readForm(part, context.dialect);
  const signature = findSealValue(part, "signature", context);
  if (signature !== undefined) {
    reportUnsentSeals(part, context, "signature");
    return blocks.close(blocks.signed(text, signature), part, state, false, false);
  }
  const redacted = text === "" ? findSealValue(part, "redacted", context) : undefined;
  if (redacted !== undefined) {
    reportUnsentSeals(part, context, "redacted");
    return blocks.close(blocks.redacted(redacted, form), part, state, false, false);
  }
  const isResponse = state.names === undefined;
  if (form["signature"] === "none" && (isResponse || !context.repair || blocks.acceptsUnsigned(state))) {
    reportUnsentSeals(part, context);
    return blocks.close(blocks.unsigned(text), part, state, false, false);
  }
  const summary = text === "" ? part.summary?.join("\n\n") : undefined;
  const shown = isResponse ? (summary ?? text) : "";
  if (shown === "") {
    context.report.addLoss("reasoning-unsupported");
    return undefined;
  }
  if (summary !== undefined) context.report.addLoss("summary-as-text", "summary");
  reportUnsentSeals(part, context);
  return blocks.close(blocks.foreign(shown), part, state, true, summary !== undefined);
}
