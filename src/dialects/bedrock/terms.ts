// Maps values of Bedrock's wire to canonical values and back.
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
  // These finish reasons have no stop reason of their own, so the nearest stop reason is written.
  ["refusal", "content_filtered"],
  ["pause", "end_turn"],
  ["other", "end_turn"],
]);

export const EFFORTS = new ValueMap<string, string>(EFFORT_VALUES);

/** Exception names and error kinds. If several exceptions have one kind, the first exception in the list is written. */
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

/** Exceptions that can end a stream. Error kinds without an entry are written as `internalServerException`. */
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

/**
 * The value of the canonical field `tool` in calls and results of tools that Bedrock itself runs; also the wire key
 * under which such a tool is defined.
 */
export const SYSTEM_TOOL = "systemTool";
/** The wire `type` of a call that Bedrock itself ran. */
export const SERVER_CALL = "server_tool_use";
/**
 * The wire `type` of a result that Bedrock itself made. The encoder writes it only if it has not encoded the call of
 * the result as a call that Bedrock ran.
 */
export const SERVER_RESULT = "server_tool_result";

export type MediaBlockKind = "image" | "video" | "audio" | "document";

/** For each kind of media, pairs of a MIME type and a Bedrock format where the MIME type is not `<kind>/<format>`. */
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

/**
 * Formats that Bedrock accepts. Documents are not listed, because Bedrock accepts all document formats of
 * `SPECIAL_FORMATS`.
 */
const ACCEPTED_FORMATS: Readonly<Record<"image" | "video" | "audio", ReadonlySet<string>>> = {
  image: new Set(["png", "jpeg", "gif", "webp"]),
  video: new Set(["mkv", "mov", "mp4", "webm", "flv", "mpeg", "mpg", "wmv", "three_gp"]),
  audio: new Set("mp3 opus wav aac flac mp4 ogg mkv mka x-aac m4a mpeg mpga pcm webm".split(" ")),
};

const SUBTYPE = /^[\w.+-]+$/;

/** Returns the MIME type of a Bedrock format; undefined if the format has no MIME type. */
export function findMimeType(kind: MediaBlockKind, format: string): string | undefined {
  const special = SPECIAL_FORMATS[kind].toModel(format);
  return special ?? (kind !== "document" && SUBTYPE.test(format) ? `${kind}/${format}` : undefined);
}

/** Returns the Bedrock format of a MIME type; undefined if the MIME type does not belong to `kind`. */
export function findFormat(kind: MediaBlockKind, mimeType: string): string | undefined {
  const special = SPECIAL_FORMATS[kind].toWire(mimeType);
  if (special !== undefined) return special;
  const prefix = `${kind}/`;
  const subtype = mimeType.slice(prefix.length);
  return kind !== "document" && mimeType.startsWith(prefix) && SUBTYPE.test(subtype) ? subtype : undefined;
}

/** True if Bedrock accepts the format for media of this kind. */
export function isAcceptedFormat(kind: MediaBlockKind, format: string): boolean {
  return kind === "document"
    ? SPECIAL_FORMATS.document.toModel(format) !== undefined
    : ACCEPTED_FORMATS[kind].has(format);
}
