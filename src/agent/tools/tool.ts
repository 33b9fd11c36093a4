// Defines tools and their outputs with content parts or errors.
import type { AnySchema } from "../../client/index.ts";
import type { AgentTool, ToolOutput } from "../types.ts";

/**
 * Defines a tool. Returns its argument; the input of `run` has the type of the schema's valid values.
 *
 * @example
 * ```ts
 * import { createAgent, tool } from "koine/agent";
 * import { createClient, demo } from "koine/client";
 *
 * const add = tool({
 *   name: "add",
 *   description: "Adds two numbers.",
 *   // A JSON Schema, or a validator such as Zod's, which also gives `run` the type of its input.
 *   input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
 *   retry: "safe", // the agent may repeat the call after a crash
 *   run: (input) => {
 *     const { a, b } = input as { a: number; b: number };
 *     return a + b;
 *   },
 * });
 * const client = createClient({ providers: { demo: demo() } });
 * const agent = createAgent({ client, model: "demo/koine", tools: [add] });
 * for await (const event of agent.run('call add {"a":2,"b":3}')) {
 *   if (event.type === "tool-end") console.log(event.result.output); // 5
 * }
 * await agent.close();
 * await client.close();
 * ```
 */
export function tool<const Schema extends AnySchema = AnySchema>(definition: AgentTool<Schema>): AgentTool<Schema> {
  return definition;
}

/** The objects that `toolOutput` created. Any other object that a tool returns is a plain output. */
const OUTPUTS = new WeakSet<object>();

/**
 * Creates the return value of a tool that has content parts besides the output, or that reports an error.
 *
 * @example
 * ```ts
 * import { text } from "koine";
 * import { createAgent, tool, toolOutput } from "koine/agent";
 * import { createClient, demo } from "koine/client";
 *
 * const search = tool({
 *   name: "search",
 *   run: () => toolOutput({ output: { hits: 0 }, content: [text("Nothing was found.")], isError: true }),
 * });
 * const client = createClient({ providers: { demo: demo() } });
 * const agent = createAgent({ client, model: "demo/koine", tools: [search] });
 * for await (const event of agent.run("call search")) {
 *   if (event.type === "tool-end") console.log([event.result.output, event.result.isError]); // [{"hits":0},true]
 * }
 * await agent.close();
 * await client.close();
 * ```
 */
export function toolOutput(output: ToolOutput): ToolOutput {
  const copy = { ...output };
  OUTPUTS.add(copy);
  return copy;
}

export function isToolOutput(value: unknown): value is ToolOutput {
  return typeof value === "object" && value !== null && OUTPUTS.has(value);
}
