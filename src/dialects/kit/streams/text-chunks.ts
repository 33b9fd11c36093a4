// Prepares chunks of streamed text: a chunk does not end within a surrogate pair, and reasoning with summaries becomes
// one text.

/** The state of a streamed text between two deltas: an object with a pending surrogate, if there is one. */
export interface PendingSurrogate {
  /** The high surrogate at the end of the text so far, which is emitted with the next delta. */
  pendingSurrogate?: string;
}

/**
 * Returns the text that can be emitted now. If a surrogate pair is split between two deltas, both halves are emitted
 * with the second delta (B50). At the end of the part, the caller emits a surrogate that is still pending.
 */
export function takeWholeCharacters(state: PendingSurrogate, text: string): string {
  const { pendingSurrogate } = state;
  if (pendingSurrogate === undefined && (text.charCodeAt(text.length - 1) & 0xfc00) !== 0xd800) return text;
  const joined = (pendingSurrogate ?? "") + text;
  const endsInHighSurrogate = (joined.charCodeAt(joined.length - 1) & 0xfc00) === 0xd800;
  if (endsInHighSurrogate) {
    state.pendingSurrogate = joined.slice(-1);
    return joined.slice(0, -1);
  }
  delete state.pendingSurrogate;
  return joined;
}

/** The state of a streamed reasoning part whose text or summaries are emitted as one text. */
export interface ReasoningTextState {
  /** The index of the current summary if the summaries are emitted; -1 if the reasoning text is emitted instead. */
  summary?: number;
}

/**
 * Returns the text to emit for a delta of a reasoning part. If text arrives before a summary, only text is emitted, and
 * summaries are skipped. Otherwise the summaries are emitted, separated by blank lines.
 */
export function nextReasoningText(state: ReasoningTextState, text: string, summary: number | undefined): string {
  if (state.summary === -1) return summary === undefined ? text : "";
  if (summary === undefined) {
    if (text !== "" && state.summary === undefined) state.summary = -1;
    return text;
  }
  const gap = "\n\n".repeat(Math.max(0, summary - (state.summary ?? 0)));
  state.summary = summary;
  return gap + text;
}
