// The identity of a conversation up to a turn: a hash over the digest before the turn and the turn's normal form.
import { hash } from "node:crypto";
import type { Message } from "../../model/message.ts";
import { isInstruction, normalForm } from "./normal-form.ts";

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** 20 bytes are 160 bits: 26 characters, and 4 bits of the next. */
const WHOLE = 26;
const FOUR_BITS = 0b111100;

/**
 * The digest of the conversation `previous` and a turn: a run of messages of one role, or as much of it as there is.
 * `previous` is the digest of the message before the turn, "" where there is none. Leading instructions have the digest "":
 * they are outside the chain. `before` is the turn before; where a turn has two results or more, it tells the order of
 * the calls that they answer, and may be left out otherwise.
 */
export function digestAfter(previous: string, turn: readonly Message[], before: readonly Message[] = []): string {
  const [first] = turn;
  if (first === undefined || (previous === "" && isInstruction(first.role))) return previous;
  const whole = hash("sha256", `${previous}\n${normalForm(turn, before)}`, "base64url");
  // Cutting the text is several times faster than cutting the bytes and writing those.
  return whole.slice(0, WHOLE) + BASE64.charAt(BASE64.indexOf(whole.charAt(WHOLE)) & FOUR_BITS);
}
