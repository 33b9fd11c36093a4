// Defines the script of the demo's answer, from which the deltas are created: its parts in order, and how it ends.
import type { ProviderError, ToolFormat, UnifiedFinishReason } from "../../model/index.ts";

export type ScriptPart =
  | { type: "text" | "reasoning" | "refusal"; text: string }
  | { type: "call"; toolCallId: string; toolName: string; argumentsText: string; format: ToolFormat | undefined };

export interface DemoScript {
  parts: ScriptPart[];
  finish: UnifiedFinishReason;
  /** The error that ends the answer after its parts; undefined if the answer is complete. */
  error?: ProviderError;
  /** True if the stream sends nothing more after its last part and never ends. */
  stalls?: boolean;
}

/** Returns the text that is streamed for a part. */
export function readScriptPartText(part: ScriptPart): string {
  return part.type === "call" ? part.argumentsText : part.text;
}
