// Checks that the MCP servers of tasks start and list their tools.
import { mcpServer } from "../../agent/index.ts";
import type { McpServerOptions } from "../../agent/index.ts";
import type { ServerConfig } from "../../server/config/index.ts";
import { formatQuantity } from "../show/format-numbers.ts";
import type { DoctorFinding } from "./finding.ts";
import { readErrorReason } from "./finding.ts";

export async function checkTools({ tasks }: ServerConfig, timeoutMs: number): Promise<DoctorFinding[]> {
  return Promise.all(tasks.mcpServers.map((options) => checkMcpServer(options, timeoutMs)));
}

async function checkMcpServer(options: McpServerOptions, timeoutMs: number): Promise<DoctorFinding> {
  const name = `tools ${options.name}`;
  const problems: string[] = [];
  const onProblem = (error: Error): void => void problems.push(error.message);
  try {
    await using server = await mcpServer({
      ...options,
      onProblem,
      timeouts: { ...options.timeouts, connectMs: timeoutMs },
    });
    const tools = await server.tools();
    const [problem] = problems;
    if (problem !== undefined) return { name, state: "warn", message: problem };
    return { name, state: "ok", message: `The server runs and has ${formatQuantity(tools.length, "tool")}.` };
  } catch (error) {
    return { name, state: "fail", message: readErrorReason(error) };
  }
}
