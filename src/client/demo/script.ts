// The script of an answer before it is streamed: its parts in order, and its end.
import type { ProviderError, ToolFormat, UnifiedFinishReason } from "../../model/index.ts";

export type ScriptPart =
  | { type: "text" | "reasoning" | "refusal"; text: string }
  | { type: "call"; toolCallId: string; toolName: string; argumentsText: string; format: ToolFormat | undefined };

export interface DemoScript {
  parts: ScriptPart[];
  finish: UnifiedFinishReason;
  /** The answer ends with this error. */
  error?: ProviderError;
  /** The stream never ends after its last part. */
  stalls?: boolean;
}

/** Returns the text that is streamed for a part. */
export function readScriptPartText(part: ScriptPart): string {
  return part.type === "call" ? part.argumentsText : part.text;
}
