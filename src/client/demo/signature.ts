// Creates and checks the seals of the demo provider: all reasoning is signed, and the signature is checked when the
// reasoning is sent back, as real providers do. The signature detects accidental changes; it is not cryptographic.
import type { Message, Part, Seal } from "../../model/index.ts";
import type { ClientError } from "../../calls/index.ts";
import { requestError } from "./demo-errors.ts";

/** The dialect name in the demo's seals. */
const DIALECT = "demo";
const FIRST = 0x811c9dc5;
const SECOND = 0x9747b28c;

/** Returns a hash of sixteen hexadecimal digits. */
export function fingerprint(text: string): string {
  return hashHalf(text, FIRST, 0x01000193) + hashHalf(text, SECOND, 0x85ebca6b);
}

function hashHalf(text: string, seed: number, factor: number): string {
  let hash = seed;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), factor);
    hash ^= hash >>> 15;
  }
  // The hash is mixed once more, so that the last characters affect all bits.
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash ^= hash >>> 16;
  return (hash >>> 0).toString(16).padStart(8, "0");
}

export function createSeal(issuer: string, text: string): Seal {
  return { dialect: DIALECT, provider: issuer, kind: "signature", value: fingerprint(`${issuer}\n${text}`) };
}

/** Creates a call id from which the same issuer can recognize its own calls. */
export function createCallId(issuer: string, origin: string): string {
  const own = fingerprint(origin);
  return `call_${own}${computeMark(issuer, own)}`;
}

/**
 * Returns the mark of a call id, its last eight digits: a hash of the issuer and of the digits before the mark (`own`).
 * Only the issuer that created a call id computes the same mark.
 */
function computeMark(issuer: string, own: string): string {
  return fingerprint(`${issuer}\ncall\n${own}`).slice(0, 8);
}

function isOwnCall(issuer: string, part: Part): boolean {
  if (part.type !== "tool-call") return false;
  const [, own, mark] = /^call_([0-9a-f]{16})([0-9a-f]{8})$/.exec(part.toolCallId) ?? [];
  return own !== undefined && mark === computeMark(issuer, own);
}

/**
 * Throws if signed reasoning in the history was changed. Also throws if a message with the demo's own calls lacks
 * signed reasoning although `hasReasoned` is true for its index.
 */
export function checkSeals(
  messages: readonly Message[],
  issuer: string,
  hasReasoned: (index: number) => boolean,
): void {
  messages.forEach((message, index) => {
    message.parts.forEach((part, partIndex) => checkPart(part, issuer, `/messages/${index}/parts/${partIndex}`));
    const isMissing = hasReasoned(index) && message.parts.some((part) => isOwnCall(issuer, part)) && !hasSeal(message);
    if (isMissing) {
      throw sealError(
        `/messages/${index}`,
        "the reasoning before these tool calls, or its signature, is missing. Send the answer back with all its parts.",
      );
    }
  });
}

function hasSeal({ parts }: Message): boolean {
  return parts.some(({ type, seals }) => type === "reasoning" && seals?.some(({ dialect }) => dialect === DIALECT));
}

function checkPart(part: Part, issuer: string, path: string): void {
  for (const seal of part.seals ?? []) {
    if (seal.dialect !== DIALECT) continue;
    const text = part.type === "reasoning" ? part.text : "";
    if (seal.provider !== undefined && seal.provider !== issuer) {
      throw sealError(path, `the signature was issued by "${seal.provider}", and this is "${issuer}".`);
    }
    if (part.type !== "reasoning" || seal.value !== createSeal(issuer, text).value) {
      throw sealError(path, "the signature does not belong to this reasoning. Send it back exactly as it came.");
    }
  }
}

function sealError(path: string, fault: string): ClientError {
  return requestError("invalid-request", 400, path, `At ${path}: ${fault}`);
}
