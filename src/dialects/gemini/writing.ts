// What the writer of a part needs beside the part, and what every part has in common.
import type { Part } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { NameBook } from "../kit/names.ts";
import { reportNotPortableResidue, restoreResidue } from "../kit/residue.ts";
import { reportSeals, sealOf } from "../kit/seals.ts";
import type { Code } from "./losses.ts";
import { writeNames } from "./snake.ts";
import type { GeminiPart } from "./types.ts";

export interface Writing {
  readonly context: EncodeContext<Code>;
  readonly names: NameBook;
  /** The calls so far: what they are named, and the id they went out with. */
  readonly calls: Map<string, { name: string; id: string | undefined }>;
  /** An answer for a client, which shows it all thoughts, rather than a history for Gemini, which wants its own only. */
  readonly isAnswer: boolean;
  /** Whether results can hold media; else they go out after the results, as what is collected here. */
  readonly moved: GeminiPart[] | undefined;
  /** A call that the end of its answer says to be cut off. */
  cut?: Part | undefined;
}

/** Adds to a part on the wire what stands beside its data: the signature and what was kept (B9). */
export function writeBeside(wire: GeminiPart, part: Part, inner: string, context: EncodeContext<Code>): GeminiPart {
  const { seals, extra } = part;
  if (seals !== undefined) {
    const signature = sealOf(part, "signature", context);
    if (signature !== undefined) wire.thoughtSignature = signature;
    reportSeals(part, context, "signature");
  }
  if (extra === undefined) return wire;
  reportNotPortableResidue(part, context);
  restoreResidue(wire, part, context, inner);
  return writeNames(wire, part, context);
}
