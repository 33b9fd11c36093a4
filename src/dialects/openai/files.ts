// Rules about files that Chat and Responses share: which file ids the target can read, and documents made of text.
import type { FilePart, Issuer } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { BLANK_LINE } from "../kit/history/system-text.ts";
import { isSealFor } from "../kit/seals/seals.ts";
import { siblingDialect } from "./sibling-residue.ts";

/** True if the target can read a file id: an id is valid in both dialects of its provider (B5). */
export function canReadFileId(issuer: Issuer | undefined, target: EncodeContext): boolean {
  if (issuer === undefined || isSealFor(issuer, target)) return true;
  const { dialect, provider } = issuer;
  return dialect === siblingDialect(target.dialect) && provider !== undefined && provider === target.provider;
}

/** Joins the content of a document; undefined if it has parts other than text. */
export function joinTextContent({ content }: Pick<FilePart, "content">): string | undefined {
  if (content === undefined || content.length === 0) return undefined;
  const texts: string[] = [];
  for (const part of content) {
    if (part.type !== "text") return undefined;
    texts.push(part.text);
  }
  return texts.join(BLANK_LINE);
}
