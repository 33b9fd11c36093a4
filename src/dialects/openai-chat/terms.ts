// Words that map one to one: how an answer ended, what audio is encoded as.
import type { UnifiedFinishReason } from "../../model/finish.ts";
import { Terms } from "../kit/terms.ts";

type Ending = readonly [ours: UnifiedFinishReason, theirs: string];

/** OpenAI's own words; clients know no others. */
const WORDS = [
  ["stop", "stop"],
  ["length", "length"],
  ["tool-calls", "tool_calls"],
  ["tool-calls", "function_call"],
  ["content-filter", "content_filter"],
] as const satisfies Ending[];

/** Words of other vendors: read, and written back to where they came from. */
const OTHERS: Ending[] = [
  ["stop", "eos"],
  ["stop", "end_turn"],
  ["stop", "stop_sequence"],
  ["length", "model_length"],
  ["length", "max_tokens"],
  ["tool-calls", "tool_use"],
  ["content-filter", "safety"],
  ["content-filter", "sensitive"],
  ["refusal", "refusal"],
  ["error", "error"],
  ["error", "network_error"],
  ["error", "insufficient_system_resource"],
];

type FinishWord = (typeof WORDS)[number][1];
export const ENDINGS = new Terms<UnifiedFinishReason, FinishWord>(WORDS);
export const ALL_ENDINGS = new Terms<UnifiedFinishReason, string>([...WORDS, ...OTHERS]);

/**
 * The nearest of OpenAI's words for what it has none for. An answer that failed, paused, or ended nobody knows how is
 * not whole, and must not look so: "stop" would say that it is, "content_filter" would blame its content, and an answer
 * needs a word. What is left is "length": clients know that such an answer broke off, and run no call of it.
 */
export const NEAREST: Readonly<Partial<Record<UnifiedFinishReason, FinishWord>>> = { refusal: "content_filter" };
export const UNFINISHED: FinishWord = "length";

/** Types of audio whose format has another name. */
const AUDIO = new Terms<string, string>([
  ["audio/mpeg", "mp3"],
  ["audio/wav", "wav"],
]);
const AUDIO_ALIASES: Readonly<Record<string, string>> = {
  "audio/mp3": "mp3",
  "audio/x-wav": "wav",
  "audio/wave": "wav",
  "audio/vnd.wave": "wav",
};

/** What a format of audio is as a mime type. */
export function mimeTypeOfFormat(format: string): string {
  return AUDIO.ours(format) ?? `audio/${format}`;
}

/** What the wire calls a mime type of audio. */
export function formatOfMimeType(mimeType: string): string {
  const alias = Object.hasOwn(AUDIO_ALIASES, mimeType) ? AUDIO_ALIASES[mimeType] : undefined;
  return AUDIO.theirs(mimeType) ?? alias ?? mimeType.replace(/^audio\//, "");
}
