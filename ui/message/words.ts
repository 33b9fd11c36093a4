// What is said about a message beside its parts, in words. Pure.
import type { FinishReason, Message, OpaquePart, Seal, UnifiedFinishReason } from "koine";
import { visible } from "../markdown/address.ts";

const FINISHES: Record<UnifiedFinishReason, string | undefined> = {
  stop: undefined,
  "tool-calls": undefined,
  length: "cut off at the limit",
  "content-filter": "stopped by a filter",
  refusal: "refused",
  pause: "paused by the provider",
  error: "ended with an error",
  other: "ended otherwise",
};

/** Why an answer ended, where that is worth saying. */
export function finishWords(finish: FinishReason | undefined): string | undefined {
  if (finish === undefined) return undefined;
  const words = Object.hasOwn(FINISHES, finish.unified) ? FINISHES[finish.unified] : visible(finish.unified, 60);
  if (words === undefined || finish.unified !== "other") return words;
  return finish.raw === undefined ? words : `${words}: ${visible(finish.raw, 60)}`;
}

/** Who gave an answer, beside the model that made it. */
export function providerWords(message: Pick<Message, "metadata"> | undefined): string | undefined {
  const provider: unknown = message?.metadata?.provider;
  return typeof provider === "string" ? `From ${visible(provider, 60)}` : undefined;
}

const KINDS: Record<string, readonly [one: string, many: string]> = {
  signature: ["signature", "signatures"],
  encrypted: ["encrypted text", "encrypted texts"],
  redacted: ["redacted text", "redacted texts"],
  id: ["id", "ids"],
};

/** "sealed by anthropic, 1 signature": what only its issuer can read. */
export function sealWords(seals: readonly Seal[] | undefined): string | undefined {
  if (seals === undefined || seals.length === 0) return undefined;
  const issuers = new Map<string, Map<string, number>>();
  for (const { provider, dialect, kind } of seals) {
    const issuer = visible(provider ?? dialect, 40);
    const kinds = issuers.get(issuer) ?? new Map<string, number>();
    issuers.set(issuer, kinds.set(kind, (kinds.get(kind) ?? 0) + 1));
  }
  return [...issuers].map(([issuer, kinds]) => `sealed by ${issuer}, ${[...kinds].map(counted).join(", ")}`).join("; ");
}

function counted([kind, count]: [string, number]): string {
  const [one, many] = Object.hasOwn(KINDS, kind)
    ? (KINDS[kind] ?? [kind, kind])
    : [visible(kind, 40), visible(kind, 40)];
  return `${count} ${count === 1 ? one : many}`;
}

/** What a part is that has no word of its own. */
export function opaqueWords({ dialect, value }: Pick<OpaquePart, "dialect" | "value">): string {
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  const name = typeof type === "string" ? ` “${visible(type, 60)}”` : "";
  return `Block${name} of ${visible(dialect, 60)}, kept as it is`;
}

/** The last line with something in it, shortened from the left: what is being thought right now. */
export function lastLine(text: string, most = 120): string {
  const end = text.trimEnd();
  const line = end.slice(Math.max(end.lastIndexOf("\n") + 1, end.length - 4 * most)).trim();
  return line.length > most ? `…${line.slice(-most)}` : line;
}
