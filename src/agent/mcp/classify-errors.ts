// Classifies and describes failures of MCP servers, for the agent's author and for the model.
import { AgentError } from "../errors.ts";
import { isObject } from "../../model/value-kind.ts";
import { McpConnectError, McpHttpError } from "./connection.ts";
import { CUT_OFF, HeadersError } from "./truncated-replies.ts";
import { describeServer } from "./check-options.ts";
import type { McpServerOptions } from "./types.ts";

/** The length to which reasons are shortened, because a reason may be an error page. */
const MAX_REASON_LENGTH = 300;
const TIMEOUT_CODE = -32_001;

/** Returns the code of a JSON-RPC error; undefined if the error has none. */
function readRpcCode(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "number" ? code : undefined;
}
const readRpcData = (error: unknown): unknown => (error instanceof Error && "data" in error ? error.data : undefined);

/**
 * Returns the HTTP status of an error reply; undefined for other errors. The code of a JSON-RPC error is not used,
 * because it may be any number.
 */
const readStatus = (error: unknown): number | undefined => (error instanceof McpHttpError ? error.status : undefined);

/**
 * True if the server no longer knows the session and did not execute the request. The protocol requires status 404;
 * many servers reply 400 with a message about the session.
 */
export function isSessionLost(error: unknown): boolean {
  const status = readStatus(error);
  return status === 404 || (status === 400 && error instanceof Error && /session/i.test(error.message));
}

const isCutOff = (error: unknown): boolean => readRpcData(error) === CUT_OFF;

/** Matches the codes of network errors that occur before a connection is open, so that no request was sent. */
const NEVER_SENT_CODES =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS_)/;

/**
 * True if the server certainly did not execute the request, because it was not reached or because it rejected the
 * request.
 */
export function wasNotExecuted(error: unknown): boolean {
  if (error instanceof HeadersError) return true;
  const status = readStatus(error);
  // A status below 500 rejects the request. The exception is 408 (timeout): the server may have started to execute it.
  if (status !== undefined) return status < 500 && status !== 408;
  const cause = error instanceof Error ? error.cause : undefined;
  const code: unknown = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" && NEVER_SENT_CODES.test(code);
}

/**
 * True if the reply ended without a result, so that the server may have executed the call: the stream was truncated, or
 * the connection broke after it was opened.
 */
export function hasConnectionBroken(error: unknown): boolean {
  return isCutOff(error) || (error instanceof TypeError && error.cause !== undefined && !wasNotExecuted(error));
}

/** True if the server sent an invalid message; the SDK's error then has a list of schema issues. */
export const isProtocolViolation = (error: unknown): boolean =>
  error instanceof Error && "issues" in error && Array.isArray(error.issues);

/** True if the server sent neither a reply nor a progress report within the time limit of the request. */
export function isSilenceTimeout(error: unknown): boolean {
  const data = readRpcData(error);
  return readRpcCode(error) === TIMEOUT_CODE && isObject(data) && "timeout" in data;
}

/** Returns the message of an error that the server itself replied with; undefined for every other error. */
export function readServerError(error: unknown): string | undefined {
  if (!(error instanceof Error) || isSilenceTimeout(error) || isCutOff(error)) return undefined;
  // The SDK adds this prefix to the message of an error reply. Servers that use the SDK may have it in their own
  // message already, so it can occur several times.
  return /^(?:MCP error -?\d+: )+(.*)$/s.exec(error.message)?.[1];
}

/** Describes an error in one line, without the prefixes of the SDK. */
export function describeMcpError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isProtocolViolation(error)) return "it sent a message that violates the protocol.";
  const status = readStatus(error);
  if (status === 401 || status === 403) return `it answered ${status}; check \`headers\`.`;
  const cause = error.cause instanceof Error && error.message === "fetch failed" ? error.cause : error;
  const text = cause.message
    .replace(/^((MCP error -?\d+|Streamable HTTP error|Error POSTing to endpoint): )+/, "")
    .trim();
  const line = text.length > MAX_REASON_LENGTH ? `${text.slice(0, MAX_REASON_LENGTH)}…` : text;
  return status === undefined ? line : `it answered ${status}: ${line}`;
}

/**
 * Creates the error of a connection that could not be opened, with the server's address and the end of its standard
 * error.
 */
export function toConnectError(options: McpServerOptions, cause: unknown): AgentError {
  if (cause instanceof AgentError) return cause;
  const output = cause instanceof McpConnectError && cause.stderrTail !== "" ? `\nIt wrote: ${cause.stderrTail}` : "";
  const error = cause instanceof McpConnectError ? cause.cause : cause;
  return mcpError(
    options,
    `could not be reached at ${describeServer(options)}: ${describeMcpError(error)}${output}`,
    cause,
  );
}

export function mcpError({ name }: McpServerOptions, fault: string, cause?: unknown): AgentError {
  return new AgentError("mcp-failed", `The MCP server "${name}" ${fault}`, {
    path: `mcp:${name}`,
    ...(cause !== undefined && { cause }),
  });
}
