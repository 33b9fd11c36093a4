// What an MCP tool gave back, in the model's words. What a server says is not trusted to be what the protocol asks for:
// a block that is unknown or broken is kept as it is (B43).
import { isObject } from "../../model/kind.ts";
import type { JsonObject, Part } from "../../model/index.ts";
import { sameJson } from "../../model/index.ts";
import type { ToolOutput } from "../types.ts";

/** Where residue and unknown blocks say that they come from. */
const MCP = "mcp";

/**
 * A result's structured content is the output, and blocks that say the same again as text are left out; a single text is
 * the output; all else is content, with words for it as the output where it has none. `_meta` of the result is between server and client, and is not kept.
 */
export function decodeResult(result: Record<string, unknown>): ToolOutput {
  const { structuredContent, isError } = result;
  const blocks: unknown[] = Array.isArray(result["content"]) ? result["content"] : [];
  const output: ToolOutput = isError === true ? { isError } : {};
  if (structuredContent !== undefined) {
    output.output = structuredContent;
    const content = blocks.filter((block) => !repeats(block, structuredContent)).map(decodeBlock);
    if (content.length > 0) output.content = content;
    return output;
  }
  const content = blocks.map(decodeBlock);
  const [first] = content;
  if (content.length > 1 || (first !== undefined && (first.type !== "text" || first.extra !== undefined))) {
    const words = wordsFor(content);
    return words === undefined ? { ...output, content } : { ...output, output: words, content };
  }
  if (first?.type === "text") return { ...output, output: first.text };
  // What servers of the first revision sent in place of content.
  return { ...output, output: result["toolResult"] ?? "" };
}

/** What says in a text that there is content; undefined where it has a text itself. Many providers take nothing else. */
function wordsFor(content: readonly Part[]): string | undefined {
  if (content.some(({ type }) => type === "text")) return undefined;
  const unknown = content.flatMap((part) => (part.type === "opaque" ? JSON.stringify(part.value) : []));
  if (unknown.length > 0) return unknown.join("\n");
  const counts = Map.groupBy(content, ({ type }) => type);
  return [...counts].map(([type, { length }]) => `${length} ${type}${length > 1 ? "s" : ""}`).join(", ");
}

/** The protocol asks servers to give structured content as text, too, for clients that know no better. */
function repeats(block: unknown, structured: unknown): boolean {
  if (!isObject(block) || block["type"] !== "text" || typeof block["text"] !== "string") return false;
  try {
    return sameJson(JSON.parse(block["text"]), structured);
  } catch {
    // No JSON: it says something of its own.
    return false;
  }
}

function decodeBlock(block: unknown): Part {
  const part = isObject(block) ? (blockPart(block) ?? undefined) : undefined;
  return part ?? { type: "opaque", dialect: MCP, value: block };
}

/** Undefined for blocks that are unknown, or not what their type says. */
function blockPart(block: JsonObject): Part | undefined {
  const { type, text, data, mimeType, resource, ...rest } = block;
  switch (type) {
    case "text":
      return typeof text === "string" ? { type, text, ...residue(rest) } : undefined;
    case "image":
    case "audio":
      return typeof data === "string" ? { type, data, ...mime(mimeType), ...residue(rest) } : undefined;
    case "resource":
      return isObject(resource) ? resourcePart(resource, rest) : undefined;
    case "resource_link":
      return linkPart(block);
    default:
      return undefined;
  }
}

const mime = (value: unknown): { mimeType?: string } => (typeof value === "string" ? { mimeType: value } : {});

/** What the model has no word for. */
function residue(fields: JsonObject): { extra?: { mcp: JsonObject } } {
  return Object.keys(fields).length === 0 ? {} : { extra: { [MCP]: fields } };
}

/** A document that came along. */
function resourcePart(resource: JsonObject, beside: JsonObject): Part | undefined {
  const { text, blob, mimeType, ...rest } = resource;
  const source = typeof text === "string" ? { text } : typeof blob === "string" ? { data: blob } : undefined;
  if (source === undefined) return undefined;
  // A text is a document whatever it is about: no provider takes a picture in letters.
  const kind =
    "data" in source ? /^(image|audio|video)\//.exec(typeof mimeType === "string" ? mimeType : "")?.[1] : undefined;
  const name = typeof rest["uri"] === "string" ? nameIn(rest["uri"]) : undefined;
  return {
    // One of the three that the expression lets through.
    type: (kind as "image" | "audio" | "video" | undefined) ?? "file",
    ...source,
    ...mime(mimeType),
    ...(name !== undefined && { name }),
    ...residue({ ...beside, ...rest }),
  };
}

const nameIn = (uri: string): string | undefined => /([^/\\?#]+)(?:[?#].*)?$/.exec(uri)?.[1];

/**
 * A document that could be read. Its address means something to the server, not to a provider, which would refuse a
 * request that holds it as a file: the model is told of it in words.
 */
function linkPart(block: JsonObject): Part | undefined {
  const { type: _, uri, name, title, description, mimeType, ...rest } = block;
  if (typeof uri !== "string") return undefined;
  const label = [title, name].find((it) => typeof it === "string");
  const kind = typeof mimeType === "string" ? ` (${mimeType})` : "";
  const about = typeof description === "string" ? `: ${description}` : "";
  const text = `Resource ${label === undefined ? "" : `"${label}" `}${uri}${kind}${about}`;
  // `name` and `title` are often the same; where they are not, the text has only one of them.
  const unsaid = title !== undefined && name !== undefined && name !== title ? { name, ...rest } : rest;
  return { type: "text", text, ...residue(unsaid) };
}
