// Chunks of streamed text: no chunk ends in half a character, and reasoning with summaries is emitted as one text.

/** A high surrogate that waits for its other half. */
export interface PendingSurrogate {
  pendingSurrogate?: string;
}

/**
 * Returns the text that can be emitted now: a character that two deltas share is emitted with the second (B50). The
 * caller emits a surrogate that is still pending at the end of the part.
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

/** The state of reasoning that is emitted as one text. */
export interface ReasoningTextState {
  /** The index of the current summary, if summaries are the text; -1 if the text itself is. */
  summary?: number;
}

/** Returns the text of a reasoning delta. Summaries count only without a text; blank lines separate them. */
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
