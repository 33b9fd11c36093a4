// The definition of tools, and outputs with more than a plain value.
import type { AnySchema } from "../../client/index.ts";
import type { AgentTool, ToolOutput } from "../types.ts";

/** Defines a tool. Returns its argument; the input of `run` has the type of the schema's valid values. */
export function tool<const Schema extends AnySchema = AnySchema>(definition: AgentTool<Schema>): AgentTool<Schema> {
  return definition;
}

/** Objects made by `toolOutput`; any other object that a tool returns is a plain output. */
const OUTPUTS = new WeakSet<object>();

/** Creates the return value of a tool that has content parts besides the output, or that reports an error. */
export function toolOutput(output: ToolOutput): ToolOutput {
  const copy = { ...output };
  OUTPUTS.add(copy);
  return copy;
}

export function isToolOutput(value: unknown): value is ToolOutput {
  return typeof value === "object" && value !== null && OUTPUTS.has(value);
}
