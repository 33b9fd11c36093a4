// Approval requests: calls that ask whether a tool may run. Only the dialect that has them can send one: in another, a
// reader would take it for the call itself and run the tool.
import type { ToolCallPart, ToolResultPart } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import type { ClientToolLoss } from "./client-tools.ts";
import { canSendClientTool } from "./client-tools.ts";

/** True if a call requests an approval, or a result grants or denies one. */
export function isApprovalPart({ tool }: Pick<ToolCallPart | ToolResultPart, "tool">): boolean {
  return tool === "mcp_approval_request";
}

/** True if a call or result is of a tool that the client runs; otherwise reports it (B33). */
export function canSendToolPart(
  part: ToolCallPart | ToolResultPart,
  context: EncodeContext<ClientToolLoss | "approval-not-portable">,
): boolean {
  if (!isApprovalPart(part)) return canSendClientTool(part, context);
  context.report.addLoss("approval-not-portable");
  return false;
}
