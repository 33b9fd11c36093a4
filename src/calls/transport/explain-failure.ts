// Converts errors of sockets, TLS and HTTP libraries to a `TransportError` with one sentence of explanation and advice.
import type { TransportStage } from "./transport-error.ts";
import { TransportError } from "./transport-error.ts";

/** Explanations by the error code of the system or of undici; each continues a sentence of `STAGE_SENTENCES`. */
const REASON_SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "no server listens there; check the base URL and that the server is running.",
  ECONNRESET: "the other side closed the connection.",
  EPIPE: "the other side closed the connection.",
  UND_ERR_SOCKET: "the other side closed the connection.",
  ENOTFOUND: "the host name does not exist; check the base URL.",
  EAI_AGAIN: "the host name could not be looked up; check the network.",
  ENETUNREACH: "the network is unreachable; check the network.",
  EHOSTUNREACH: "the host is unreachable; check the network.",
  ETIMEDOUT: "the server does not answer.",
  UND_ERR_CONNECT_TIMEOUT: "the server does not answer.",
  UND_ERR_HEADERS_TIMEOUT: "the server took too long.",
  UND_ERR_BODY_TIMEOUT: "the server was silent for too long.",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not use TLS; check if the base URL should begin with http://.",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the body does not have the announced content-length.",
};
const TIMEOUT_CODES: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);
/** Matches the error codes of the HTTP parser. */
const NOT_HTTP_CODES = /^(?:HPE_|HTTPParserError)/;
const TLS_CODES = /^(?:CERT_|ERR_TLS|ERR_SSL|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/;
const UNSENDABLE_CODES: ReadonlySet<string> = new Set([
  "UND_ERR_INVALID_ARG",
  "UND_ERR_NOT_SUPPORTED",
  "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
  "ERR_INVALID_CHAR",
  "ERR_INVALID_HTTP_TOKEN",
]);
/** Error codes for an open connection that the other side closed. */
const CLOSED_CODES: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

const STAGE_SENTENCES: Readonly<Record<TransportStage, (host: string) => string>> = {
  request: (host) => `Nothing was sent to ${host}`,
  connect: (host) => `No connection to ${host}`,
  headers: (host) => `${host} did not answer`,
  body: (host) => `The reply of ${host} broke off`,
};

/** The number of nested causes that are read; limited because causes can be cyclic. */
const MAX_CAUSES = 4;

/** Converts any failure to a `TransportError`. `reached` is the last stage that the transport observed. */
export function toTransportError(error: unknown, reached: TransportStage, host: string): TransportError {
  if (error instanceof TransportError) return error;
  const reason = findErrorCode(error);
  const stage = refineStage(reason ?? "", reached);
  const message = `${STAGE_SENTENCES[stage](host)}: ${describeReason(error, reason)}`;
  const kind = TIMEOUT_CODES.has(reason ?? "") ? "timeout" : "network";
  const retryable = !TLS_CODES.test(reason ?? "") && stage !== "request";
  return new TransportError(kind, message, { stage, reason, retryable, cause: error });
}

/**
 * Returns the stage of a failure: `reached`, unless the error code implies another stage. `fetch` reports every failure
 * before the reply as "connect".
 */
function refineStage(reason: string, reached: TransportStage): TransportStage {
  if (reached !== "body" && UNSENDABLE_CODES.has(reason)) return "request";
  return reached === "connect" && (CLOSED_CODES.has(reason) || NOT_HTTP_CODES.test(reason)) ? "headers" : reached;
}

/**
 * Creates the error for headers that cannot be sent. The message contains no header values, because they may be keys.
 */
export function unsendableError(host: string, why: string): TransportError {
  const message = `${STAGE_SENTENCES.request(host)}: ${why}`;
  return new TransportError("network", message, { stage: "request", retryable: false });
}

/** Creates the error for a connection that was not opened in time. */
export function connectTimeoutError(ms: number, host: string): TransportError {
  const message = `No connection to ${host} within ${ms} ms; check that it is reachable, or increase timeouts.connectMs.`;
  return new TransportError("timeout", message, { stage: "connect", reason: "UND_ERR_CONNECT_TIMEOUT" });
}

function describeReason(error: unknown, reason: string | undefined): string {
  const known = reason !== undefined && Object.hasOwn(REASON_SENTENCES, reason) ? REASON_SENTENCES[reason] : undefined;
  if (known !== undefined) return `${known} (${reason})`;
  if (TLS_CODES.test(reason ?? "")) return `its certificate is not trusted (${reason}); NODE_EXTRA_CA_CERTS adds one.`;
  if (UNSENDABLE_CODES.has(reason ?? ""))
    return `the headers of the request cannot be sent: ${findInnermostMessage(error) ?? reason}`;
  if (NOT_HTTP_CODES.test(reason ?? "")) return `its reply is not HTTP; check the base URL. (${reason})`;
  return findInnermostMessage(error) ?? reason ?? "unknown";
}

/**
 * Returns the message of the innermost cause; undefined if there is no message. A `TypeError` without a cause, which
 * `fetch` throws in a browser, is followed by advice.
 */
function findInnermostMessage(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const inner = depth < MAX_CAUSES ? findInnermostMessage(error.cause, depth + 1) : undefined;
  if (inner !== undefined || error.message === "") return inner;
  const isBare = error instanceof TypeError && depth === 0;
  return isBare
    ? `${error.message}; check the network, and that the provider allows requests from web pages (CORS).`
    : error.message;
}

/**
 * Returns the code of an error, of its cause, or of the first error of an `AggregateError`; undefined if none has a
 * code.
 */
function findErrorCode(error: unknown, depth = 0): string | undefined {
  if (typeof error !== "object" || error === null || depth > MAX_CAUSES) return undefined;
  // Any value can be thrown, so every field is checked before it is used.
  const { name, code, cause, errors } = error as { name?: unknown; code?: unknown; cause?: unknown; errors?: unknown };
  if (typeof code === "string") return code;
  if (name === "HTTPParserError") return name;
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  return findErrorCode(cause, depth + 1) ?? findErrorCode(first, depth + 1);
}
