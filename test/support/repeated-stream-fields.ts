// Events, and fields of events, that only repeat what other events say: an unknown field there has no place of its own.

interface RepeatedField {
  /** The type of the event. */
  type: RegExp;
  /** Where in it; anywhere where nothing is said. */
  path?: RegExp;
}

const REPEATED_FIELDS: Readonly<Record<string, readonly RepeatedField[]>> = {
  "openai-responses": [
    // Snapshots of what the deltas have said, and of the response before it is complete.
    { type: /\.(?:done|added|in_progress|queued|created|searching|generating|interpreting|completed|partial_image)$/ },
    { type: /\.delta$/ },
  ],
  "ai-sdk-model": [
    // The ends of the steps have said what the sum is of.
    { type: /^finish$/, path: /^\/totalUsage/ },
    // The call has said it.
    { type: /^tool-(?:result|error)$/, path: /^\/input/ },
  ],
  anthropic: [
    { type: /^(?:ping|content_block_stop|message_stop)$/ },
    // The arguments that follow in pieces are the whole input.
    { type: /^content_block_start$/, path: /^\/content_block\/input/ },
  ],
};

/** Whether an unknown field there is nobody's. */
export function createRepeatedFieldTest(dialect: string): (event: unknown, path: string) => boolean {
  const table = REPEATED_FIELDS[dialect] ?? [];
  return (event, path) => {
    const type = String((event as { type?: unknown } | null)?.type);
    return table.some((row) => row.type.test(type) && (row.path?.test(path) ?? true));
  };
}
