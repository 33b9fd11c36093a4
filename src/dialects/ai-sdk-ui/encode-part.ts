// One part that is no tool. Reasoning may go out as several parts, and a text with its sources behind it.
import { base64Of, dataUrl } from "../../model/data-url.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Role } from "../../model/message.ts";
import type { MediaPart, OpaquePart, Part, PartBase, ReasoningPart, RefusalPart, TextPart } from "../../model/parts.ts";
import { encodeMediaType, oneSource, writeReference } from "../kit/ai-sdk-media.ts";
import { encodeOptions } from "../kit/ai-sdk-options.ts";
import { encodeBlock } from "../kit/ai-sdk-blocks.ts";
import { MODEL } from "../kit/ai-sdk-output.ts";
import { splitReasoning } from "../kit/ai-sdk-reasoning.ts";
import { encodeAnnotations } from "../kit/ai-sdk-sources.ts";
import { readForm, restoreResidue } from "../kit/residue.ts";
import type { Context } from "./losses.ts";
import { reportRest } from "./losses.ts";

export function encodePart(part: Part, role: Role, context: Context): JsonObject[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return encodeText(part, role, context);
    case "reasoning":
      return encodeReasoning(part, role, context);
    case "image":
    case "audio":
    case "video":
    case "file":
      return listOf(encodeFile(part, context));
    case "opaque":
      return listOf(encodeOpaque(part, context));
    default:
      // Tools belong to an assistant; parts that the types do not know to nobody.
      context.report.addLoss("part-unsayable");
      return [];
  }
}

function listOf(wire: JsonObject | undefined): JsonObject[] {
  return wire === undefined ? [] : [wire];
}

/** Puts beside a part what it says to single providers, and what was kept of it. */
function finish(wire: JsonObject, part: PartBase, context: Context): JsonObject {
  const metadata = encodeOptions(part, context);
  if (metadata !== undefined) wire["providerMetadata"] = metadata;
  restoreResidue(wire, part, context);
  return wire;
}

/** How far a text has come: what the assistant says is done, what others say never streamed. */
function writeState(wire: JsonObject, part: PartBase, role: Role, { dialect }: Context): void {
  const form = readForm(part, dialect)["state"];
  const state: JsonValue | undefined = form === undefined && role === "assistant" ? "done" : form;
  if (state === "null") wire["state"] = null;
  else if (state !== undefined && state !== null) wire["state"] = state;
}

const TEXT: ReadonlySet<string> = new Set(["type", "text", "annotations", "extra", "cache", "seals"]);
const REASONING: ReadonlySet<string> = new Set([...TEXT, "summary"]);

function encodeText(part: TextPart | RefusalPart, role: Role, context: Context): JsonObject[] {
  if (part.type === "refusal") context.report.addLoss("refusal-as-text");
  reportRest(part, TEXT, context);
  const wire: JsonObject = { type: "text", text: part.text };
  writeState(wire, part, role, context);
  if (part.type === "refusal" || part.annotations === undefined) return [finish(wire, part, context)];
  const { citations, sources } = encodeAnnotations(part, context);
  if (citations.length > 0) wire["citations"] = citations;
  return [finish(wire, part, context), ...sources];
}

function encodeReasoning(part: ReasoningPart, role: Role, context: Context): JsonObject[] {
  reportRest(part, REASONING, context);
  return splitReasoning(part, context).map((piece) => {
    const wire: JsonObject = { type: "reasoning", text: piece.text };
    writeState(wire, piece, role, context);
    return finish(wire, piece, context);
  });
}

const FILE: ReadonlySet<string> = new Set(
  "type url data text content fileId path blob mimeType name issuer extra cache seals".split(" "),
);

function encodeFile(part: MediaPart, context: Context): JsonObject | undefined {
  const { report } = context;
  const source = oneSource(part, context);
  const reference = source === "fileId" ? writeReference(part, context) : undefined;
  if (source === "fileId" && reference === undefined) {
    report.addLoss("file-id");
    return undefined;
  }
  if (source !== "url" && source !== "data" && source !== "text" && source !== "fileId") {
    report.addLoss("media-elsewhere");
    return undefined;
  }
  reportRest(part, FILE, context);
  const mediaType = encodeMediaType(part, context);
  const wire: JsonObject = { type: "file", mediaType, url: urlOf(part, source, mediaType, context) };
  if (part.name !== undefined) wire["filename"] = part.name;
  if (reference !== undefined) wire["providerReference"] = reference;
  return finish(wire, part, context);
}

function urlOf(part: MediaPart, source: string, mediaType: string, { report }: Context): string {
  const { url = "", data = "", text = "", type, mimeType } = part;
  if (source === "url") return url;
  if (source === "fileId") return "";
  if (source === "text") report.addLoss("text-as-data", "text");
  // A data URL has a whole type, or a reader would take the bare word for one.
  if (mimeType === undefined && type !== "file") report.addLoss("mime-guessed", "mimeType");
  return dataUrl(mediaType, source === "text" ? base64Of(text) : data);
}

/** A block as it came has room for nothing beside itself. */
const OPAQUE: ReadonlySet<string> = new Set(["type", "dialect", "value"]);

function encodeOpaque(part: OpaquePart, context: Context): JsonObject | undefined {
  const wire = encodeBlock(part);
  if (wire === undefined) {
    const isOwn = part.dialect === context.dialect || part.dialect === MODEL;
    context.report.addLoss(isOwn ? "part-unsayable" : "opaque-foreign");
    return undefined;
  }
  reportRest(part, OPAQUE, context);
  return wire;
}
