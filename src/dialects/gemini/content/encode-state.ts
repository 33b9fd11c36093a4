// Defines the state of encoding Gemini parts, and adds the thought signature and the residue to a wire part.
import type { Part } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import type { RenameTable } from "../../kit/tools/tool-renames.ts";
import { restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue } from "../../kit/residue/unsent-fields.ts";
import { reportUnsentSeals, findSealValue } from "../../kit/seals/seals.ts";
import type { GeminiLossCode } from "../losses.ts";
import { restoreSpelling } from "./snake-case-fields.ts";
import type { GeminiPart } from "../types.ts";

export interface GeminiEncodeState {
  readonly context: EncodeContext<GeminiLossCode>;
  readonly renameTable: RenameTable;
  /** Calls encoded so far, by call id: the tool name, and the call's id on the wire if it has one. */
  readonly encodedCalls: Map<string, { name: string; id: string | undefined }>;
  /**
   * True for an answer to a client, which receives all thoughts; false for a history, in which Gemini accepts only its
   * own thoughts.
   */
  readonly isAnswer: boolean;
  /**
   * Wire parts with media that were removed from function responses, because older models do not accept media there.
   * They are sent as a content of their own after the results. Undefined if the model accepts media there.
   */
  readonly movedMedia: GeminiPart[] | undefined;
  /**
   * The call that the finish reason of the answer marks as cut off. A decoder sets the `invalid` flag of this call
   * again, so the flag is not reported as lost.
   */
  cutOffCall?: Part | undefined;
}

/**
 * Adds the thought signature and the residue of a part to its wire part (B9). `inner` is the field of the wire part
 * (for example `functionCall`) whose value has residue of its own; "" if there is none.
 */
export function addSealsAndResidue(
  wire: GeminiPart,
  part: Part,
  inner: string,
  context: EncodeContext<GeminiLossCode>,
): GeminiPart {
  const { seals, extra } = part;
  if (seals !== undefined) {
    const signature = findSealValue(part, "signature", context);
    if (signature !== undefined) wire.thoughtSignature = signature;
    reportUnsentSeals(part, context, "signature");
  }
  if (extra === undefined) return wire;
  reportNotPortableResidue(part, context);
  restoreResidue(wire, part, context, inner);
  return restoreSpelling(wire, part, context);
}
