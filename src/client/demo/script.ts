// An answer before it is streamed: its pieces in order, and how it ends.
import type { ProviderError, ToolFormat, UnifiedFinishReason } from "../../model/index.ts";

export type Piece =
  | { type: "text" | "reasoning" | "refusal"; text: string }
  | { type: "call"; toolCallId: string; toolName: string; argumentsText: string; format: ToolFormat | undefined };

export interface Script {
  pieces: Piece[];
  finish: UnifiedFinishReason;
  /** Ends with this error instead. */
  error?: ProviderError;
  /** Says its pieces, and then nothing more. */
  stalls?: boolean;
}

/** What a piece writes. */
export function textOf(piece: Piece): string {
  return piece.type === "call" ? piece.argumentsText : piece.text;
}
