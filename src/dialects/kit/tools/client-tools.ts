// Decides which tool calls and results are sent in a dialect where the client runs every tool. Calls and results of
// tools that the provider ran are dropped, and the fields that say how a tool is run are not written.
import type { ToolCallPart, ToolResultPart } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";

export type ClientToolLoss = "provider-tool-unsupported" | "tool-default-omitted" | "field-unsupported";

/**
 * True if a call or result can be sent, because the client runs its tool; otherwise reports its loss. Also reports the
 * fields `executor` and `format` of a sent part, which the dialect does not have (B33).
 */
export function canSendClientTool(
  part: ToolCallPart | ToolResultPart,
  { report }: EncodeContext<ClientToolLoss>,
): boolean {
  const { executor, format } = part;
  if (executor === "provider") {
    report.addLoss("provider-tool-unsupported");
    return false;
  }
  if (executor !== undefined) report.addLoss("tool-default-omitted", "executor");
  if (format !== undefined) report.addLoss(format === "json" ? "tool-default-omitted" : "field-unsupported", "format");
  return true;
}
