// Seals on parts: stamped where they are read, sent back only to their issuer, reported everywhere else (B5).
import type { Issuer, PartBase, Seal, SealKind } from "../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { isSealFor } from "./residue.ts";

export type SealLoss = "seal-foreign" | "id-foreign" | "bookkeeping";

interface Sealed {
  seals?: Seal[];
}

/** Who issues what this decoder reads. */
export function issuerOf({ dialect, provider }: DecodeContext): Issuer {
  return provider === undefined ? { dialect } : { dialect, provider };
}

/** Puts a seal on a part or annotation, stamped with its issuer. */
export function addSeal(target: Sealed, kind: SealKind, value: string, context: DecodeContext): void {
  const { dialect, provider } = context;
  const seal: Seal = provider === undefined ? { dialect, kind, value } : { dialect, provider, kind, value };
  if (target.seals === undefined) target.seals = [seal];
  else target.seals.push(seal);
}

/** The value of this dialect's seal of a kind, where it may be sent. */
export function sealOf(target: Sealed, kind: SealKind, context: EncodeContext): string | undefined {
  return target.seals === undefined ? undefined : firstOf(target.seals, kind, context)?.value;
}

function firstOf(seals: readonly Seal[], kind: SealKind, context: EncodeContext): Seal | undefined {
  for (const seal of seals) if (seal.kind === kind && isSealFor(seal, context)) return seal;
  return undefined;
}

/** Reports every seal that stays behind: all but those of the kinds that the encoder has written. */
export function reportSeals(
  target: PartBase,
  context: EncodeContext<SealLoss>,
  written?: SealKind,
  alsoWritten?: SealKind,
): void {
  const { seals } = target;
  if (seals === undefined) return;
  for (const [index, seal] of seals.entries()) {
    const { kind } = seal;
    // Only the first of a kind goes out: the one that `sealOf` gives.
    const isWritten = (kind === written || kind === alsoWritten) && firstOf(seals, kind, context) === seal;
    if (isWritten) reportIssuer(seal, index, context);
    else context.report.addLoss(kind === "id" ? "id-foreign" : "seal-foreign", ["seals", index]);
  }
}

/** A request goes to the issuer of what it sends; a bare list of messages may go anywhere, and does not name it. */
function reportIssuer(seal: Seal, index: number, { report, pathTracker: trail }: EncodeContext<SealLoss>): void {
  if (!trail.isInList) return;
  for (const field of ["provider", "model"] as const) {
    if (seal[field] !== undefined) report.addLoss("bookkeeping", ["seals", index, field]);
  }
}
