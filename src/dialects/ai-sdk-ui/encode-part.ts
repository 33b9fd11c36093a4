// Encodes one part of a UI message that is not a tool part. Reasoning may become several parts; sources follow their
// text.
import { encodeBase64, formatDataUrl } from "../../model/data-url.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Role } from "../../model/message.ts";
import { isMediaPart } from "../../model/media-part.ts";
import type { MediaPart, OpaquePart, Part, PartBase, ReasoningPart, RefusalPart, TextPart } from "../../model/parts.ts";
import { encodeMediaType, pickMediaSource, encodeFileReference } from "../ai-sdk/media-types.ts";
import { addOptionsAndResidue, toList } from "../ai-sdk/wire-parts.ts";
import { encodeOpaquePart } from "../ai-sdk/opaque-parts.ts";
import { MODEL_DIALECT } from "../ai-sdk/tool-output.ts";
import { splitReasoning } from "../ai-sdk/reasoning.ts";
import { encodeAnnotations } from "../ai-sdk/sources.ts";
import { readForm } from "../kit/residue/residue.ts";
import type { UiEncodeContext } from "./losses.ts";
import { reportUnsupportedUiFields } from "./losses.ts";

export function encodePart(part: Part, role: Role, context: UiEncodeContext): JsonObject[] {
  if (isMediaPart(part)) return toList(encodeFile(part, context));
  switch (part.type) {
    case "text":
    case "refusal":
      return encodeText(part, role, context);
    case "reasoning":
      return encodeReasoning(part, role, context);
    case "opaque":
      return toList(encodeOpaque(part, context));
    default:
      // This is a tool part outside an assistant message, where UI messages have no tool parts, or a part type of a
      // later version of the canonical model.
      context.report.addLoss("part-unsupported");
      return [];
  }
}

/**
 * Writes the state of a text: the stored state, or by default "done" for the assistant and no state for other roles.
 */
function encodeTextState(wire: JsonObject, part: PartBase, role: Role, { dialect }: UiEncodeContext): void {
  const form = readForm(part, dialect)["state"];
  const state: JsonValue | undefined = form === undefined && role === "assistant" ? "done" : form;
  if (state === "null") wire["state"] = null;
  else if (state !== undefined && state !== null) wire["state"] = state;
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(["type", "text", "annotations", "extra", "cache", "seals"]);
const REASONING_FIELDS: ReadonlySet<string> = new Set([...TEXT_FIELDS, "summary"]);

function encodeText(part: TextPart | RefusalPart, role: Role, context: UiEncodeContext): JsonObject[] {
  if (part.type === "refusal") context.report.addLoss("refusal-as-text");
  reportUnsupportedUiFields(part, TEXT_FIELDS, context);
  const wire: JsonObject = { type: "text", text: part.text };
  encodeTextState(wire, part, role, context);
  if (part.type === "refusal" || part.annotations === undefined)
    return [addOptionsAndResidue(wire, part, "providerMetadata", context)];
  const { citations, sources } = encodeAnnotations(part, context);
  if (citations.length > 0) wire["citations"] = citations;
  return [addOptionsAndResidue(wire, part, "providerMetadata", context), ...sources];
}

function encodeReasoning(part: ReasoningPart, role: Role, context: UiEncodeContext): JsonObject[] {
  reportUnsupportedUiFields(part, REASONING_FIELDS, context);
  return splitReasoning(part, context).map((piece) => {
    const wire: JsonObject = { type: "reasoning", text: piece.text };
    encodeTextState(wire, piece, role, context);
    return addOptionsAndResidue(wire, piece, "providerMetadata", context);
  });
}

const FILE_FIELDS: ReadonlySet<string> = new Set(
  "type url data text content fileId path blob mimeType name issuer extra cache seals".split(" "),
);

function encodeFile(part: MediaPart, context: UiEncodeContext): JsonObject | undefined {
  const { report } = context;
  const source = pickMediaSource(part, context);
  const reference = source === "fileId" ? encodeFileReference(part, context) : undefined;
  if (source === "fileId" && reference === undefined) {
    report.addLoss("file-id-not-portable");
    return undefined;
  }
  if (source !== "url" && source !== "data" && source !== "text" && source !== "fileId") {
    report.addLoss("media-source-unsupported");
    return undefined;
  }
  reportUnsupportedUiFields(part, FILE_FIELDS, context);
  const mediaType = encodeMediaType(part, context);
  const wire: JsonObject = { type: "file", mediaType, url: toFileUrl(part, source, mediaType, context) };
  if (part.name !== undefined) wire["filename"] = part.name;
  if (reference !== undefined) wire["providerReference"] = reference;
  return addOptionsAndResidue(wire, part, "providerMetadata", context);
}

function toFileUrl(part: MediaPart, source: string, mediaType: string, { report }: UiEncodeContext): string {
  const { url = "", data = "", text = "", type, mimeType } = part;
  if (source === "url") return url;
  if (source === "fileId") return "";
  if (source === "text") report.addLoss("text-as-data", "text");
  // A data URL needs a full MIME type. Without one, the bare media type (such as "image") is written, and the decoder
  // would read it as the MIME type, so a loss is reported.
  if (mimeType === undefined && type !== "file") report.addLoss("mime-type-guessed", "mimeType");
  return formatDataUrl(mediaType, source === "text" ? encodeBase64(text) : data);
}

/**
 * The fields of an opaque part that are not reported as unsupported. The value becomes the wire part unchanged, so no
 * other field can be written.
 */
const OPAQUE_FIELDS: ReadonlySet<string> = new Set(["type", "dialect", "value"]);

function encodeOpaque(part: OpaquePart, context: UiEncodeContext): JsonObject | undefined {
  const wire = encodeOpaquePart(part);
  if (wire === undefined) {
    const isAiSdkPart = part.dialect === context.dialect || part.dialect === MODEL_DIALECT;
    context.report.addLoss(isAiSdkPart ? "part-unsupported" : "opaque-not-portable");
    return undefined;
  }
  reportUnsupportedUiFields(part, OPAQUE_FIELDS, context);
  return wire;
}
