// Calls that ask whether a tool may run. Only the dialect that has them can say so: elsewhere a reader would take one
// for the call itself, and run what it was asked to approve.
import type { ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { ToolLoss } from "./client-tools.ts";
import { isClientTool } from "./client-tools.ts";
import type { LossDeclaration } from "./report.ts";

/** Whether a call asks for an approval, or a result gives or refuses it. */
export function isApproval({ tool }: Pick<ToolCallPart | ToolResultPart, "tool">): boolean {
  return tool === "mcp_approval_request";
}

export const approvalForeign = {
  "approval-foreign": {
    action: "dropped",
    level: "breaks",
    message: "It asks for an approval, or gives one; left out, as a reader would run what is to be approved.",
  },
} as const satisfies Record<string, LossDeclaration>;

/** Whether a call or result is one of a tool that the client runs; if not, that is reported (B33). */
export function isAskedOfClient(
  part: ToolCallPart | ToolResultPart,
  context: EncodeContext<ToolLoss | keyof typeof approvalForeign>,
): boolean {
  if (!isApproval(part)) return isClientTool(part, context);
  context.report.addLoss("approval-foreign");
  return false;
}
