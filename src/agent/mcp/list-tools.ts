// Lists the tools of an MCP server, page by page.
import type { SchemaObject } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";
import type { McpConnection } from "./connection.ts";
import { mcpError } from "./classify-errors.ts";
import { readTimeouts } from "./check-options.ts";
import type { McpServerOptions } from "./types.ts";

/** The fields of a listed tool that an agent needs. */
export interface ListedTool {
  /** The name of the tool at the server, without the prefix of the options. */
  name: string;
  description?: string;
  inputSchema: SchemaObject;
  /** True if the server declares the tool read-only or idempotent. */
  isRepeatable: boolean;
}

/** The maximum number of pages, because the list of a faulty server may never end. */
const MAX_PAGES = 1000;

/** Returns the usable tools of a server, and the reasons why other tools cannot be used. */
export async function listTools(
  connection: McpConnection,
  options: McpServerOptions,
): Promise<{ tools: ListedTool[]; unusable: string[] }> {
  const tools = new Map<string, ListedTool>();
  const unusable: string[] = [];
  if (!connection.hasTools) return { tools: [], unusable };
  const silenceMs = readTimeouts(options).connectMs;
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await connection.request("tools/list", cursor === undefined ? {} : { cursor }, { silenceMs });
    const entries: unknown = result["tools"];
    if (!Array.isArray(entries)) throw mcpError(options, "sent an invalid list of tools.");
    for (const entry of entries) {
      const tool = decodeTool(entry);
      if (typeof tool === "string") unusable.push(tool);
      else if (tools.has(tool.name)) unusable.push(`"${tool.name}" is listed twice.`);
      else tools.set(tool.name, tool);
    }
    const next: unknown = result["nextCursor"];
    // Some servers end their list with an empty cursor instead of no cursor.
    if (typeof next !== "string" || next === "") return { tools: [...tools.values()], unusable };
    cursor = next;
  }
  throw mcpError(options, `lists its tools on more than ${MAX_PAGES} pages.`);
}

/** Decodes one entry of the list of tools. Returns the reason as a string if the tool cannot be used. */
function decodeTool(entry: unknown): ListedTool | string {
  if (!isObject(entry) || typeof entry["name"] !== "string" || entry["name"] === "") return "A tool has no name.";
  const { name, title, description, inputSchema, annotations, execution } = entry;
  if (!isObject(inputSchema)) return `"${name}" has no inputSchema.`;
  if (isObject(execution) && execution["taskSupport"] === "required") {
    return `"${name}" can only be run as a task, which Koine does not support.`;
  }
  const hints = isObject(annotations) ? annotations : {};
  const about = [description, title, hints["title"]].find((each) => typeof each === "string" && each !== "");
  return {
    name,
    ...(typeof about === "string" && { description: about }),
    inputSchema,
    isRepeatable: hints["readOnlyHint"] === true || hints["idempotentHint"] === true,
  };
}

/**
 * Returns "safe" if a call of the tool that was running when the agent's process died may be repeated; "never"
 * otherwise.
 */
export function resolveRetry(tool: ListedTool, { retry, trustHints }: McpServerOptions): "safe" | "never" {
  const rule = typeof retry === "object" ? (Object.hasOwn(retry, tool.name) ? retry[tool.name] : undefined) : retry;
  return rule ?? (trustHints === true && tool.isRepeatable ? "safe" : "never");
}
