// Values of Bedrock's wire and their canonical values.
import type { UnifiedFinishReason } from "../../model/finish-reason.ts";
import type { ProviderErrorKind } from "../../model/provider-error.ts";
import { COMMON_STOP_REASONS, EFFORT_VALUES } from "../blocks/terms.ts";
import { ValueMap } from "../kit/fields/value-map.ts";

export const ID = "bedrock";

export const STOP_REASONS = new ValueMap<UnifiedFinishReason, string>([
  ...COMMON_STOP_REASONS,
  ["content-filter", "content_filtered"],
  ["content-filter", "guardrail_intervened"],
  ["error", "malformed_model_output"],
  ["error", "malformed_tool_use"],
  // Finish reasons without a stop reason of their own; the nearest one is written.
  ["refusal", "content_filtered"],
  ["pause", "end_turn"],
  ["other", "end_turn"],
]);

export const EFFORTS = new ValueMap<string, string>(EFFORT_VALUES);

/** Exceptions by name; of several with one kind, the first is written. */
export const EXCEPTIONS = new ValueMap<ProviderErrorKind, string>([
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

/** Exceptions that may end a stream; other kinds are written as the nearest of them. */
export const STREAM_EXCEPTIONS = new ValueMap<ProviderErrorKind, string>([
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

/** `tool` of calls and results that the provider ran; also the wire key of such a tool's definition. */
export const SYSTEM_TOOL = "systemTool";
/** Wire `type` of a call that the provider ran. */
export const SERVER_CALL = "server_tool_use";
/** Wire `type` of a result that the provider made; written if the call does not identify the provider. */
export const SERVER_RESULT = "server_tool_result";

export type MediaBlockKind = "image" | "video" | "audio" | "document";

/** Formats with a MIME type other than `<kind>/<format>`. */
const SPECIAL_FORMATS: Readonly<Record<MediaBlockKind, ValueMap<string, string>>> = {
  image: new ValueMap([]),
  video: new ValueMap([
    ["video/x-matroska", "mkv"],
    ["video/quicktime", "mov"],
    ["video/x-flv", "flv"],
    ["video/x-ms-wmv", "wmv"],
    ["video/3gpp", "three_gp"],
  ]),
  audio: new ValueMap([
    ["audio/mpeg", "mp3"],
    ["audio/x-matroska", "mka"],
  ]),
  document: new ValueMap([
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

/** Formats that Bedrock accepts; for documents, those of `SPECIAL_FORMATS`. */
const ACCEPTED_FORMATS: Readonly<Record<"image" | "video" | "audio", ReadonlySet<string>>> = {
  image: new Set(["png", "jpeg", "gif", "webp"]),
  video: new Set(["mkv", "mov", "mp4", "webm", "flv", "mpeg", "mpg", "wmv", "three_gp"]),
  audio: new Set("mp3 opus wav aac flac mp4 ogg mkv mka x-aac m4a mpeg mpga pcm webm".split(" ")),
};

const SUBTYPE = /^[\w.+-]+$/;

/** Returns the MIME type of a format; undefined if it has none. */
export function findMimeType(kind: MediaBlockKind, format: string): string | undefined {
  const special = SPECIAL_FORMATS[kind].toModel(format);
  return special ?? (kind !== "document" && SUBTYPE.test(format) ? `${kind}/${format}` : undefined);
}

/** Returns the format of a MIME type; undefined if it has none. */
export function findFormat(kind: MediaBlockKind, mimeType: string): string | undefined {
  const special = SPECIAL_FORMATS[kind].toWire(mimeType);
  if (special !== undefined) return special;
  const prefix = `${kind}/`;
  const subtype = mimeType.slice(prefix.length);
  return kind !== "document" && mimeType.startsWith(prefix) && SUBTYPE.test(subtype) ? subtype : undefined;
}

export function isAcceptedFormat(kind: MediaBlockKind, format: string): boolean {
  return kind === "document"
    ? SPECIAL_FORMATS.document.toModel(format) !== undefined
    : ACCEPTED_FORMATS[kind].has(format);
}
