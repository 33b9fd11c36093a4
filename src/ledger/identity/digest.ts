// The digest of a conversation up to a turn: a hash over the digest before the turn and the turn's normal form.
import { hash } from "node:crypto";
import type { Message } from "../../model/message.ts";
import { isInstruction, toNormalForm } from "./normal-form.ts";

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** 20 bytes are 160 bits: 26 characters of base64, and 4 bits of the next. */
const WHOLE_CHARACTERS = 26;
const FOUR_BITS = 0b111100;

/**
 * Returns the digest of the conversation `previous` followed by a turn, complete or partial. `previous` is the digest
 * of the message before the turn, "" if there is none. Leading instructions have the digest "": they are not part of
 * the chain. `before` is the previous turn; it determines the order of two or more results by their calls, and may be
 * omitted otherwise.
 */
export function computeDigest(previous: string, turn: readonly Message[], before: readonly Message[] = []): string {
  const [first] = turn;
  if (first === undefined || (previous === "" && isInstruction(first.role))) return previous;
  const full = hash("sha256", `${previous}\n${toNormalForm(turn, before)}`, "base64url");
  // Cutting the base64 text is several times faster than cutting the bytes and encoding them.
  return full.slice(0, WHOLE_CHARACTERS) + BASE64.charAt(BASE64.indexOf(full.charAt(WHOLE_CHARACTERS)) & FOUR_BITS);
}
