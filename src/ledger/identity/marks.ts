// What stands in place of a message's digest where it has none of its own, so that its header alone tells how the
// conversation goes on under it.
//
// ""       put off, as nobody asks for it; of instructions: they stand at the beginning, outside of the chain
// "+"      put off, of instructions within the conversation
// "~user"  the message says nothing, and the turn above it goes on under it; here a user's
// "~"      the message says nothing, and nothing but instructions stands above it
import type { MessageHeader } from "../rows.ts";
import { isInstruction, voiceOf } from "./normal-form.ts";

/** What of a message the digests below it depend on. */
export type Named = Pick<MessageHeader, "role" | "digest">;

const LATER = "+";
const SILENT = "~";

/** Whether it is a digest and no mark. */
export function isDigest(digest: string): boolean {
  return digest !== "" && digest !== LATER && !digest.startsWith(SILENT);
}

export function isSilentMark(digest: string): boolean {
  return digest.startsWith(SILENT);
}

/** Whether nothing but instructions stands up to here: agents rewrite those on every call. */
export function isLeading({ role, digest }: Named): boolean {
  return digest === SILENT || (digest === "" && isInstruction(role));
}

/** Whose turn it is at a message. */
export function turnVoice({ role, digest }: Named): string {
  return isSilentMark(digest) ? digest.slice(SILENT.length) : voiceOf(role);
}

/** Of a message that says nothing, under `above`: the conversation is what it was. */
export function silentMark(above: Named | undefined): string {
  if (above === undefined || isLeading(above)) return SILENT;
  const isTurn = above.role === "assistant" || isSilentMark(above.digest);
  return isTurn ? above.digest : SILENT + voiceOf(above.role);
}

/** Of a message that continues a turn without anybody asking who the conversation is by then. */
export function laterMark(role: string): string {
  return isInstruction(role) ? LATER : "";
}

/**
 * Whether a row stands for everything up to it, as read from below: it ends another turn than that of `below`, the last
 * message that said something, and its digest is known. But results need the calls before them.
 */
export function endsAbove(row: MessageHeader, below: MessageHeader): boolean {
  return isLeading(row) || (turnVoice(row) !== turnVoice(below) && isDigest(row.digest) && below.role !== "tool");
}

/** The digest of the conversation up to such a row; at the root there is none. */
export function digestAt(end: MessageHeader | undefined): string {
  return end === undefined || !isDigest(end.digest) ? "" : end.digest;
}
