// Defines the agent's errors: one class with a stable code and a message with advice.
import { KoineError } from "../model/errors.ts";

/**
 * The codes of `AgentError`. Failures of tools and models are not errors of the agent: they are recorded in the
 * history.
 */
export const AGENT_ERRORS = {
  "invalid-input": "An argument is invalid.",
  "invalid-tool": "A tool's definition is invalid: its name, its schema, or a name that another tool has.",
  "source-failed": "A tool source could not list its tools or be closed; `cause` is its exception.",
  "missing-package": "A required package is not installed.",
  "mcp-failed": "An MCP server could not be started or reached, or broke its protocol.",
  "callback-failed": "A callback of the options threw, so the run cannot continue; `cause` is its exception.",
  busy: "Another run is active in the thread, in this or another process; wait for its end.",
  conflict: "The idempotency key was used for other messages, or its messages are on another branch.",
  released: "The run was released, not cancelled: another process can resume the thread.",
  ended: "The run has ended; it accepts no more messages.",
  closed: "The agent was closed.",
} as const;
/** The code of an `AgentError`. */
export type AgentErrorCode = keyof typeof AGENT_ERRORS;

/** An error of the agent, with a stable code. */
export class AgentError extends KoineError<AgentErrorCode> {
  override readonly name = "AgentError";
  /**
   * The argument, tool or server that caused the error: a JSON pointer into the options, such as "/tools/2/name", or
   * "mcp:files".
   */
  readonly path: string;

  constructor(code: AgentErrorCode, message: string, details: ErrorOptions & { path?: string } = {}) {
    super(code, message, "cause" in details ? { cause: details.cause } : undefined);
    this.path = details.path ?? "";
  }
}

/**
 * True if the reason of an abort is an `AgentError` "released": another process continues the run, so its open calls
 * are not recorded as cancelled.
 */
export function isReleased(reason: unknown): boolean {
  return reason instanceof AgentError && reason.code === "released";
}
