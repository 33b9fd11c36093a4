// Whether the MCP servers of tasks run and say what tools they have.
import { mcpServer } from "../../agent/index.ts";
import type { McpServerOptions } from "../../agent/index.ts";
import type { ServerConfig } from "../../server/config/index.ts";
import { counted } from "../show/numbers.ts";
import type { Finding } from "./finding.ts";
import { reasonOf } from "./finding.ts";

export async function checkTools({ tasks }: ServerConfig, timeoutMs: number): Promise<Finding[]> {
  return Promise.all(tasks.mcpServers.map((options) => checkServer(options, timeoutMs)));
}

async function checkServer(options: McpServerOptions, timeoutMs: number): Promise<Finding> {
  const name = `tools ${options.name}`;
  const heard: string[] = [];
  const onProblem = (error: Error): void => void heard.push(error.message);
  try {
    await using server = await mcpServer({
      ...options,
      onProblem,
      timeouts: { ...options.timeouts, connectMs: timeoutMs },
    });
    const tools = await server.tools();
    const [problem] = heard;
    if (problem !== undefined) return { name, state: "warn", message: problem };
    return { name, state: "ok", message: `It runs, and has ${counted(tools.length, "tool")}.` };
  } catch (error) {
    return { name, state: "fail", message: reasonOf(error) };
  }
}
