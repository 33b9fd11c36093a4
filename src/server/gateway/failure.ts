// What went wrong with a call, whoever noticed it, in the words and with the status that the client's dialect has for it.
import { ClientError } from "../../client/errors.ts";
import type { ProviderError, ProviderErrorKind } from "../../model/index.ts";
import { isObject } from "../../model/kind.ts";
import { stringifyJson } from "../../model/json.ts";
import type { ServerErrorCode } from "../errors.ts";
import { SERVER_ERRORS, ServerError } from "../errors.ts";
import { serverErrorOf } from "../http/failure.ts";
import type { Reply } from "../types.ts";
import type { ClientProtocol } from "./doors.ts";

export interface Failure {
  error: ProviderError;
  /** Koine's own word for it; a provider's errors have none. */
  code?: ServerErrorCode;
  /** Where it is not what the error says. */
  status?: number;
  path: string;
  headers: Readonly<Record<string, string>>;
}

/** What the server's own errors are in the common words. */
const KINDS: Readonly<Record<ServerErrorCode, ProviderErrorKind>> = {
  configuration: "server",
  "invalid-request": "invalid-request",
  untranslatable: "invalid-request",
  unauthorized: "authentication",
  forbidden: "permission",
  "not-found": "not-found",
  "method-not-allowed": "invalid-request",
  timeout: "timeout",
  conflict: "invalid-request",
  gone: "not-found",
  "too-large": "invalid-request",
  "unsupported-media": "invalid-request",
  "too-many": "rate-limit",
  "headers-too-large": "invalid-request",
  internal: "server",
  unsupported: "invalid-request",
  upstream: "server",
  unavailable: "overloaded",
  "upstream-timeout": "timeout",
  aborted: "unknown",
};

/** Whatever a call threw. What nobody foresaw is "internal", and tells nothing. */
export function failureOfCall(thrown: unknown): Failure {
  return thrown instanceof ClientError ? clientFailure(thrown) : serverFailure(serverErrorOf(thrown));
}

/** The same for parts of the server that speak no dialect. */
export function serverErrorOfCall(thrown: unknown): ServerError {
  if (!(thrown instanceof ClientError)) return serverErrorOf(thrown);
  const { error, code, status, path, headers } = clientFailure(thrown);
  if (code === undefined) return serverErrorOf(thrown);
  return new ServerError(code, error.message, { status, path, headers, cause: thrown });
}

function own(code: ServerErrorCode, message: string, path: string): Failure {
  const { status } = SERVER_ERRORS[code];
  return { error: { kind: KINDS[code], message }, code, status, path, headers: {} };
}

function serverFailure({ code, message, error, status, path, headers }: ServerError): Failure {
  if (error !== undefined) return { error, path, headers };
  return { error: { kind: KINDS[code], message }, code, status, path, headers };
}

function clientFailure(thrown: ClientError): Failure {
  const { code, message, path, error, cause } = thrown;
  if (code === "aborted") return cause instanceof ServerError ? serverFailure(cause) : own("aborted", message, "");
  if (error !== undefined) return { error, path, headers: {} };
  if (code === "untranslatable") {
    const advice = message.replace(/ Change it, or send it all the same with onBreaks: "send"\.$/, "");
    return own(code, `${advice} Change it, or send it all the same with the header x-koine-on-breaks: send.`, path);
  }
  if (code === "unknown-provider") return own("not-found", message, path);
  // What is wrong with a provider's settings is not the client's to mend.
  return own(path.startsWith("/providers") ? "internal" : "invalid-request", message, path);
}

/** Anthropic's own status for having too much to do, and the one that everybody else knows. */
const OVERLOADED = { theirs: 529, usual: 503 };

/** The status that a provider's failure is told with. */
function statusOf({ error, status }: Failure, encoded: number, dialect: string): number {
  if (status !== undefined) return status;
  if (encoded === OVERLOADED.theirs && dialect !== "anthropic") return OVERLOADED.usual;
  // Nobody has said the status: it is only the one that stands for such an error.
  const isUnsaid = error.status !== encoded && (error.kind === "server" || error.kind === "unknown");
  // Something else than an answer or a refusal came: that is a bad gateway, whatever it was.
  return isUnsaid || encoded < 400 ? 502 : encoded;
}

/** The failure as a reply of its own: nothing has been sent yet (B86). */
export function failureReply(door: Pick<ClientProtocol, "dialect">, failure: Failure): Reply {
  const { status, wire } = encodedIn(door.dialect, failure.error);
  const headers: Record<string, string> = { "content-type": "application/json", ...failure.headers };
  const { retryAfterMs } = failure.error;
  if (retryAfterMs !== undefined) {
    headers["retry-after"] ??= String(Math.ceil(retryAfterMs / 1000));
    headers["retry-after-ms"] ??= String(retryAfterMs);
  }
  return { status: statusOf(failure, status, door.dialect.id), headers, body: stringifyJson(marked(wire, failure)) };
}

/** The provider's own body only in the envelope that clients look into: other servers, and failed answers, have others. */
function encodedIn(dialect: ClientProtocol["dialect"], error: ProviderError): { status: number; wire: unknown } {
  const encoded = dialect.encodeError(error);
  // Gemini's own may be a list of one.
  const [body]: unknown[] = dialect.id === "gemini" && Array.isArray(encoded.wire) ? encoded.wire : [encoded.wire];
  const said = isObject(body) ? body["error"] : undefined;
  // A client of Gemini's reads the status out of the body.
  const isWhole = dialect.id !== "gemini" || (isObject(said) && typeof said["code"] === "number");
  if (isWhole && isObject(said) && typeof said["message"] === "string") return encoded;
  const { raw: _, ...bare } = error;
  return dialect.encodeError(bare);
}

/** OpenAI's errors name the field and have a code; what is Koine's own says both there. */
function marked(wire: unknown, { code, path }: Failure): unknown {
  if (code === undefined || !isObject(wire) || !isObject(wire["error"]) || !("param" in wire["error"])) return wire;
  const { error } = wire;
  return { ...wire, error: { ...error, param: path === "" ? null : path, code: error["code"] ?? code } };
}
