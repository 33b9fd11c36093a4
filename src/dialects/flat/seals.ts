// Which seals travel: Claude's signatures with the thinking blocks, Gemini's with the list of thought signatures.
import type { PartBase, Seal } from "../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { isSealFor, reportUncarried } from "../residue.ts";
import type { FlatContext } from "./losses.ts";

/** A seal as read from the wire. */
export function sealOf(dialect: string, kind: string, value: string, context: DecodeContext): Seal {
  const { provider } = context;
  return provider === undefined ? { dialect, kind, value } : { dialect, provider, kind, value };
}

/** The first seal of a kind that may be sent; an empty one cannot be told from none. */
export function sendableSeal(part: PartBase, dialect: string, kind: string, context: EncodeContext): Seal | undefined {
  const { provider } = context;
  const target = provider === undefined ? { dialect } : { dialect, provider };
  return part.seals?.find((seal) => seal.kind === kind && seal.value !== "" && isSealFor(seal, target));
}

const CARRIED = new Set(["dialect", "kind", "value"]);
const CARRIED_WITH_PROVIDER = new Set([...CARRIED, "provider"]);

/** Reports the seals of the part in hand that were not sent, and of the others what did not go with them. */
export function reportSeals(part: PartBase, sent: readonly (Seal | undefined)[], context: FlatContext): void {
  if (part.seals === undefined) return;
  context.trail.each("seals", part.seals, (seal) => {
    if (!sent.includes(seal)) context.report.lose("seal-foreign");
    // Where both sides know the provider, the reader stamps it again.
    else
      reportUncarried(
        seal,
        seal.provider === context.provider ? CARRIED_WITH_PROVIDER : CARRIED,
        context,
        "seal-origin",
      );
  });
}
