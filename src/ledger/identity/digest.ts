// Computes the digest of a conversation up to a turn: a hash over the digest before the turn and the turn's normal
// form.
import { hash } from "node:crypto";
import type { Message } from "../../model/message.ts";
import { isInstruction, toNormalForm } from "./normal-form.ts";

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** A digest has 20 bytes (160 bits): this number of base64 characters, and 4 of the 6 bits of the next one. */
const WHOLE_CHARACTERS = 26;
/** The mask of the first 4 of the 6 bits of a base64 character. */
const FOUR_BITS = 0b111100;

/**
 * Returns the digest of a conversation whose last turn is `turn`; the turn may be incomplete. `previous` is the digest
 * before the turn, "" at the beginning of a conversation. Instructions at the beginning keep the digest "", because
 * digests do not cover them. `before` is the turn before `turn`: several results are sorted in the order of its calls.
 */
export function computeDigest(previous: string, turn: readonly Message[], before: readonly Message[] = []): string {
  const [first] = turn;
  if (first === undefined || (previous === "" && isInstruction(first.role))) return previous;
  const full = hash("sha256", `${previous}\n${toNormalForm(turn, before)}`, "base64url");
  // Cutting the base64 text is several times faster than cutting the bytes and encoding them.
  return full.slice(0, WHOLE_CHARACTERS) + BASE64.charAt(BASE64.indexOf(full.charAt(WHOLE_CHARACTERS)) & FOUR_BITS);
}
