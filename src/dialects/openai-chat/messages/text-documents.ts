// Encodes text documents as text blocks, because OpenAI's Chat accepts no files other than PDF.
import type { JsonObject } from "../../../model/json/index.ts";
import type { FilePart } from "../../../model/parts.ts";
import { joinTextContent } from "../../openai/files.ts";
import { supportedFields, finishPart } from "./finish-part.ts";
import type { ChatText } from "../types.ts";
import { isOpenAiOrUnknown } from "../vendors.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { readFormValue } from "../encode-state.ts";

const TEXT_TYPE = /^text\//i;
const PLAIN_TEXT = "text/plain";

/** True for MIME types of text, which OpenAI does not accept as files. */
export function isTextType(mimeType: string | undefined): boolean {
  return mimeType !== undefined && TEXT_TYPE.test(mimeType);
}

const SOURCES = ["text", "content", "data"] as const;
const SUPPORTED = {
  text: supportedFields("text"),
  content: supportedFields("content"),
  data: supportedFields("data"),
} as const;
const SUPPORTED_OF_PLAIN_TEXT = {
  text: supportedFields("text", "mimeType"),
  content: supportedFields("content", "mimeType"),
  data: supportedFields("data", "mimeType"),
} as const;

/** Encodes a document as a text block. Returns undefined if the document is not text or is sent as a file. */
export function encodeDocument(part: FilePart, state: ChatEncodeState): JsonObject | undefined {
  const source = SOURCES.find((each) => part[each] !== undefined);
  if (source === undefined || part.url !== undefined || part.fileId !== undefined) return undefined;
  const text =
    source === "text" ? part.text : source === "content" ? joinTextContent(part) : decodeTextData(part, state);
  if (text === undefined) return undefined;
  state.context.report.addLoss("document-as-text", source);
  const supported = part.mimeType === PLAIN_TEXT ? SUPPORTED_OF_PLAIN_TEXT : SUPPORTED;
  return finishPart({ type: "text", text } satisfies ChatText, part, supported[source], state);
}

/**
 * Returns the decoded text of a file that the target does not accept as a file; undefined if the target accepts the
 * file, or if its bytes are not UTF-8.
 */
function decodeTextData(part: FilePart, state: ChatEncodeState): string | undefined {
  const isAcceptedAsFile =
    !state.context.repair || !isOpenAiOrUnknown(state.vendor) || readFormValue(part, "as", state) === "data";
  if (isAcceptedAsFile || !isTextType(part.mimeType)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(part.data ?? ""), (char) => char.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
