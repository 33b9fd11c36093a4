// Encodes media parts as Bedrock image, document, video, audio and search result blocks.
import { readDataUrl } from "../../../model/data-url.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { MediaPart } from "../../../model/parts.ts";
import { decodeBase64Text, sniffVisualMimeType, TEXTUAL_TYPE } from "../../blocks/media.ts";
import { readForm } from "../../kit/residue/residue.ts";
import { reportUnsentSeals } from "../../kit/seals/seals.ts";
import type { MediaBlockKind } from "../terms.ts";
import { findFormat, findMimeType, isAcceptedFormat } from "../terms.ts";
import { encodeBytes } from "./bytes.ts";
import type { BedrockBlockPosition, BedrockEncodeState } from "./encode-state.ts";
import { closeBlock } from "./encode-state.ts";

/** For each unofficial alias of a MIME type, the Bedrock format. */
const ALIAS_FORMATS: Readonly<Record<string, string>> = {
  "image/jpg": "jpeg",
  "audio/mp3": "mp3",
  "audio/wave": "wav",
  "audio/x-wav": "wav",
  "audio/x-m4a": "m4a",
  "audio/x-flac": "flac",
};

/** Fields of a media part that Bedrock can encode as the source; the first field that is set is used. */
const SOURCE_FIELDS = ["data", "url", "text", "content"] as const;
type BedrockSourceField = (typeof SOURCE_FIELDS)[number];
const COMMON_FIELDS = ["type", "mimeType", "extra", "cache", "seals"];
const SEARCH_RESULT_FIELDS: ReadonlySet<string> = new Set(["type", "extra", "cache", "seals", "content", "name"]);

export function encodeMedia(
  part: MediaPart,
  position: BedrockBlockPosition,
  state: BedrockEncodeState,
): JsonObject | undefined {
  const { report, repair, dialect } = state.context;
  const kind: MediaBlockKind = part.type === "file" ? "document" : part.type;
  const form = part.extra === undefined ? {} : readForm(part, dialect);
  const isRejected = position === "system" || position === "document" || (position === "result" && kind === "audio");
  if (isRejected && repair) {
    report.addLoss("part-unsupported");
    return undefined;
  }
  if (position === "assistant" && repair) {
    report.addLoss("media-format-unsupported");
    return undefined;
  }
  if (part.fileId !== undefined) {
    report.addLoss("file-id-not-portable");
    return undefined;
  }
  const sourceField = SOURCE_FIELDS.find((field) => part[field] !== undefined);
  const hasTextSource = sourceField === "text" || sourceField === "content";
  if (sourceField === undefined || (hasTextSource && kind !== "document")) {
    report.addLoss("media-source-unsupported");
    return undefined;
  }
  if (sourceField === "content" && form["type"] === "searchResult") return encodeSearchResult(part, state);
  return encodeMediaBlock(part, kind, sourceField, form, state);
}

function encodeSearchResult(part: MediaPart, state: BedrockEncodeState): JsonObject {
  const content = state.encodeParts(part.content ?? [], "content", "document", state);
  const wire: JsonObject = part.name === undefined ? { content } : { title: part.name, content };
  reportUnsentSeals(part, state.context);
  return closeBlock({ searchResult: wire }, part, SEARCH_RESULT_FIELDS, state);
}

function encodeMediaBlock(
  part: MediaPart,
  kind: MediaBlockKind,
  sourceField: BedrockSourceField,
  form: JsonObject,
  state: BedrockEncodeState,
): JsonObject | undefined {
  const { context } = state;
  const { report, repair, dialect } = context;
  const inline = sourceField === "url" && repair ? readDataUrl(part.url ?? "") : undefined;
  if (inline !== undefined) report.addLoss("media-converted", "url");
  const media = inline === undefined ? part : { ...part, ...inline };
  const format = encodeFormat(media, kind, form, state);
  if (format === false) return undefined;
  // Data of a textual type without a Bedrock format, such as JSON, is written as plain text.
  const isTextData = repair && format === "txt" && media.data !== undefined && media.mimeType !== "text/plain";
  const source = isTextData
    ? { text: decodeBase64Text(media.data ?? "") }
    : encodeSource(media, inline === undefined ? sourceField : "data", form, state);
  if (source === undefined) return undefined;
  if (isTextData && inline === undefined) report.addLoss("media-converted", "data");
  if (form["type"] === "searchResult") report.addLoss("form-stale", ["extra", dialect]);
  const block: JsonObject = {};
  if (format !== undefined) block["format"] = format;
  const supported = new Set([...COMMON_FIELDS, sourceField]);
  if (kind === "document") {
    supported.add("name");
    const name = encodeDocumentName(part, state);
    if (name !== undefined) block["name"] = name;
  }
  block["source"] = source;
  reportUnsentSeals(part, context);
  const isGuarded = form["type"] === "guardContent" && kind === "image";
  return closeBlock(isGuarded ? { guardContent: { image: block } } : { [kind]: block }, part, supported, state);
}

