// Defines the public types of MCP servers as tool sources.
/// <reference lib="esnext.disposable" preserve="true" />
import type { AgentError } from "../errors.ts";
import type { ToolSource } from "../types.ts";

/** Time limits of an MCP server in milliseconds; Infinity means no limit. */
export interface McpTimeouts {
  /** Time for the start and the handshake of the server, and for each page of its list of tools. Default: 30 s. */
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
  /** The progress so far, which increases; the server defines the unit. */
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

interface McpCommon {
  /** The name of the server in errors and logs. */
  name: string;
  /** A prefix of all tool names, such as "files_", for servers that have tools with the same names. Default: none. */
  prefix?: string | undefined;
  /**
   * The rule for calls that were running when an agent's process died: run them again ("safe") or not ("never", the
   * default). One rule applies to all tools, or each tool name of the server has a rule.
   */
  retry?: "safe" | "never" | Readonly<Record<string, "safe" | "never">> | undefined;
  /**
   * If true, calls of tools that the server declares read-only or idempotent are run again, unless `retry` has another
   * rule. Default: false.
   */
  trustHints?: boolean | undefined;
  timeouts?: Partial<McpTimeouts> | undefined;
  onProgress?: ((progress: McpProgress) => void) | undefined;
  /**
   * Called with problems that do not stop the agent, such as a lost connection, an unusable tool or an invalid message.
   */
  onProblem?: ((problem: AgentError) => void) | undefined;
}

/** An MCP server that is a program and uses the protocol on its standard input and output. */
export interface McpCommandOptions extends McpCommon {
  command: string;
  args?: readonly string[] | undefined;
  /**
   * Environment variables, in addition to a few that every program receives (PATH, HOME …). Other variables of this
   * process, such as keys, are not passed on.
   */
  env?: Readonly<Record<string, string>> | undefined;
  cwd?: string | undefined;
  /** Called with the text that the program writes to its standard error. */
  onStderr?: ((text: string) => void) | undefined;
}

/** An MCP server over streamable HTTP. */
export interface McpUrlOptions extends McpCommon {
  url: string | URL;
  /** Headers of every request, such as keys and tokens. A function is called for each request. */
  headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)
    | undefined;
}

/** Options of `mcpServer`. */
export type McpServerOptions = McpCommandOptions | McpUrlOptions;

/**
 * The tools of an MCP server. A lost connection is opened again when it is needed, at first immediately and then with
 * growing pauses. During a pause, calls receive an error result, and the last known tools are listed.
 */
export interface McpServer extends ToolSource, AsyncDisposable {
  /** The usage instructions of the server. Add them to the agent's instructions if you trust the server. */
  readonly instructions: string | undefined;
  close(): Promise<void>;
}
