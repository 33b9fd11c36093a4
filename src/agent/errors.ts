// The agent's errors: one class, a stable code, and a message that says what to do about it.
import { KoineError } from "../model/errors.ts";

/** What can go wrong with an agent. What a tool or a model does wrong is no such error: it becomes part of the history. */
export const AGENT_ERRORS = {
  "invalid-input": "An argument is not what the method takes.",
  "invalid-tool": "A tool's definition cannot be used: its name, its schema, or two of one name.",
  "missing-package": "A package that this needs is not installed.",
  "mcp-failed": "An MCP server could not be started or reached, or broke its protocol.",
  busy: "The thread has a run of another writer that is alive; wait for it, or use `force`.",
  ended: "The run has ended; it takes no more messages.",
} as const;
export type AgentErrorCode = keyof typeof AGENT_ERRORS;

export class AgentError extends KoineError<AgentErrorCode> {
  override readonly name = "AgentError";
  /** Which argument, tool or server: "/tools/2/name", "mcp:files". */
  readonly path: string;

  constructor(code: AgentErrorCode, message: string, details: ErrorOptions & { path?: string } = {}) {
    super(code, message, "cause" in details ? { cause: details.cause } : undefined);
    this.path = details.path ?? "";
  }
}
