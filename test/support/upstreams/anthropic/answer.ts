// Encodes Anthropic answers, whole and as events.
import type { UnifiedFinishReason, Usage } from "../../../../src/index.ts";
import type { WireAnswer } from "../provider.ts";
import { sse } from "../provider.ts";
import type { FullAnswer, ScriptedPart } from "../script.ts";
import { splitTokens } from "../script.ts";
import type { IssuedSeals } from "../issued-seals.ts";

const STOPS: Readonly<Partial<Record<UnifiedFinishReason, string>>> = {
  stop: "end_turn",
  length: "max_tokens",
  "tool-calls": "tool_use",
  refusal: "refusal",
  "content-filter": "refusal",
  pause: "pause_turn",
};

/** A block, and its events between start and stop. */
interface Block {
  whole: object;
  start: object;
  deltas: object[];
}

export function answerMessage(answer: FullAnswer, model: string, secrets: IssuedSeals, upTo?: number): WireAnswer {
  const before = secrets.seals.length;
  const blocks = answer.parts.map((part) => blockOf(part, secrets));
  secrets.answers.push(secrets.seals.slice(before));
  const usage = usageOf(answer.usage);
  const stop = { stop_reason: STOPS[answer.finishReason] ?? "end_turn", stop_sequence: null };
  const head = { id: secrets.id("msg_"), type: "message", role: "assistant", model };
  const opened = {
    ...head,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  const ending = upTo === undefined;
  const events = [
    { type: "message_start", message: opened },
    { type: "ping" },
    ...blocks
      .slice(0, upTo)
      .flatMap(({ start, deltas }, index) => [
        { type: "content_block_start", index, content_block: start },
        ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
        { type: "content_block_stop", index },
      ]),
    ...(ending ? [{ type: "message_delta", delta: stop, usage }, { type: "message_stop" }] : []),
  ];
  return {
    body: { ...head, content: blocks.map(({ whole }) => whole), ...stop, usage },
    events: events.map((event) => sse(event, event.type)),
  };
}

function blockOf(part: ScriptedPart, secrets: IssuedSeals): Block {
  switch (part.type) {
    case "text":
    case "refusal":
      return {
        whole: { type: "text", text: part.text },
        start: { type: "text", text: "" },
        deltas: splitTokens(part.text).map((text) => ({ type: "text_delta", text })),
      };
    case "reasoning": {
      if (part.text === "") {
        const block = { type: "redacted_thinking", data: secrets.seal(`redacted ${secrets.seals.length}`) };
        return { whole: block, start: block, deltas: [] };
      }
      const signature = secrets.seal(`thinking ${part.text}`);
      return {
        whole: { type: "thinking", thinking: part.text, signature },
        start: { type: "thinking", thinking: "", signature: "" },
        deltas: [
          ...splitTokens(part.text).map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature },
        ],
      };
    }
    case "tool-call": {
      const head = { type: "tool_use", id: part.toolCallId || secrets.id("toolu_"), name: part.toolName };
      const text = JSON.stringify(part.input);
      const pieces = ["", text.slice(0, 3), text.slice(3)];
      return {
        whole: { ...head, input: part.input },
        start: { ...head, input: {} },
        deltas: pieces.map((piece) => ({ type: "input_json_delta", partial_json: piece })),
      };
    }
  }
}

/** Encodes the usage; Anthropic does not include cached tokens in the input tokens. */
function usageOf(usage: Usage): Record<string, number> {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  return {
    input_tokens: inputTokens - cacheReadTokens - cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    output_tokens: outputTokens,
  };
}
