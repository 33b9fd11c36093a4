// Media in the AI SDK's shapes: a media type, of which the first half alone is enough, tells what a file is; references
// name the file id of each provider.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { MediaPart } from "../../model/parts.ts";
import { MEDIA_SOURCES } from "../../model/shapes.ts";
import type { EncodeContext } from "../dialect.ts";
import { isObject } from "./read.ts";
import type { LossDeclaration } from "./report.ts";
import { Terms } from "./terms.ts";

type Kind = MediaPart["type"];

export const mediaRetyped = {
  "media-retyped": {
    action: "approximated",
    level: "note",
    message: "A file is what its mime type says; it will be read as that.",
  },
} as const satisfies Record<string, LossDeclaration>;

/** A scheme and a colon: a text that is no base64. */
const URL_LIKE = /^[a-z][a-z\d+.-]*:/i;

export function isUrl(text: string): boolean {
  return URL_LIKE.test(text.slice(0, 64));
}

export function kindOfMedia(mediaType: string): Kind {
  const family = mediaType.split("/", 1)[0];
  return family === "image" || family === "audio" || family === "video" ? family : "file";
}

/** The mime type that a media type stands for; the bare kind says no more than the part's own type. */
export function mimeOfMedia(mediaType: string): string | undefined {
  return mediaType === kindOfMedia(mediaType) && mediaType !== "file" ? undefined : mediaType;
}

/** The media type of a part; one must be said, and tells a reader what kind of media it is. */
export function encodeMediaType(
  { type, mimeType }: MediaPart,
  { report }: EncodeContext<"mime-guessed" | "media-retyped">,
): string {
  if (mimeType === undefined && type !== "file") return type;
  if (mimeType === undefined) report.addLoss("mime-guessed", "mimeType");
  else if (kindOfMedia(mimeType) !== type || mimeOfMedia(mimeType) === undefined)
    report.addLoss("media-retyped", "type");
  return mimeType ?? "application/octet-stream";
}

/** Whose file ids the SDK's keys hold. */
const ISSUERS = new Terms([
  ["openai-responses", "openai"],
  ["anthropic", "anthropic"],
  ["gemini", "google"],
]);

/** A reference that names one provider's file; several are alternatives, for which the model has no word. */
export function readReference(
  value: JsonValue | undefined,
): { fileId: string; issuer: { dialect: string } } | undefined {
  if (!isObject(value)) return undefined;
  const [[key, fileId] = [], ...more] = Object.entries(value);
  const dialect = key === undefined ? undefined : ISSUERS.ours(key);
  return dialect === undefined || typeof fileId !== "string" || more.length > 0
    ? undefined
    : { fileId, issuer: { dialect } };
}

/** The reference to a provider's file; undefined where nobody says whose it is. */
export function writeReference(part: MediaPart, { report }: EncodeContext<"bookkeeping">): JsonObject | undefined {
  const { fileId, issuer } = part;
  const key = issuer === undefined ? undefined : ISSUERS.theirs(issuer.dialect);
  if (key === undefined || fileId === undefined) return undefined;
  for (const field of ["provider", "model"] as const) {
    if (issuer?.[field] !== undefined) report.addLoss("bookkeeping", ["issuer", field]);
  }
  return { [key]: fileId };
}

/** The source that is written; any further one is reported. */
export function oneSource(
  part: MediaPart,
  { report }: EncodeContext<"field-unsaid">,
): (typeof MEDIA_SOURCES)[number] | undefined {
  let found: (typeof MEDIA_SOURCES)[number] | undefined;
  for (const source of MEDIA_SOURCES) {
    if (part[source] === undefined) continue;
    if (found === undefined) found = source;
    else report.addLoss("field-unsaid", source);
  }
  if (found !== "fileId" && part.issuer !== undefined) report.addLoss("field-unsaid", "issuer");
  return found;
}
