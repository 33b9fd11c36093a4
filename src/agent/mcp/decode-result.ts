// Decodes the result of an MCP tool. A server may violate the protocol, so an unknown or invalid block becomes an
// opaque part (B43).
import { isObject } from "../../model/value-kind.ts";
import type { JsonObject, Part } from "../../model/index.ts";
import { sameJson } from "../../model/index.ts";
import type { ToolOutput } from "../types.ts";

/** The dialect name in the residue and opaque parts of MCP results. */
const MCP = "mcp";

/**
 * Decodes a result. Structured content becomes the output; of the blocks, texts that repeat it are dropped, and the
 * others become content. Without structured content, a single text becomes the output; other blocks become content,
 * and, if none of them is a text, a description of them becomes the output. `_meta` is dropped.
 */
export function decodeResult(result: Record<string, unknown>): ToolOutput {
  const { structuredContent, isError } = result;
  const blocks: unknown[] = Array.isArray(result["content"]) ? result["content"] : [];
  const output: ToolOutput = isError === true ? { isError } : {};
  if (structuredContent !== undefined) {
    output.output = structuredContent;
    const content = blocks.filter((block) => !isRepeated(block, structuredContent)).map(decodeBlock);
    if (content.length > 0) output.content = content;
    return output;
  }
  const content = blocks.map(decodeBlock);
  const [first] = content;
  if (content.length > 1 || (first !== undefined && (first.type !== "text" || first.extra !== undefined))) {
    const description = describeContent(content);
    return description === undefined ? { ...output, content } : { ...output, output: description, content };
  }
  if (first?.type === "text") return { ...output, output: first.text };
  // Servers of the first revision of the protocol send `toolResult` instead of `content`.
  return { ...output, output: result["toolResult"] ?? "" };
}

/**
 * Returns a description of content without text, because many providers accept only text; undefined if the content has
 * a text.
 */
function describeContent(content: readonly Part[]): string | undefined {
  if (content.some(({ type }) => type === "text")) return undefined;
  const unknown = content.flatMap((part) => (part.type === "opaque" ? JSON.stringify(part.value) : []));
  if (unknown.length > 0) return unknown.join("\n");
  const counts = Map.groupBy(content, ({ type }) => type);
  return [...counts].map(([type, { length }]) => `${length} ${type}${length > 1 ? "s" : ""}`).join(", ");
}

/** True if a text block repeats the structured content, as the protocol recommends for older clients. */
function isRepeated(block: unknown, structured: unknown): boolean {
  if (!isObject(block) || block["type"] !== "text" || typeof block["text"] !== "string") return false;
  try {
    return sameJson(JSON.parse(block["text"]), structured);
  } catch {
    // A text that is not JSON cannot repeat the structured content.
    return false;
  }
}

function decodeBlock(block: unknown): Part {
  const part = isObject(block) ? (blockPart(block) ?? undefined) : undefined;
  return part ?? { type: "opaque", dialect: MCP, value: block };
}

/** Converts a content block to a part; returns undefined for an unknown or invalid block. */
function blockPart(block: JsonObject): Part | undefined {
  const { type, text, data, mimeType, resource, ...rest } = block;
  switch (type) {
    case "text":
      return typeof text === "string" ? { type, text, ...residueField(rest) } : undefined;
    case "image":
    case "audio":
      return typeof data === "string" ? { type, data, ...mimeField(mimeType), ...residueField(rest) } : undefined;
    case "resource":
      return isObject(resource) ? resourcePart(resource, rest) : undefined;
    case "resource_link":
      return linkPart(block);
    default:
      return undefined;
  }
}

const mimeField = (value: unknown): { mimeType?: string } => (typeof value === "string" ? { mimeType: value } : {});

/** Returns fields without a canonical counterpart as residue. */
function residueField(fields: JsonObject): { extra?: { mcp: JsonObject } } {
  return Object.keys(fields).length === 0 ? {} : { extra: { [MCP]: fields } };
}

/** Decodes an embedded resource; returns undefined if it has neither text nor bytes. */
function resourcePart(resource: JsonObject, blockFields: JsonObject): Part | undefined {
  const { text, blob, mimeType, ...rest } = resource;
  const source = typeof text === "string" ? { text } : typeof blob === "string" ? { data: blob } : undefined;
  if (source === undefined) return undefined;
  // A resource with text is always a file, even with the MIME type of an image (SVG), because providers accept images
  // only as bytes.
  const kind =
    "data" in source ? /^(image|audio|video)\//.exec(typeof mimeType === "string" ? mimeType : "")?.[1] : undefined;
  const name = typeof rest["uri"] === "string" ? readFileName(rest["uri"]) : undefined;
  return {
    // The cast is safe, because the expression matches only these three types.
    type: (kind as "image" | "audio" | "video" | undefined) ?? "file",
    ...source,
    ...mimeField(mimeType),
    ...(name !== undefined && { name }),
    ...residueField({ ...blockFields, ...rest }),
  };
}

const readFileName = (uri: string): string | undefined => /([^/\\?#]+)(?:[?#].*)?$/.exec(uri)?.[1];

/**
 * Decodes a resource link as text. Only the server can read the URI, so providers would reject a file part with this
 * URI.
 */
function linkPart(block: JsonObject): Part | undefined {
  const { type: _, uri, name, title, description, mimeType, ...rest } = block;
  if (typeof uri !== "string") return undefined;
  const label = [title, name].find((each) => typeof each === "string");
  const kind = typeof mimeType === "string" ? ` (${mimeType})` : "";
  const about = typeof description === "string" ? `: ${description}` : "";
  const text = `Resource ${label === undefined ? "" : `"${label}" `}${uri}${kind}${about}`;
  // The text contains only `title` or `name`; a name that differs from the title is stored as residue.
  const otherFields = title !== undefined && name !== undefined && name !== title ? { name, ...rest } : rest;
  return { type: "text", text, ...residueField(otherFields) };
}
