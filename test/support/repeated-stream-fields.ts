// Events and fields of events that repeat data of other events: unknown fields inside them are not restored.

interface RepeatedField {
  /** The type of the event. */
  type: RegExp;
  /** The path in the event. Default: anywhere. */
  path?: RegExp;
}

const REPEATED_FIELDS: Readonly<Record<string, readonly RepeatedField[]>> = {
  "openai-responses": [
    // Snapshots of content that deltas contain, and of the incomplete response.
    { type: /\.(?:done|added|in_progress|queued|created|searching|generating|interpreting|completed|partial_image)$/ },
    { type: /\.delta$/ },
  ],
  "ai-sdk-model": [
    // The total of the usages that the ends of the steps contain.
    { type: /^finish$/, path: /^\/totalUsage/ },
    // The call contains the input.
    { type: /^tool-(?:result|error)$/, path: /^\/input/ },
  ],
  anthropic: [
    { type: /^(?:ping|content_block_stop|message_stop)$/ },
    // The deltas that follow contain the whole input.
    { type: /^content_block_start$/, path: /^\/content_block\/input/ },
  ],
};

/** Returns a test for fields whose unknown subfields are not restored. */
export function createRepeatedFieldTest(dialect: string): (event: unknown, path: string) => boolean {
  const table = REPEATED_FIELDS[dialect] ?? [];
  return (event, path) => {
    const type = String((event as { type?: unknown } | null)?.type);
    return table.some((row) => row.type.test(type) && (row.path?.test(path) ?? true));
  };
}
