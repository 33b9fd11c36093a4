// The tools that an MCP server lists: reads its list, page by page, and what it says of each.
import type { SchemaObject } from "../../model/index.ts";
import { isObject } from "../../model/kind.ts";
import type { Connection } from "./connection.ts";
import { failed } from "./failures.ts";
import { timeoutsOf } from "./options.ts";
import type { McpServerOptions } from "./types.ts";

/** A tool as the server lists it, as far as an agent needs it. */
export interface ListedTool {
  /** The server's own name for it. */
  name: string;
  description?: string;
  inputSchema: SchemaObject;
  /** If the server can be believed. */
  isRepeatable: boolean;
}

/** More is no list any more, but a server that never comes to its end. */
const MOST_PAGES = 1000;

/** All tools of a server, and why some of them cannot be used. */
export async function listTools(
  connection: Connection,
  options: McpServerOptions,
): Promise<{ tools: ListedTool[]; unusable: string[] }> {
  const tools = new Map<string, ListedTool>();
  const unusable: string[] = [];
  if (!connection.hasTools) return { tools: [], unusable };
  const silenceMs = timeoutsOf(options).connectMs;
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const result = await connection.request("tools/list", cursor === undefined ? {} : { cursor }, { silenceMs });
    const entries: unknown = result["tools"];
    if (!Array.isArray(entries)) throw failed(options, "sent a list of tools that is none.");
    for (const entry of entries) {
      const tool = decodeTool(entry);
      if (typeof tool === "string") unusable.push(tool);
      else if (tools.has(tool.name)) unusable.push(`"${tool.name}" is listed twice.`);
      else tools.set(tool.name, tool);
    }
    const next: unknown = result["nextCursor"];
    // Some servers end their list with an empty cursor, others with none.
    if (typeof next !== "string" || next === "") return { tools: [...tools.values()], unusable };
    cursor = next;
  }
  throw failed(options, `lists its tools on more than ${MOST_PAGES} pages.`);
}

/** Reads one entry of a list; a text says why it cannot be used. */
function decodeTool(entry: unknown): ListedTool | string {
  if (!isObject(entry) || typeof entry["name"] !== "string" || entry["name"] === "") return "One has no name.";
  const { name, title, description, inputSchema, annotations, execution } = entry;
  if (!isObject(inputSchema)) return `"${name}" has no inputSchema.`;
  if (isObject(execution) && execution["taskSupport"] === "required") {
    return `"${name}" can only be run as a task, which Koine does not do.`;
  }
  const hints = isObject(annotations) ? annotations : {};
  const about = [description, title, hints["title"]].find((it) => typeof it === "string" && it !== "");
  return {
    name,
    ...(typeof about === "string" && { description: about }),
    inputSchema,
    isRepeatable: hints["readOnlyHint"] === true || hints["idempotentHint"] === true,
  };
}

/** Whether a call that was started when the agent died may be made again. */
export function retryOf(tool: ListedTool, { retry, trustHints }: McpServerOptions): "safe" | "never" {
  const said = typeof retry === "object" ? (Object.hasOwn(retry, tool.name) ? retry[tool.name] : undefined) : retry;
  return said ?? (trustHints === true && tool.isRepeatable ? "safe" : "never");
}
