// One part of a UI message that is no tool: text, reasoning, a file. Undefined where there is no word for it.
import { dataUrl, readDataUrl } from "../../model/data-url.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Role } from "../../model/message.ts";
import type { MediaPart, Part, ReasoningPart, TextPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { kindOfMedia, mimeOfMedia, readReference } from "../kit/ai-sdk-media.ts";
import { decodeOptions } from "../kit/ai-sdk-options.ts";
import { decodeBlock } from "../kit/ai-sdk-blocks.ts";
import { setReasoning } from "../kit/ai-sdk-reasoning.ts";
import { decodeCitations } from "../kit/ai-sdk-sources.ts";
import { unknownFields } from "../kit/read.ts";
import { storeResidue, storeForm } from "../kit/residue.ts";

export function decodePart(wire: JsonObject, role: Role, context: DecodeContext): Part | undefined {
  switch (wire["type"]) {
    case "text":
    case "reasoning":
      return decodeText(wire, wire["type"], role, context);
    case "file":
      return decodeFile(wire, context);
    default:
      return decodeBlock(wire);
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
  if (decodeOptions(part, wire["providerMetadata"])) known.add("providerMetadata");
  if (part.type === "reasoning") setReasoning(part, text);
  else {
    part.text = text;
    if (decodeCitations(part, wire["citations"])) known.add("citations");
  }
  // What a model has said is done; what a user has said never streamed.
  if (role === "assistant" ? state !== "done" : state !== undefined) storeForm(part, dialect, "state", state ?? null);
  if (state === null) storeForm(part, dialect, "state", "null");
  storeResidue(part, dialect, unknownFields(wire, known));
  return part;
}

function decodeFile(wire: JsonObject, { dialect }: DecodeContext): MediaPart | undefined {
  const { url, mediaType, filename } = wire;
  if (typeof url !== "string" || typeof mediaType !== "string") return undefined;
  const part: MediaPart = { type: kindOfMedia(mediaType) };
  const known = new Set(["type", "url", "mediaType"]);
  const mime = mimeOfMedia(mediaType);
  if (mime !== undefined) part.mimeType = mime;
  const reference = url === "" ? readReference(wire["providerReference"]) : undefined;
  const inline = readDataUrl(url);
  if (reference !== undefined) {
    Object.assign(part, reference);
    known.add("providerReference");
  } else if (inline !== undefined && inline.mimeType === mime && dataUrl(inline.mimeType, inline.data) === url) {
    part.data = inline.data;
  } else part.url = url;
  if (typeof filename === "string") {
    part.name = filename;
    known.add("filename");
  }
  if (decodeOptions(part, wire["providerMetadata"])) known.add("providerMetadata");
  storeResidue(part, dialect, unknownFields(wire, known));
  return part;
}
