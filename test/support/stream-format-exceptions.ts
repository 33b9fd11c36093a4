// Allowed differences between a streamed and a whole answer of a dialect, each with its reason. They concern form only.
import type { StreamException } from "../../src/testkit/index.ts";

const FORMAT_EXCEPTIONS: Readonly<Record<string, readonly StreamException[]>> = {
  "openai-chat": [
    {
      at: /^(?:\/alternatives\/\d+)?\/message\/extra(?:\/openai-chat(?:\/\$form(?:\/content)?)?)?$/,
      reason: "Every stream begins with an empty content, so that an empty text and none look the same.",
    },
    {
      at: /^(?:\/alternatives\/\d+)?\/message\/parts\/\d+/,
      when: "parts-reordered",
      reason: "A stream keeps the order in which things were said; a whole answer has a fixed place for each kind.",
    },
    {
      at: /^(?:\/alternatives\/\d+)?(?:\/message)?\/extra(?:\/openai-chat(?:\/(?:\$form|choices|usage|model|index|finish_reason|message|delta)(?:\/.*)?)?)?$/,
      reason: "How the envelope of a body is spelled, down to what is null or absent: chunks have another envelope.",
    },
  ],
  anthropic: [
    {
      at: /^\/message\/parts\/\d+\/extra(?:\/anthropic(?:\/citations)?)?$/,
      reason: "Whether a text will have citations is not known when its block begins.",
    },
    {
      at: /^\/usage|^\/extra\/anthropic\/\$form\/usage$|^usage-synthesized$/,
      when: "usage-synthesized",
      reason: "A stream begins with counts, because its readers add to them.",
    },
    {
      at: /^\/extra\/anthropic\/\$form\/stop_sequence$/,
      reason: "Every stream begins with an empty stop sequence, so that an empty one and none look the same.",
    },
    {
      at: /^\/message\/parts\/\d+\/extra\/anthropic\/signature$/,
      reason: "Whether thinking will be signed is not known when its block begins: it begins with an empty signature.",
    },
  ],
  gemini: [
    {
      at: /^(?:\/alternatives\/\d+)?\/message(?:\/parts\/\d+)?\/extra(?:\/gemini(?:\/\$form(?:\/(?:chunks|before|after))?)?)?$/,
      reason:
        "Empty texts, and where a text was cut in two, are parts of a list in a body; in a stream they are framing.",
    },
    { at: /^texts-joined$/, reason: "The same, reported." },
    {
      at: /\/message\/parts\/\d+\/annotations(?:\/\d+\/(?:(?:span|extra\/gemini\/segment)\/.*|extra(?:\/gemini(?:\/\$form(?:\/.*)?)?)?))?$|\/groundingSupports\/\d+\/segment\/\w+Index$/,
      when: "texts-joined",
      reason: "The same: what is cited is counted from the beginning of the joined text, and names no part of it.",
    },
    {
      at: /^(?:\/alternatives\/\d+)?\/finishReason\/raw$|^finish-reason-approximated$/,
      when: "finish-reason-approximated",
      reason: "A stream that does not say why it ended has not ended.",
    },
    {
      at: /^\/extra(?:\/gemini(?:\/\$form(?:\/(?:candidates|finishReason))?)?)?$|^form-stale$/,
      reason: "How the envelope of a body is spelled, down to what is null or absent: events have another envelope.",
    },
    {
      at: /^\/alternatives\/\d+\/extra\/gemini\/index$|^residue-conflict$/,
      reason: "In a stream the index tells candidates apart, so that an odd one cannot be kept.",
    },
  ],
};

export function listFormatExceptions(dialect: string): readonly StreamException[] {
  return FORMAT_EXCEPTIONS[dialect] ?? [];
}
