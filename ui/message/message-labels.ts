// Returns labels for the metadata of a message: finish reason, provider and seals. All functions are pure.
import type { FinishReason, Message, OpaquePart, Seal, UnifiedFinishReason } from "koine";
import { escapeInvisible } from "../markdown/safe-url.ts";

const FINISH_LABELS: Record<UnifiedFinishReason, string | undefined> = {
  stop: undefined,
  "tool-calls": undefined,
  length: "cut off at the token limit",
  "content-filter": "stopped by a content filter",
  refusal: "refused",
  pause: "paused by the provider",
  error: "ended with an error",
  other: "ended for another reason",
};

/** Returns a label for an unusual finish reason; undefined for a normal end of the answer. */
export function describeFinish(finish: FinishReason | undefined): string | undefined {
  if (finish === undefined) return undefined;
  const label = Object.hasOwn(FINISH_LABELS, finish.unified)
    ? FINISH_LABELS[finish.unified]
    : escapeInvisible(finish.unified, 60);
  if (label === undefined || finish.unified !== "other") return label;
  return finish.raw === undefined ? label : `${label}: ${escapeInvisible(finish.raw, 60)}`;
}

export function describeProvider(message: Pick<Message, "metadata"> | undefined): string | undefined {
  const provider: unknown = message?.metadata?.provider;
  return typeof provider === "string" ? `From ${escapeInvisible(provider, 60)}` : undefined;
}

const SEAL_KIND_LABELS: Record<string, readonly [one: string, many: string]> = {
  signature: ["signature", "signatures"],
  encrypted: ["encrypted text", "encrypted texts"],
  redacted: ["redacted text", "redacted texts"],
  id: ["id", "ids"],
};

/** Returns a text such as "sealed by anthropic, 1 signature"; undefined without seals. */
export function describeSeals(seals: readonly Seal[] | undefined): string | undefined {
  if (seals === undefined || seals.length === 0) return undefined;
  const issuers = new Map<string, Map<string, number>>();
  for (const { provider, dialect, kind } of seals) {
    const issuer = escapeInvisible(provider ?? dialect, 40);
    const kinds = issuers.get(issuer) ?? new Map<string, number>();
    issuers.set(issuer, kinds.set(kind, (kinds.get(kind) ?? 0) + 1));
  }
  return [...issuers]
    .map(([issuer, kinds]) => `sealed by ${issuer}, ${[...kinds].map(formatSealCount).join(", ")}`)
    .join("; ");
}

function formatSealCount([kind, count]: [string, number]): string {
  const [one, many] = Object.hasOwn(SEAL_KIND_LABELS, kind)
    ? (SEAL_KIND_LABELS[kind] ?? [kind, kind])
    : [escapeInvisible(kind, 40), escapeInvisible(kind, 40)];
  return `${count} ${count === 1 ? one : many}`;
}

/**
 * Returns the label of an opaque part, which has no canonical type: the dialect and the part's type in that dialect.
 */
export function describeOpaquePart({ dialect, value }: Pick<OpaquePart, "dialect" | "value">): string {
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  const name = typeof type === "string" ? ` “${escapeInvisible(type, 60)}”` : "";
  return `Block${name} of ${escapeInvisible(dialect, 60)}, stored unchanged`;
}

/** Returns the last non-empty line, truncated on the left; the page shows it while a model reasons. */
export function readLastLine(text: string, maxLength = 120): string {
  const end = text.trimEnd();
  const line = end.slice(Math.max(end.lastIndexOf("\n") + 1, end.length - 4 * maxLength)).trim();
  return line.length > maxLength ? `…${line.slice(-maxLength)}` : line;
}
