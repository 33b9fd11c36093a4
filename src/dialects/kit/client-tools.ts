// Tools in shapes that know only the client's own functions: what the provider ran is left out, and what every tool of
// the shape is goes unsaid.
import type { ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";

export type ToolLoss = "provider-tool" | "tool-default" | "field-unsaid";

/** Reports what the shape cannot say about who runs a tool and how it speaks; whether the part can go out at all (B33). */
export function isClientTool(part: ToolCallPart | ToolResultPart, { report }: EncodeContext<ToolLoss>): boolean {
  const { executor, format } = part;
  if (executor === "provider") {
    report.addLoss("provider-tool");
    return false;
  }
  if (executor !== undefined) report.addLoss("tool-default", "executor");
  if (format !== undefined) report.addLoss(format === "json" ? "tool-default" : "field-unsaid", "format");
  return true;
}
