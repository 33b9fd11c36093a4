// From the errors of sockets, TLS and HTTP libraries to one sentence that says what to do.
import type { TransportStage } from "./errors.ts";
import { TransportError } from "./errors.ts";

/** What a system's or library's own word means; a TLS error is one that trying again does not help. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there; is the server running, and is the base URL right?",
  ECONNRESET: "the other side closed the connection.",
  EPIPE: "the other side closed the connection.",
  UND_ERR_SOCKET: "the other side closed the connection.",
  ENOTFOUND: "there is no host of that name; is the base URL right?",
  EAI_AGAIN: "its name could not be looked up; is the network up?",
  ENETUNREACH: "there is no way to that network; is the network up?",
  EHOSTUNREACH: "there is no way to that host; is the network up?",
  ETIMEDOUT: "it does not answer.",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer.",
  UND_ERR_HEADERS_TIMEOUT: "it took too long.",
  UND_ERR_BODY_TIMEOUT: "it was silent for too long.",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS; should the base URL begin with http://?",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the reply is shorter or longer than it said.",
};
const TIMEOUTS: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);
/** What the parser of replies says. */
const NO_HTTP = /^(?:HPE_|HTTPParserError)/;
const UNTRUSTED = /^(?:CERT_|ERR_TLS|ERR_SSL|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/;
const UNSENDABLE: ReadonlySet<string> = new Set([
  "UND_ERR_INVALID_ARG",
  "UND_ERR_NOT_SUPPORTED",
  "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
  "ERR_INVALID_CHAR",
  "ERR_INVALID_HTTP_TOKEN",
]);
/** A connection that stood, and was closed. */
const BROKEN: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

const STAGES: Readonly<Record<TransportStage, (host: string) => string>> = {
  request: (host) => `Nothing was sent to ${host}`,
  connect: (host) => `No connection to ${host}`,
  headers: (host) => `${host} did not answer`,
  body: (host) => `The reply of ${host} broke off`,
};

/** Causes may be endless. */
const MOST_CAUSES = 4;

/** A failure of any kind as a `TransportError`. `reached`: the stage, as far as whoever asks can tell. */
export function explainFailure(error: unknown, reached: TransportStage, host: string): TransportError {
  if (error instanceof TransportError) return error;
  const reason = codeOf(error);
  const stage = stageOf(reason ?? "", reached);
  const message = `${STAGES[stage](host)}: ${sentence(error, reason)}`;
  const kind = TIMEOUTS.has(reason ?? "") ? "timeout" : "network";
  const retryable = !UNTRUSTED.test(reason ?? "") && stage !== "request";
  return new TransportError(kind, message, { stage, reason, retryable, cause: error });
}

/** What the reason says about the stage: `fetch` does not tell one failure before the reply from another. */
function stageOf(reason: string, reached: TransportStage): TransportStage {
  if (reached !== "body" && UNSENDABLE.has(reason)) return "request";
  return reached === "connect" && (BROKEN.has(reason) || NO_HTTP.test(reason)) ? "headers" : reached;
}

/** Headers that no server would understand. Their values are not told: they may be keys. */
export function unsendable(host: string, why: string): TransportError {
  const message = `${STAGES.request(host)}: ${why}`;
  return new TransportError("network", message, { stage: "request", retryable: false });
}

/** The connection did not stand in time. */
export function connectTimeout(ms: number, host: string): TransportError {
  const message = `No connection to ${host} within ${ms} ms; is it reachable, or is timeouts.connectMs too short?`;
  return new TransportError("timeout", message, { stage: "connect", reason: "UND_ERR_CONNECT_TIMEOUT" });
}

function sentence(error: unknown, reason: string | undefined): string {
  const known = reason !== undefined && Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined;
  if (known !== undefined) return `${known} (${reason})`;
  if (UNTRUSTED.test(reason ?? "")) return `its certificate is not trusted (${reason}); NODE_EXTRA_CA_CERTS adds one.`;
  if (UNSENDABLE.has(reason ?? "")) return `its headers cannot be sent; what is wrong: ${messageOf(error) ?? reason}`;
  if (NO_HTTP.test(reason ?? "")) return `what it says is no HTTP; is the base URL right? (${reason})`;
  return messageOf(error) ?? reason ?? "unknown";
}

/** The message of the innermost cause. A browser says nothing beyond that it failed. */
function messageOf(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const inner = depth < MOST_CAUSES ? messageOf(error.cause, depth + 1) : undefined;
  if (inner !== undefined || error.message === "") return inner;
  const isBare = error instanceof TypeError && depth === 0;
  return isBare ? `${error.message}; is the network up, and does the provider allow pages to ask it?` : error.message;
}

/** The code of an error, or of the first of those that it was caused by or made of. */
function codeOf(error: unknown, depth = 0): string | undefined {
  if (typeof error !== "object" || error === null || depth > MOST_CAUSES) return undefined;
  // Anything may be thrown: each field is looked at before it is used.
  const { name, code, cause, errors } = error as { name?: unknown; code?: unknown; cause?: unknown; errors?: unknown };
  if (typeof code === "string") return code;
  if (name === "HTTPParserError") return name;
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  return codeOf(cause, depth + 1) ?? codeOf(first, depth + 1);
}
