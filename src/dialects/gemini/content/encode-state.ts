// State of encoding Gemini parts, and the fields that every part type shares: thought signature and residue.
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
  /** Calls encoded so far, by call id: the tool name, and the id on the wire if any. */
  readonly encodedCalls: Map<string, { name: string; id: string | undefined }>;
  /**
   * True for an answer to a client, which receives all thoughts; false for a history, where Gemini accepts only its
   * own.
   */
  readonly isAnswer: boolean;
  /**
   * Media that function responses of old models cannot contain; they follow in a content of their own. Undefined if the
   * model accepts them.
   */
  readonly movedMedia: GeminiPart[] | undefined;
  /** A call that the finish reason of its answer implies to be cut off. */
  cutOffCall?: Part | undefined;
}

/** Adds the thought signature and the residue of a part to its wire form (B9). */
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
