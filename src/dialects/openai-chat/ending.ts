// How an answer ended: the wire's own word beside the common one (B61, B62).
import type { FinishReason, UnifiedFinishReason } from "../../model/finish.ts";
import type { Message } from "../../model/message.ts";
import type { Alternative } from "../../model/response.ts";
import type { DecodeContext } from "../dialect.ts";
import { hasClientCalls } from "../kit/endings.ts";
import { storeForm } from "../kit/residue.ts";
import { ALL_ENDINGS, ENDINGS, NEAREST, UNFINISHED } from "./terms.ts";
import type { Writing } from "./writing.ts";
import { isFree, spelling } from "./writing.ts";

/** What a word means beside a message: who stops with calls waits for their results, whatever forced them. */
function meaningOf(word: string, message: Message): UnifiedFinishReason {
  const unified = ALL_ENDINGS.ours(word) ?? "other";
  return unified === "stop" && hasClientCalls(message) ? "tool-calls" : unified;
}

/** What a word means; that it is not one of OpenAI's is noted on the choice. */
export function decodeEnding(word: string, choice: Alternative, { dialect }: DecodeContext): FinishReason {
  if (ENDINGS.ours(word) === undefined) storeForm(choice, dialect, "finish", "own");
  return { unified: meaningOf(word, choice.message), raw: word };
}

/** The wire's own word, where it is one, else the plain word for what it means. */
export function encodeEnding({ message, finishReason, extra }: Alternative, writing: Writing): string | undefined {
  const { report } = writing.context;
  const { unified, raw } = finishReason;
  const choice = extra === undefined ? {} : { extra };
  const isKnown = raw !== undefined && (ENDINGS.ours(raw) ?? spelling(choice, "finish", writing)) !== undefined;
  if (isKnown && meaningOf(raw, message) === unified) return raw;
  if (raw === undefined && unified === "other" && !isFree(choice, "finish_reason", writing)) return undefined;
  const word = ENDINGS.theirs(unified) ?? NEAREST[unified] ?? UNFINISHED;
  if (raw !== undefined && raw !== word) report.addLoss("finish-raw", ["finishReason", "raw"]);
  if (meaningOf(word, message) !== unified) report.addLoss("finish-approximated", ["finishReason", "unified"]);
  return word;
}
