// Decodes one part of a UI message that is not a tool part: a text, reasoning, a file or an opaque part.
import { formatDataUrl, readDataUrl } from "../../model/data-url.ts";
import type { JsonObject } from "../../model/json/index.ts";
import type { Role } from "../../model/message.ts";
import type { MediaPart, Part, ReasoningPart, TextPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { toMediaPartType, toMimeType, decodeFileReference } from "../ai-sdk/media-types.ts";
import { decodeProviderOptions } from "../ai-sdk/provider-options.ts";
import { decodeOpaquePart } from "../ai-sdk/opaque-parts.ts";
import { setReasoningText } from "../ai-sdk/reasoning.ts";
import { decodeCitations } from "../ai-sdk/sources.ts";
import { unknownFields } from "../kit/fields/read-wire.ts";
import { storeResidue, storeForm } from "../kit/residue/residue.ts";

/** Decodes a part; undefined if neither the canonical model nor model messages have such a part. */
export function decodePart(wire: JsonObject, role: Role, context: DecodeContext): Part | undefined {
  switch (wire["type"]) {
    case "text":
    case "reasoning":
      return decodeText(wire, wire["type"], role, context);
    case "file":
      return decodeFile(wire, context);
    default:
      return decodeOpaquePart(wire);
  }
}

function decodeText(
  wire: JsonObject,
  type: "text" | "reasoning",
  role: Role,
  { dialect }: DecodeContext,
): Part | undefined {
  const { text, state } = wire;
  if (typeof text !== "string") return undefined;
  const part: TextPart | ReasoningPart = { type, text: "" };
  const known = new Set(["type", "text", "state"]);
  if (decodeProviderOptions(part, wire["providerMetadata"])) known.add("providerMetadata");
  if (part.type === "reasoning") setReasoningText(part, text);
  else {
    part.text = text;
    if (decodeCitations(part, wire["citations"])) known.add("citations");
  }
  // A state is stored only if it is not the default, which is "done" for the assistant and no state for other roles.
  if (role === "assistant" ? state !== "done" : state !== undefined) storeForm(part, dialect, "state", state ?? null);
  if (state === null) storeForm(part, dialect, "state", "null");
  storeResidue(part, dialect, unknownFields(wire, known));
  return part;
}

function decodeFile(wire: JsonObject, { dialect }: DecodeContext): MediaPart | undefined {
  const { url, mediaType, filename } = wire;
  if (typeof url !== "string" || typeof mediaType !== "string") return undefined;
  const part: MediaPart = { type: toMediaPartType(mediaType) };
  const known = new Set(["type", "url", "mediaType"]);
  const mimeType = toMimeType(mediaType);
  if (mimeType !== undefined) part.mimeType = mimeType;
  const reference = url === "" ? decodeFileReference(wire["providerReference"]) : undefined;
  const inline = readDataUrl(url);
  if (reference !== undefined) {
    Object.assign(part, reference);
    known.add("providerReference");
  } else if (
    inline !== undefined &&
    inline.mimeType === mimeType &&
    formatDataUrl(inline.mimeType, inline.data) === url
  ) {
    part.data = inline.data;
  } else part.url = url;
  if (typeof filename === "string") {
    part.name = filename;
    known.add("filename");
  }
  if (decodeProviderOptions(part, wire["providerMetadata"])) known.add("providerMetadata");
  storeResidue(part, dialect, unknownFields(wire, known));
  return part;
}
