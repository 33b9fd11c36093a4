// Creates and reads the markers that are stored instead of a message's digest. With the markers, the header of a
// message is enough to know how the conversation continues below it. A blank message is an assistant message without
// content in its normal form.
//
// ""       The digest is deferred, because no lookup needs it. Leading instructions, which never have a digest, also
//          have this marker.
// "+"      The digest of an instruction within the conversation is deferred.
// "~user"  The message is blank; the turn above it (here of the role "user") continues below it.
// "~"      The message is blank, and only instructions are above it.
import type { MessageHeader } from "../store/rows.ts";
import { isInstruction, toTurnRole } from "./normal-form.ts";

/** The fields of a stored message on which the digests or markers of the messages below it depend. */
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

/**
 * True if the message and all messages above it are instructions or blank. Agents rewrite leading instructions on every
 * call, so they are not part of the chain of digests.
 */
export function isLeadingInstruction({ role, digest }: RoleAndDigest): boolean {
  return digest === BLANK || (digest === "" && isInstruction(role));
}

/**
 * Returns the role of the turn that a message belongs to. A blank message with a marker such as "~user" belongs to the
 * turn above it, whose role is in the marker.
 */
export function readTurnRole({ role, digest }: RoleAndDigest): string {
  return isBlankMarker(digest) ? digest.slice(BLANK.length) : toTurnRole(role);
}

/**
 * Returns the digest or marker to store for a blank message under `above`. A blank message does not change the
 * conversation, so under an assistant message or another blank message it has the same digest or marker as that
 * message.
 */
export function createBlankMarker(above: RoleAndDigest | undefined): string {
  if (above === undefined || isLeadingInstruction(above)) return BLANK;
  const continuesTurn = above.role === "assistant" || isBlankMarker(above.digest);
  return continuesTurn ? above.digest : BLANK + toTurnRole(above.role);
}

/**
 * Returns the marker to store instead of the digest of a message that continues a turn, if no lookup needs that digest.
 */
export function createDeferredMarker(role: string): string {
  return isInstruction(role) ? DEFERRED : "";
}

/**
 * True if the digests of messages below `row` need no message above it: the row is a leading instruction, or it has a
 * digest and ends a turn. It ends a turn if `below`, the nearest message under it that is not blank, has a different
 * turn role. Tool results also need the calls before them, so a turn end above a tool message is not sufficient.
 */
export function isKnownTurnEnd(row: MessageHeader, below: MessageHeader): boolean {
  return (
    isLeadingInstruction(row) ||
    (readTurnRole(row) !== readTurnRole(below) && isDigest(row.digest) && below.role !== "tool")
  );
}

/**
 * Returns the digest of a row for which `isKnownTurnEnd` is true; "" for a leading instruction or if there is no such
 * row.
 */
export function readDigestOrEmpty(end: MessageHeader | undefined): string {
  return end === undefined || !isDigest(end.digest) ? "" : end.digest;
}
