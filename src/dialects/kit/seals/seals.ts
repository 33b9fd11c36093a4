// Reads and writes the seals of parts. Decoders add the issuer to each seal; encoders send a seal only to its issuer,
// and report it as a loss for every other target (B5).
import type { Issuer, PartBase, Seal, SealKind, WithSeals } from "../../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../../dialect.ts";

export type SealLoss = "seal-not-portable" | "id-not-portable" | "metadata-dropped";

/**
 * True if a seal can be sent to the target: both have the same dialect and, if both providers are known, the same
 * provider (B5).
 */
export function isSealFor(
  seal: Pick<Seal, "dialect" | "provider">,
  target: { dialect: string; provider?: string | undefined },
): boolean {
  if (seal.dialect !== target.dialect) return false;
  return seal.provider === undefined || target.provider === undefined || seal.provider === target.provider;
}

/** Returns the issuer of the seals and file ids that a decoder reads. */
export function toIssuer({ dialect, provider }: DecodeContext): Issuer {
  return provider === undefined ? { dialect } : { dialect, provider };
}

/** Adds a seal with its issuer to a part or annotation. */
export function addSeal(target: WithSeals, kind: SealKind, value: string, context: DecodeContext): void {
  const { dialect, provider } = context;
  const seal: Seal = provider === undefined ? { dialect, kind, value } : { dialect, provider, kind, value };
  if (target.seals === undefined) target.seals = [seal];
  else target.seals.push(seal);
}

/** Returns the value of the first seal of a kind that can be sent to the target; undefined if there is no such seal. */
export function findSealValue(target: WithSeals, kind: SealKind, context: EncodeContext): string | undefined {
  return target.seals === undefined ? undefined : findSeal(target.seals, kind, context)?.value;
}

function findSeal(seals: readonly Seal[], kind: SealKind, context: EncodeContext): Seal | undefined {
  for (const seal of seals) if (seal.kind === kind && isSealFor(seal, context)) return seal;
  return undefined;
}

/**
 * Reports every seal that was not sent. The caller has sent the first sendable seal of the kinds `written` and
 * `alsoWritten`, and no other seal.
 */
export function reportUnsentSeals(
  target: PartBase,
  context: EncodeContext<SealLoss>,
  written?: SealKind,
  alsoWritten?: SealKind,
): void {
  const { seals } = target;
  if (seals === undefined) return;
  for (const [index, seal] of seals.entries()) {
    const { kind } = seal;
    // Only the first sendable seal of a kind is sent, which is the seal that `findSealValue` returns.
    const isWritten = (kind === written || kind === alsoWritten) && findSeal(seals, kind, context) === seal;
    if (isWritten) reportIssuer(seal, index, context);
    else context.report.addLoss(kind === "id" ? "id-not-portable" : "seal-not-portable", ["seals", index]);
  }
}

/**
 * Reports that the provider and model of a sent seal are dropped, if the wire is a bare list of messages. A list has no
 * field for them; for a request, the target knows its provider and model.
 */
function reportIssuer(seal: Seal, index: number, { report, pathTracker }: EncodeContext<SealLoss>): void {
  if (!pathTracker.isInList) return;
  for (const field of ["provider", "model"] as const) {
    if (seal[field] !== undefined) report.addLoss("metadata-dropped", ["seals", index, field]);
  }
}
