// The agent's errors: one class, a stable code, and a message that says what to do about it.
import { KoineError } from "../model/errors.ts";

/** What can go wrong with an agent. What a tool or a model does wrong is no such error: it becomes part of the history. */
export const AGENT_ERRORS = {
  "invalid-input": "An argument is not what the method takes.",
  "invalid-tool": "A tool's definition cannot be used: its name, its schema, or two of one name.",
  "source-failed": "A source could not list its tools, or not be closed; the error's cause is what it threw.",
  "missing-package": "A package that this needs is not installed.",
  "mcp-failed": "An MCP server could not be started or reached, or broke its protocol.",
  "callback-failed":
    "A function that the agent was given threw, and it cannot be known how to go on; its cause says why.",
  busy: "Another run is at work on the thread, here or elsewhere; wait for it to end.",
  conflict:
    "What the caller relies on no longer holds: what was said with this key is on another branch now, or was something else.",
  left: "The run was let go of, not cancelled: whoever resumes the thread goes on with it.",
  ended: "The run has ended; it takes no more messages.",
  closed: "The agent was closed.",
} as const;
export type AgentErrorCode = keyof typeof AGENT_ERRORS;

export class AgentError extends KoineError<AgentErrorCode> {
  override readonly name = "AgentError";
  /** Which argument, tool or server: a JSON pointer into what was given, such as "/tools/2/name", or "mcp:files". */
  readonly path: string;

  constructor(code: AgentErrorCode, message: string, details: ErrorOptions & { path?: string } = {}) {
    super(code, message, "cause" in details ? { cause: details.cause } : undefined);
    this.path = details.path ?? "";
  }
}

/** Whether a run ends because it goes on elsewhere: nothing is recorded as cancelled then. */
export function isLeft(reason: unknown): boolean {
  return reason instanceof AgentError && reason.code === "left";
}
