// Allowed differences between a streamed and a whole answer of a dialect, each with its reason. They concern form only.
import type { StreamException } from "../../src/testkit/index.ts";

const FORMAT_EXCEPTIONS: Readonly<Record<string, readonly StreamException[]>> = {
  "openai-chat": [
    {
      at: /^(?:\/alternatives\/\d+)?\/message\/extra(?:\/openai-chat(?:\/\$form(?:\/content)?)?)?$/,
      reason: "Every stream begins with an empty content, so that an empty text and a missing one look the same.",
    },
    {
      at: /^(?:\/alternatives\/\d+)?\/message\/parts\/\d+/,
      when: "parts-reordered",
      reason: "A stream preserves the order of its deltas; a complete answer has a fixed position for each kind.",
    },
    {
      at: /^(?:\/alternatives\/\d+)?(?:\/message)?\/extra(?:\/openai-chat(?:\/(?:\$form|choices|usage|model|index|finish_reason|message|delta)(?:\/.*)?)?)?$/,
      reason: "The spelling of the envelope of a body, including null and absent fields: chunks have another envelope.",
    },
  ],
  anthropic: [
    {
      at: /^\/message\/parts\/\d+\/extra(?:\/anthropic(?:\/citations)?)?$/,
      reason: "The start of a block does not show whether its text will have citations.",
    },
    {
      at: /^\/usage|^\/extra\/anthropic\/\$form\/usage$|^usage-synthesized$/,
      when: "usage-synthesized",
      reason: "A stream begins with counts, because its readers add to them.",
    },
    {
      at: /^\/extra\/anthropic\/\$form\/stop_sequence$/,
      reason: "Every stream begins with an empty stop sequence, so that an empty one and a missing one look the same.",
    },
    {
      at: /^\/message\/parts\/\d+\/extra\/anthropic\/signature$/,
      reason: "The start of a block does not show whether its thinking will be signed, so it has an empty signature.",
    },
  ],
  gemini: [
    {
      at: /^(?:\/alternatives\/\d+)?\/message(?:\/parts\/\d+)?\/extra(?:\/gemini(?:\/\$form(?:\/(?:chunks|before|after))?)?)?$/,
      reason:
        "Empty texts, and the boundary of a split text, are parts of a list in a body; in a stream they are framing.",
    },
    { at: /^texts-joined$/, reason: "The same, as a loss." },
    {
      at: /\/message\/parts\/\d+\/annotations(?:\/\d+\/(?:(?:span|extra\/gemini\/segment)\/.*|extra(?:\/gemini(?:\/\$form(?:\/.*)?)?)?))?$|\/groundingSupports\/\d+\/segment\/\w+Index$/,
      when: "texts-joined",
      reason: "The same: citation offsets count from the start of the joined text, without a part.",
    },
    {
      at: /^(?:\/alternatives\/\d+)?\/finishReason\/raw$|^finish-reason-approximated$/,
      when: "finish-reason-approximated",
      reason: "A stream without a finish reason has not ended.",
    },
    {
      at: /^\/extra(?:\/gemini(?:\/\$form(?:\/(?:candidates|finishReason))?)?)?$|^form-stale$/,
      reason: "The spelling of the envelope of a body, including null and absent fields: events have another envelope.",
    },
    {
      at: /^\/alternatives\/\d+\/extra\/gemini\/index$|^residue-conflict$/,
      reason: "In a stream the index distinguishes candidates, so an unusual one cannot be preserved.",
    },
  ],
};

export function listFormatExceptions(dialect: string): readonly StreamException[] {
  return FORMAT_EXCEPTIONS[dialect] ?? [];
}
