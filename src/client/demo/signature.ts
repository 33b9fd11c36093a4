// The demo's own seals: every piece of its reasoning is signed, and checked when it comes back, as providers do it.
// The signature shows that nothing was changed by mistake; it is no cryptography.
import type { Message, Part, Seal } from "../../model/index.ts";
import type { ClientError } from "../errors.ts";
import { refuse } from "./failures.ts";

/** The word for the demo's seals where dialects have theirs. */
const DIALECT = "demo";
const FIRST = 0x811c9dc5;
const SECOND = 0x9747b28c;

/** Sixteen hexadecimal digits that tell texts apart. */
export function fingerprint(text: string): string {
  return half(text, FIRST, 0x01000193) + half(text, SECOND, 0x85ebca6b);
}

function half(text: string, seed: number, factor: number): string {
  let hash = seed;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), factor);
    hash ^= hash >>> 15;
  }
  // The last characters count as much as the first.
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash ^= hash >>> 16;
  return (hash >>> 0).toString(16).padStart(8, "0");
}

export function sealOf(issuer: string, text: string): Seal {
  return { dialect: DIALECT, provider: issuer, kind: "signature", value: fingerprint(`${issuer}\n${text}`) };
}

/** A call's id, made so that its maker knows it again. */
export function callId(issuer: string, origin: string): string {
  const own = fingerprint(origin);
  return `call_${own}${mark(issuer, own)}`;
}

function mark(issuer: string, own: string): string {
  return fingerprint(`${issuer}\ncall\n${own}`).slice(0, 8);
}

function isOwnCall(issuer: string, part: Part): boolean {
  if (part.type !== "tool-call") return false;
  const [, own, found] = /^call_([0-9a-f]{16})([0-9a-f]{8})$/.exec(part.toolCallId) ?? [];
  return own !== undefined && found === mark(issuer, own);
}

/** Refuses a history whose signed reasoning was changed, or is missing where `thought` says that it must be there. */
export function checkSeals(messages: readonly Message[], issuer: string, thought: (index: number) => boolean): void {
  messages.forEach((message, index) => {
    message.parts.forEach((part, place) => checkPart(part, issuer, `/messages/${index}/parts/${place}`));
    const isMissing = thought(index) && message.parts.some((part) => isOwnCall(issuer, part)) && !hasSeal(message);
    if (isMissing) {
      throw refusal(
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
      throw refusal(path, `the signature was issued by "${seal.provider}", and this is "${issuer}".`);
    }
    if (part.type !== "reasoning" || seal.value !== sealOf(issuer, text).value) {
      throw refusal(path, "the signature does not belong to this reasoning. Send it back exactly as it came.");
    }
  }
}

function refusal(path: string, what: string): ClientError {
  return refuse("invalid-request", 400, path, `At ${path}: ${what}`);
}
