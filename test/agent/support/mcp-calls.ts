// Shared helpers of the MCP tests: running servers, and calls of their tools.
import { AgentError, type AgentTool, type ToolContext, type ToolOutput } from "../../../src/agent/index.ts";
import {
  type McpCommandOptions,
  type McpServer,
  mcpServer,
  type McpServerOptions,
} from "../../../src/agent/mcp/index.ts";
import { bundle } from "./bundle.ts";
import { type McpHttp, type McpHttpOptions, startMcpHttp } from "./mcp-http.ts";

let program = "";
/** Call before all tests that start a server. */
export async function buildServer(folder: string): Promise<void> {
  [program = ""] = await bundle(folder, [new URL("mcp-stdio.ts", import.meta.url)]);
}

/** Resources to close after a test. */
export const ends: (() => Promise<void>)[] = [];
/** Call after each test. */
export async function endAll(): Promise<void> {
  for (const end of ends.splice(0).toReversed()) await end();
}
export type Common = Partial<Omit<McpServerOptions, "command" | "args" | "url" | "headers">>;
/** Returns the options of a running server. */
export const command = (more: Common & { env?: Record<string, string> } = {}): McpCommandOptions => ({
  name: "tools",
  command: process.execPath,
  args: [program],
  ...more,
});
export async function http(options: McpHttpOptions = {}): Promise<McpHttp> {
  const server = await startMcpHttp(options);
  ends.push(() => server.stop());
  return server;
}
export async function connected(options: McpServerOptions, now?: () => number): Promise<McpServer> {
  const server = await mcpServer(options, now);
  ends.push(() => server.close());
  return server;
}

export const context = (more: Partial<ToolContext> = {}): ToolContext => ({
  toolCallId: "call_1",
  toolName: "tool",
  signal: new AbortController().signal,
  threadId: "thread",
  runId: "run",
  isRerun: false,
  ...more,
});
export async function toolOf(server: McpServer, name: string): Promise<AgentTool> {
  const listedTool = (await server.tools()).find((tool) => tool.name === name);
  if (listedTool === undefined) throw new Error(`There is no tool "${name}".`);
  return listedTool;
}
export async function call(
  server: McpServer,
  name: string,
  input: object = {},
  more?: Partial<ToolContext>,
): Promise<ToolOutput> {
  // The tools of MCP servers always have these fields.
  return (await (await toolOf(server, name)).run(input, context(more))) as ToolOutput;
}
export async function failure(promise: Promise<unknown>): Promise<AgentError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof AgentError) return error;
  throw new Error(`Expected an AgentError, found ${String(error)}`);
}
