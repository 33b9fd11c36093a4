// How tools are written down, and how they say more than a plain value.
import type { AnySchema } from "../client/index.ts";
import type { AgentTool, ToolOutput } from "./types.ts";

/** A tool, as it is given; the input of `run` has the type that the schema lets through. */
export function tool<const Schema extends AnySchema = AnySchema>(definition: AgentTool<Schema>): AgentTool<Schema> {
  return definition;
}

/** A plain object that a tool returns is its output; only these are more. */
const OUTPUTS = new WeakSet<object>();

/** What a tool gives back where a plain value will not do: parts beside the output, or an error that it means. */
export function toolOutput(output: ToolOutput): ToolOutput {
  const made = { ...output };
  OUTPUTS.add(made);
  return made;
}

export function isToolOutput(value: unknown): value is ToolOutput {
  return typeof value === "object" && value !== null && OUTPUTS.has(value);
}
