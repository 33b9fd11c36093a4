// Documents that are texts. Chat takes no files but PDF, so that these go out as what they say.
import type { JsonObject } from "../../model/json.ts";
import type { FilePart } from "../../model/parts.ts";
import { textOfContent } from "../kit/openai-shared.ts";
import { carrying, finishPart } from "./finish-part.ts";
import type { ChatText } from "./types.ts";
import { isOwn } from "./vendors.ts";
import type { Writing } from "./writing.ts";
import { spelling } from "./writing.ts";

const TEXT = /^text\//i;
const PLAIN = "text/plain";

/** Whether a type is one that OpenAI does not take as a file. */
export function isTextType(mimeType: string | undefined): boolean {
  return mimeType !== undefined && TEXT.test(mimeType);
}

const SOURCES = ["text", "content", "data"] as const;
const CARRIED = {
  text: carrying("text"),
  content: carrying("content"),
  data: carrying("data"),
} as const;
const PLAIN_CARRIED = {
  text: carrying("text", "mimeType"),
  content: carrying("content", "mimeType"),
  data: carrying("data", "mimeType"),
} as const;

/** A document as a block of text; undefined where it is none. */
export function encodeDocument(part: FilePart, writing: Writing): JsonObject | undefined {
  const source = SOURCES.find((each) => part[each] !== undefined);
  if (source === undefined || part.url !== undefined || part.fileId !== undefined) return undefined;
  const text = source === "text" ? part.text : source === "content" ? textOfContent(part) : textOfData(part, writing);
  if (text === undefined) return undefined;
  writing.context.report.addLoss("document-as-text", source);
  const carried = part.mimeType === PLAIN ? PLAIN_CARRIED : CARRIED;
  return finishPart({ type: "text", text } satisfies ChatText, part, carried[source], writing);
}

/** The text whose bytes a file holds, where they must not go out as they are; undefined where they are no UTF-8. */
function textOfData(part: FilePart, writing: Writing): string | undefined {
  const isTaken = !writing.context.repair || !isOwn(writing.vendor) || spelling(part, "as", writing) === "data";
  if (isTaken || !isTextType(part.mimeType)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(part.data ?? ""), (char) => char.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
