// How an answer ended: the wire's own word beside the common one (B61, B62).
import type { FinishReason } from "../../model/finish.ts";
import type { Extra } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { keepForm } from "../kit/residue.ts";
import { ALL_ENDINGS, ENDINGS, NEAREST } from "./terms.ts";
import type { Writing } from "./writing.ts";
import { isFree, spelling } from "./writing.ts";

interface Carrier {
  extra?: Extra;
}

/** What a word means; that it is not one of OpenAI's is noted on the choice. */
export function decodeEnding(word: string, choice: Carrier, { dialect }: DecodeContext): FinishReason {
  if (ENDINGS.ours(word) === undefined) keepForm(choice, dialect, "finish", "own");
  return { unified: ALL_ENDINGS.ours(word) ?? "other", raw: word };
}

/** The wire's own word, where it is one, else the plain word for what it means. */
export function encodeEnding({ unified, raw }: FinishReason, choice: Carrier, writing: Writing): string | undefined {
  const { report } = writing.context;
  const isOwn = raw !== undefined && spelling(choice, "finish", writing) === "own";
  if (isOwn && (ALL_ENDINGS.ours(raw) ?? "other") === unified) return raw;
  if (raw !== undefined && ENDINGS.ours(raw) === unified) return raw;
  if (raw === undefined && unified === "other" && !isFree(choice, "finish_reason", writing)) return undefined;
  if (raw !== undefined) report.lose("finish-raw", ["finishReason", "raw"]);
  const word = ENDINGS.theirs(unified);
  if (word === undefined) report.lose("finish-approximated", ["finishReason", "unified"]);
  return word ?? NEAREST[unified] ?? "stop";
}