/**
 * Returns the Bedrock format of a media part; undefined if the block is written without a format; false, with a loss,
 * if Bedrock rejects the media type.
 */
function encodeFormat(
  part: MediaPart,
  kind: MediaBlockKind,
  form: JsonObject,
  { context }: BedrockEncodeState,
): string | undefined | false {
  const { report, repair, dialect } = context;
  const { mimeType, data } = part;
  const { format: storedFormat } = form;
  // A decoded format that has no MIME type is stored as residue.
  const residueFormat = (part.extra?.[dialect]?.[kind] as JsonObject | undefined)?.["format"];
  if (mimeType === undefined) {
    if (!repair || residueFormat !== undefined || (kind === "document" && data === undefined)) return undefined;
    const guessedType = data === undefined ? undefined : sniffVisualMimeType(data);
    const format = guessedType === undefined ? undefined : findFormat(kind, guessedType);
    if (format !== undefined && isAcceptedFormat(kind, format)) {
      report.addLoss("mime-type-corrected");
      return format;
    }
    report.addLoss("media-format-unsupported");
    return false;
  }
  if (typeof storedFormat === "string" && findMimeType(kind, storedFormat) === mimeType) return storedFormat;
  const format = findFormat(kind, mimeType);
  if (!repair) {
    if (format === undefined) report.addLoss("field-unsupported", "mimeType");
    return format;
  }
  if (format !== undefined && isAcceptedFormat(kind, format)) return format;
  const nearest = ALIAS_FORMATS[mimeType] ?? (kind === "document" && TEXTUAL_TYPE.test(mimeType) ? "txt" : undefined);
  if (nearest !== undefined && isAcceptedFormat(kind, nearest)) {
    report.addLoss("mime-type-corrected", "mimeType");
    return nearest;
  }
  report.addLoss("media-format-unsupported");
  return false;
}

function encodeSource(
  part: MediaPart,
  sourceField: BedrockSourceField,
  form: JsonObject,
  state: BedrockEncodeState,
): JsonObject | undefined {
  const { report, dialect } = state.context;
  switch (sourceField) {
    case "data": {
      const data = part.data ?? "";
      const bytes: JsonValue | undefined = encodeBytes(data, form["bytes"]);
      if (bytes === undefined) report.addLoss("form-stale", ["extra", dialect]);
      return { bytes: bytes ?? data };
    }
    case "url":
      if (part.url?.startsWith("s3://") === true || form["url"] === "s3")
        return { s3Location: { uri: part.url ?? "" } };
      report.addLoss("media-source-unsupported");
      return undefined;
    case "text":
      return { text: part.text ?? "" };
    case "content":
      return { content: state.encodeParts(part.content ?? [], "content", "document", state) };
  }
}

const REJECTED_NAME_CHARACTERS = /[^a-zA-Z0-9\s\-()[\]]/g;
const MAX_NAME_LENGTH = 200;

/**
 * Returns a document name that Bedrock accepts: the original name if it is accepted, else a corrected or generated name
 * with a loss. Without repair the name is not changed.
 */
function encodeDocumentName({ name }: MediaPart, state: BedrockEncodeState): string | undefined {
  const { report, repair } = state.context;
  if (!repair) return name;
  const accepted = name
    ?.replace(REJECTED_NAME_CHARACTERS, "-")
    .replace(/\s{2,}/g, " ")
    .slice(0, MAX_NAME_LENGTH);
  if (accepted === undefined || accepted.trim() === "") {
    report.addLoss("document-name-synthesized", "name");
    state.generatedNames++;
    return `document-${state.generatedNames}`;
  }
  if (accepted !== name) report.addLoss("document-renamed", "name");
  return accepted;
}
