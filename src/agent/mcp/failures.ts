// What went wrong between here and an MCP server, in words: for whoever runs the agent, and for the model.
import { AgentError } from "../errors.ts";
import { isObject } from "../../model/kind.ts";
import { ConnectError, HttpError } from "./connection.ts";
import { CUT_OFF, HeadersError } from "./http-endings.ts";
import { placeOf } from "./options.ts";
import type { McpServerOptions } from "./types.ts";

/** An error page may be long. */
const LONGEST = 300;
const TIMED_OUT = -32_001;

/** The number of an error of JSON-RPC. */
function codeOf(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "number" ? code : undefined;
}
const dataOf = (error: unknown): unknown => (error instanceof Error && "data" in error ? error.data : undefined);

/** The HTTP status that the server answered with, where that is what went wrong. Errors of JSON-RPC may have any number. */
const statusOf = (error: unknown): number | undefined => (error instanceof HttpError ? error.status : undefined);

/**
 * Whether the server does not know this client any more, and so has not done what it was asked: by the protocol it answers
 * 404; many answer 400 and say so.
 */
export function isForgotten(error: unknown): boolean {
  const status = statusOf(error);
  return status === 404 || (status === 400 && error instanceof Error && /session/i.test(error.message));
}

const isCutOff = (error: unknown): boolean => dataOf(error) === CUT_OFF;

/** What a connection fails with that never stood. */
const NEVER_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS_)/;

/** Whether the server surely has not begun with what it was asked: it was not reached, or it refused the request itself. */
export function isUndone(error: unknown): boolean {
  if (error instanceof HeadersError) return true;
  const status = statusOf(error);
  // A server that gave up waiting (408) may have begun.
  if (status !== undefined) return status < 500 && status !== 408;
  const cause = error instanceof Error ? error.cause : undefined;
  const code: unknown = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" && NEVER_SENT.test(code);
}

/** Whether the reply ended without an answer: the connection broke, or its stream was cut off. */
export function isBroken(error: unknown): boolean {
  return isCutOff(error) || (error instanceof TypeError && error.cause !== undefined && !isUndone(error));
}

/** Whether it said something that is no message of the protocol; the error then holds every rule that was tried. */
export const isBreach = (error: unknown): boolean =>
  error instanceof Error && "issues" in error && Array.isArray(error.issues);

/** Whether it was silent for too long. */
export function isSilence(error: unknown): boolean {
  const data = dataOf(error);
  return codeOf(error) === TIMED_OUT && isObject(data) && "timeout" in data;
}

/** What the server itself has against the call; undefined where it is not the server that says so. */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || isSilence(error) || isCutOff(error)) return undefined;
  // Servers made with the SDK put its words in front of their own, too.
  return /^(?:MCP error -?\d+: )+(.*)$/s.exec(error.message)?.[1];
}

/** One line without the SDK's own words around it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isBreach(error)) return "it sent a message that breaks the protocol.";
  const status = statusOf(error);
  if (status === 401 || status === 403) return `it answered ${status}; check \`headers\`.`;
  const cause = error.cause instanceof Error && error.message === "fetch failed" ? error.cause : error;
  const text = cause.message
    .replace(/^((MCP error -?\d+|Streamable HTTP error|Error POSTing to endpoint): )+/, "")
    .trim();
  const line = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return status === undefined ? line : `it answered ${status}: ${line}`;
}

/** For whoever starts the server: where it was looked for, and what it said before it ended. */
export function connectFailure(options: McpServerOptions, cause: unknown): AgentError {
  if (cause instanceof AgentError) return cause;
  const words = cause instanceof ConnectError && cause.lastWords !== "" ? `\nIt wrote: ${cause.lastWords}` : "";
  const error = cause instanceof ConnectError ? cause.cause : cause;
  return failed(options, `could not be reached at ${placeOf(options)}: ${reasonOf(error)}${words}`, cause);
}

export function failed({ name }: McpServerOptions, what: string, cause?: unknown): AgentError {
  return new AgentError("mcp-failed", `The MCP server "${name}" ${what}`, {
    path: `mcp:${name}`,
    ...(cause !== undefined && { cause }),
  });
}
