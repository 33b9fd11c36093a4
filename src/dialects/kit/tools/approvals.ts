// Drops approval requests and their replies, for dialects that have none. An approval request is a call that asks
// whether a tool may run; a client of such a dialect would read it as a tool call and run the tool.
import type { ToolCallPart, ToolResultPart } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import type { ClientToolLoss } from "./client-tools.ts";
import { canSendClientTool } from "./client-tools.ts";

/** True if a call requests an approval, or a result grants or denies an approval. */
export function isApprovalPart({ tool }: Pick<ToolCallPart | ToolResultPart, "tool">): boolean {
  return tool === "mcp_approval_request";
}

/**
 * True if a call or result can be sent: it does not concern an approval, and the client runs its tool. Otherwise
 * reports its loss (B33).
 */
export function canSendToolPart(
  part: ToolCallPart | ToolResultPart,
  context: EncodeContext<ClientToolLoss | "approval-not-portable">,
): boolean {
  if (!isApprovalPart(part)) return canSendClientTool(part, context);
  context.report.addLoss("approval-not-portable");
  return false;
}
