// Decides which file ids the target can read, and joins the texts of a document. Chat and Responses share these rules.
import type { FilePart, Issuer } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { BLANK_LINE } from "../kit/history/system-text.ts";
import { isSealFor } from "../kit/seals/seals.ts";
import { siblingDialect } from "./sibling-residue.ts";

/**
 * True if the target can read a file id. An id is valid in both OpenAI dialects of the provider that issued it (B5).
 */
export function canReadFileId(issuer: Issuer | undefined, target: EncodeContext): boolean {
  if (issuer === undefined || isSealFor(issuer, target)) return true;
  const { dialect, provider } = issuer;
  return dialect === siblingDialect(target.dialect) && provider !== undefined && provider === target.provider;
}

/**
 * Returns the texts of a document joined by empty lines; undefined if the document has no content or parts other than
 * text.
 */
export function joinTextContent({ content }: Pick<FilePart, "content">): string | undefined {
  if (content === undefined || content.length === 0) return undefined;
  const texts: string[] = [];
  for (const part of content) {
    if (part.type !== "text") return undefined;
    texts.push(part.text);
  }
  return texts.join(BLANK_LINE);
}
