// The public types of MCP servers as tool sources.
/// <reference lib="esnext.disposable" preserve="true" />
import type { AgentError } from "../errors.ts";
import type { ToolSource } from "../types.ts";

/** Time limits of an MCP server in milliseconds. Infinity: no limit. */
export interface McpTimeouts {
  /** Time for the start and the handshake of the server; also for each page of its tool list. Default 30 s. */
  connectMs: number;
  /** Time for a call. Default: the agent's `toolTimeoutMs`. */
  callMs: number;
  /** The longest time in a call without a progress report. Default: no limit. */
  gapMs: number;
}

/** A progress report of a running call. */
export interface McpProgress {
  toolCallId: string;
  toolName: string;
  /** Increases; the unit is defined by the server. */
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

interface McpCommon {
  /** The name in errors and logs. */
  name: string;
  /** A prefix of all tool names, such as "files_", needed if two servers have a tool with the same name. Default: none. */
  prefix?: string | undefined;
  /** The handling of calls that were running when an agent died: for all tools, or by the server's tool names. Default "never". */
  retry?: "safe" | "never" | Readonly<Record<string, "safe" | "never">> | undefined;
  /**
   * true: trusts the server's hints: calls of tools that it declares read-only or idempotent are run again, unless `retry`
   * has another rule. Default false.
   */
  trustHints?: boolean | undefined;
  timeouts?: Partial<McpTimeouts> | undefined;
  onProgress?: ((progress: McpProgress) => void) | undefined;
  /** Called with problems that do not stop the agent: a lost connection, an unusable tool, an invalid message. */
  onProblem?: ((problem: AgentError) => void) | undefined;
}

/** An MCP server that is a program with the protocol on its standard input and output. */
export interface McpCommandOptions extends McpCommon {
  command: string;
  args?: readonly string[] | undefined;
  /** Added to the few variables that every program gets (PATH, HOME …); other variables of this process, such as keys, are not passed on. */
  env?: Readonly<Record<string, string>> | undefined;
  cwd?: string | undefined;
  /** Called with the text that the program writes to its standard error. */
  onStderr?: ((text: string) => void) | undefined;
}

/** An MCP server over streamable HTTP. */
export interface McpUrlOptions extends McpCommon {
  url: string | URL;
  /** Sent with every request: keys, tokens. A function is called for each request. */
  headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)
    | undefined;
}

/** Options of `mcpServer`. */
export type McpServerOptions = McpCommandOptions | McpUrlOptions;

/**
 * The tools of an MCP server. A lost connection is opened again when it is needed, immediately the first time and then with
 * growing pauses. Until then, calls get an error result, and the last known tools are listed.
 */
export interface McpServer extends ToolSource, AsyncDisposable {
  /** The server's usage instructions. Add them to the agent's instructions if you trust the server. */
  readonly instructions: string | undefined;
  close(): Promise<void>;
}
