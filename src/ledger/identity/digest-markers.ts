// Markers in place of a message's digest, so that its header alone tells how the conversation continues under it. A
// blank message is an assistant message without content in its normal form.
//
// ""       deferred, because no lookup needs it; for instructions: leading ones, not part of the chain
// "+"      deferred, for instructions within the conversation
// "~user"  blank; the turn above continues under it (here a user's)
// "~"      blank; only instructions are above it
import type { MessageHeader } from "../store/rows.ts";
import { isInstruction, toTurnRole } from "./normal-form.ts";

/** The fields of a message that the digests below it depend on. */
export type RoleAndDigest = Pick<MessageHeader, "role" | "digest">;

const DEFERRED = "+";
const BLANK = "~";

/** True for a digest, false for a marker. */
export function isDigest(digest: string): boolean {
  return digest !== "" && digest !== DEFERRED && !digest.startsWith(BLANK);
}

export function isBlankMarker(digest: string): boolean {
  return digest.startsWith(BLANK);
}

/** True if only instructions come before this message, including it: agents rewrite those on every call. */
export function isLeadingInstruction({ role, digest }: RoleAndDigest): boolean {
  return digest === BLANK || (digest === "" && isInstruction(role));
}

/** Returns the role of the turn that a message belongs to. */
export function readTurnRole({ role, digest }: RoleAndDigest): string {
  return isBlankMarker(digest) ? digest.slice(BLANK.length) : toTurnRole(role);
}

/** Returns the marker of a blank message under `above`: the conversation is unchanged. */
export function createBlankMarker(above: RoleAndDigest | undefined): string {
  if (above === undefined || isLeadingInstruction(above)) return BLANK;
  const continuesTurn = above.role === "assistant" || isBlankMarker(above.digest);
  return continuesTurn ? above.digest : BLANK + toTurnRole(above.role);
}

/** Returns the marker of a message that continues a turn and whose digest no lookup needs. */
export function createDeferredMarker(role: string): string {
  return isInstruction(role) ? DEFERRED : "";
}

/**
 * True if a row's digest covers everything up to it, when read from below: it ends another turn than that of `below`,
 * the last message that is not blank, and its digest is known. Results also need the calls before them.
 */
export function isKnownTurnEnd(row: MessageHeader, below: MessageHeader): boolean {
  return (
    isLeadingInstruction(row) ||
    (readTurnRole(row) !== readTurnRole(below) && isDigest(row.digest) && below.role !== "tool")
  );
}

/** Returns the digest of the conversation up to such a row; "" at the root. */
export function readDigestOrEmpty(end: MessageHeader | undefined): string {
  return end === undefined || !isDigest(end.digest) ? "" : end.digest;
}
