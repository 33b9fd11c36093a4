// Images, audio and documents: a URL or inline data, and a media type.
import { base64Of, dataUrl, readDataUrl } from "../../model/data-url.ts";
import type { JsonObject } from "../../model/json.ts";
import type { MediaPart } from "../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { readForm, storeForm } from "../kit/residue.ts";
import type { Code } from "./losses.ts";
import { reportRest } from "./losses.ts";
import { FieldReader, restoreRest, wasDataOmitted } from "./spelling.ts";
import { fieldOf, KINDS } from "./terms.ts";

type Named = "image" | "audio" | "file";

/** The part that a data object describes; undefined where it has neither URL nor data. */
export function decodeMedia(type: Named, data: JsonObject, context: DecodeContext): MediaPart | undefined {
  const reader = new FieldReader(data, context);
  const url = reader.text("url");
  const inline = reader.text("data");
  const mimeType = reader.text("media_type");
  const name = type === "file" ? reader.text("file_name") : undefined;
  if (url === undefined && inline === undefined) return undefined;
  const part: MediaPart = { type };
  // Where both stand, data is the one that cannot vanish; the other stays as residue.
  if (inline !== undefined && (inline !== "" || url === undefined)) {
    part.data = inline;
    reader.leave("url");
  } else if (url !== undefined) {
    reader.leave("data");
    const embedded = readEmbedded(url, mimeType);
    if (embedded === undefined) part.url = url;
    else {
      part.data = embedded.data;
      part.mimeType = embedded.mimeType;
      storeForm(part, context.dialect, "url", "embedded");
      reader.expect("media_type");
    }
  }
  if (mimeType !== undefined) part.mimeType = mimeType;
  if (name !== undefined) part.name = name;
  reader.keepRest(part, fieldOf(KINDS[type]));
  return part;
}

/** The content of a data URL that can be written again exactly as it was. */
function readEmbedded(url: string, mimeType: string | undefined): { mimeType: string; data: string } | undefined {
  const embedded = readDataUrl(url);
  if (embedded === undefined || dataUrl(embedded.mimeType, embedded.data) !== url) return undefined;
  return mimeType === undefined || mimeType === embedded.mimeType ? embedded : undefined;
}

const SOURCES = ["url", "data", "text", "content", "fileId", "path", "blob"] as const;
const BESIDE = ["type", "extra", "mimeType", ...SOURCES];
const CARRIED: ReadonlySet<string> = new Set(BESIDE);
const CARRIED_WITH_NAME: ReadonlySet<string> = new Set([...BESIDE, "name"]);

export function encodeMedia(part: MediaPart, context: EncodeContext<Code>): JsonObject | undefined {
  const source = SOURCES.find((each) => part[each] !== undefined && sayable(each));
  if (source === undefined) {
    context.report.addLoss(part.fileId === undefined ? "media-elsewhere" : "file-id");
    return undefined;
  }
  for (const other of SOURCES) {
    if (other !== source && part[other] !== undefined) context.report.addLoss("field-unsaid", other);
  }
  const kind = part.type === "video" ? KINDS.file : KINDS[part.type];
  const isDocument = kind === KINDS.file;
  if (part.type === "video") context.report.addLoss("media-as-file");
  reportRest(part, isDocument ? CARRIED_WITH_NAME : CARRIED, context);
  const data = encodeSource(part, context);
  if (isDocument && part.name !== undefined) data["file_name"] = part.name;
  const field = fieldOf(kind);
  return restoreRest({ kind, [field]: data }, part, context, field);
}

function sayable(source: (typeof SOURCES)[number]): source is "url" | "data" | "text" {
  return source === "url" || source === "data" || source === "text";
}

function encodeSource(part: MediaPart, context: EncodeContext<Code>): JsonObject {
  const { mimeType } = part;
  const form = readForm(part, context.dialect);
  const data: JsonObject = {};
  if (part.url !== undefined) data["url"] = part.url;
  else if (part.data !== undefined) {
    const wasEmbedded = form["url"] === "embedded";
    if (wasEmbedded && mimeType !== undefined) data["url"] = dataUrl(mimeType, part.data);
    else data["data"] = part.data;
    if (wasEmbedded && mimeType === undefined) context.report.addLoss("form-stale", ["extra", context.dialect]);
  } else {
    context.report.addLoss("text-as-data", "text");
    data["data"] = base64Of(part.text ?? "");
    if (mimeType === undefined && (part.type === "file" || part.type === "video")) data["media_type"] = "text/plain";
  }
  const isInUrl = data["url"] !== part.url && wasDataOmitted(form, "media_type");
  if (mimeType !== undefined && !isInUrl) data["media_type"] = mimeType;
  return data;
}
