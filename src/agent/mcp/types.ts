// The public face of MCP servers as sources of tools.
/// <reference lib="esnext.disposable" preserve="true" />
import type { AgentError } from "../errors.ts";
import type { ToolSource } from "../types.ts";

/** In milliseconds; Infinity: no limit. */
export interface McpTimeouts {
  /** Until the server runs and has said what it is; also for each page of its list of tools. Default 30 s. */
  connectMs: number;
  /** For a call. Default: the agent's `toolTimeoutMs`. */
  callMs: number;
  /** The longest silence within a call: from its beginning, or one report of progress, to the next. Default: no limit. */
  gapMs: number;
}

/** What a server says of a call that goes on. */
export interface McpProgress {
  toolCallId: string;
  toolName: string;
  /** Grows; of what unit, only the server knows. */
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

interface McpCommon {
  /** For errors and logs. */
  name: string;
  /** Put in front of every tool's name, such as "files_"; where two servers have tools of one name, they need it. Default: none. */
  prefix?: string | undefined;
  /** What to do with calls that a killed agent had started: for all tools, or by the server's own names for them. Default "never". */
  retry?: "safe" | "never" | Readonly<Record<string, "safe" | "never">> | undefined;
  /**
   * Whether to believe the server about its tools: those that it calls read-only or idempotent are run again where `retry`
   * says nothing of them. Default false.
   */
  trustHints?: boolean | undefined;
  timeouts?: Partial<McpTimeouts> | undefined;
  onProgress?: ((progress: McpProgress) => void) | undefined;
  /** Hears of what the agent works around: a connection that was lost, a tool that cannot be used, a broken message. */
  onProblem?: ((problem: AgentError) => void) | undefined;
}

/** A server that is a program, spoken to through its standard input and output. */
export interface McpCommandOptions extends McpCommon {
  command: string;
  args?: readonly string[] | undefined;
  /** Beside these it sees only what every program needs (PATH, HOME …): keys in this process's environment are not handed on. */
  env?: Readonly<Record<string, string>> | undefined;
  cwd?: string | undefined;
  /** Hears what it writes on its standard error. */
  onStderr?: ((text: string) => void) | undefined;
}

/** A server that is reached over streamable HTTP. */
export interface McpUrlOptions extends McpCommon {
  url: string | URL;
  /** Sent with every request: keys, tokens. A function is asked each time. */
  headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)
    | undefined;
}

export type McpServerOptions = McpCommandOptions | McpUrlOptions;

/**
 * The tools of an MCP server. A connection that is lost is made again when it is needed next, at once the first time and
 * then with growing pauses; until then calls are answered with an error, and the tools known last are shown.
 */
export interface McpServer extends ToolSource, AsyncDisposable {
  /** What the server says about its use; give it to the model as part of the agent's instructions if you trust it. */
  readonly instructions: string | undefined;
  close(): Promise<void>;
}
