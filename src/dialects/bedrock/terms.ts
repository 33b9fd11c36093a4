// The wire's vocabulary, two ways.
import type { UnifiedFinishReason } from "../../model/finish.ts";
import type { ProviderErrorKind } from "../../model/provider-error.ts";
import { Terms } from "../kit/terms.ts";

export const ID = "bedrock";

export const FINISH = new Terms<UnifiedFinishReason, string>([
  ["stop", "end_turn"],
  ["stop", "stop_sequence"],
  ["length", "max_tokens"],
  ["length", "model_context_window_exceeded"],
  ["tool-calls", "tool_use"],
  ["content-filter", "content_filtered"],
  ["content-filter", "guardrail_intervened"],
  ["error", "malformed_model_output"],
  ["error", "malformed_tool_use"],
  // There is no such word for these; the nearest is written.
  ["refusal", "content_filtered"],
  ["pause", "end_turn"],
  ["other", "end_turn"],
]);

/** Words for effort. Of the model's words without one of their own here, the nearest. */
export const EFFORT = new Terms<string, string>([
  ["low", "low"],
  ["medium", "medium"],
  ["high", "high"],
  ["xhigh", "xhigh"],
  ["max", "max"],
  ["minimal", "low"],
]);

/** Exceptions by their names; the first of a kind is the one that is written. */
export const ERROR_KIND = new Terms<ProviderErrorKind, string>([
  ["invalid-request", "ValidationException"],
  ["context-length", "ValidationException"],
  ["content-filter", "ValidationException"],
  ["authentication", "UnrecognizedClientException"],
  ["permission", "AccessDeniedException"],
  ["not-found", "ResourceNotFoundException"],
  ["rate-limit", "ThrottlingException"],
  ["quota", "ServiceQuotaExceededException"],
  ["overloaded", "ServiceUnavailableException"],
  ["timeout", "ModelTimeoutException"],
  ["server", "InternalServerException"],
  ["network", "InternalServerException"],
  ["truncated", "InternalServerException"],
  ["unknown", "InternalServerException"],
  ["server", "ModelErrorException"],
  ["server", "ModelStreamErrorException"],
  ["server", "InternalFailure"],
  ["overloaded", "ModelNotReadyException"],
  ["overloaded", "ServiceUnavailable"],
  ["rate-limit", "TooManyRequestsException"],
  ["invalid-request", "ConflictException"],
  ["invalid-request", "SerializationException"],
  ["permission", "AccessDenied"],
  ["authentication", "ExpiredTokenException"],
  ["authentication", "IncompleteSignatureException"],
  ["authentication", "InvalidSignatureException"],
  ["authentication", "InvalidClientTokenId"],
  ["authentication", "MissingAuthenticationTokenException"],
]);

/** Exceptions that a stream may end with; any other is said as the nearest of them. */
export const STREAM_ERROR = new Terms<ProviderErrorKind, string>([
  ["server", "internalServerException"],
  ["invalid-request", "validationException"],
  ["context-length", "validationException"],
  ["content-filter", "validationException"],
  ["authentication", "validationException"],
  ["permission", "validationException"],
  ["not-found", "validationException"],
  ["rate-limit", "throttlingException"],
  ["quota", "throttlingException"],
  ["overloaded", "serviceUnavailableException"],
  ["timeout", "modelStreamErrorException"],
]);

/** What calls and results of tools are called that the provider runs, after the definitions of those tools. */
export const SYSTEM_TOOL = "systemTool";
/** What the wire says on a call of such a tool. */
export const SERVER_CALL = "server_tool_use";
/** What it says on a result, where nothing else tells whose it is. */
export const SERVER_RESULT = "server_tool_result";

type MediaBlock = "image" | "video" | "audio" | "document";

/** Formats whose mime type is not simply their kind and name. */
const FORMATS: Readonly<Record<MediaBlock, Terms<string, string>>> = {
  image: new Terms([]),
  video: new Terms([
    ["video/x-matroska", "mkv"],
    ["video/quicktime", "mov"],
    ["video/x-flv", "flv"],
    ["video/x-ms-wmv", "wmv"],
    ["video/3gpp", "three_gp"],
  ]),
  audio: new Terms([
    ["audio/mpeg", "mp3"],
    ["audio/x-matroska", "mka"],
  ]),
  document: new Terms([
    ["application/pdf", "pdf"],
    ["text/plain", "txt"],
    ["text/markdown", "md"],
    ["text/html", "html"],
    ["text/csv", "csv"],
    ["application/msword", "doc"],
    ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"],
    ["application/vnd.ms-excel", "xls"],
    ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"],
  ]),
};

/** Formats that a target takes; documents take those of their table. */
const TAKEN: Readonly<Record<"image" | "video" | "audio", ReadonlySet<string>>> = {
  image: new Set(["png", "jpeg", "gif", "webp"]),
  video: new Set(["mkv", "mov", "mp4", "webm", "flv", "mpeg", "mpg", "wmv", "three_gp"]),
  audio: new Set("mp3 opus wav aac flac mp4 ogg mkv mka x-aac m4a mpeg mpga pcm webm".split(" ")),
};

const SIMPLE = /^[\w.+-]+$/;

/** The mime type of a format; undefined where there is none. */
export function mimeOf(kind: MediaBlock, format: string): string | undefined {
  const known = FORMATS[kind].ours(format);
  return known ?? (kind !== "document" && SIMPLE.test(format) ? `${kind}/${format}` : undefined);
}

/** The format of a mime type; undefined where there is none. */
export function formatOf(kind: MediaBlock, mimeType: string): string | undefined {
  const known = FORMATS[kind].theirs(mimeType);
  if (known !== undefined) return known;
  const prefix = `${kind}/`;
  const rest = mimeType.slice(prefix.length);
  return kind !== "document" && mimeType.startsWith(prefix) && SIMPLE.test(rest) ? rest : undefined;
}

export function isTaken(kind: MediaBlock, format: string): boolean {
  return kind === "document" ? FORMATS.document.ours(format) !== undefined : TAKEN[kind].has(format);
}
export type { MediaBlock };
