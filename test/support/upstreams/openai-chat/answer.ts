// Encodes Chat Completions answers, whole and as chunks.
import type { UnifiedFinishReason, Usage } from "../../../../src/index.ts";
import type { WireAnswer } from "../provider.ts";
import { NOW, sse } from "../provider.ts";
import { toObjects, toString } from "../rejection.ts";
import type { FullAnswer, ScriptedPart } from "../script.ts";
import { splitTokens } from "../script.ts";
import type { IssuedSeals } from "../issued-seals.ts";

interface Manner {
  model: string;
  secrets: IssuedSeals;
  isOwn: boolean;
  /** True if a stream ends with the usage. */
  usage: boolean;
  upTo?: number;
}

const FINISHES: Readonly<Partial<Record<UnifiedFinishReason, string>>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
};

/** The fields that one part adds to the message, and to the deltas of a stream. */
interface Piece {
  field: "content" | "refusal" | "tool_calls" | "reasoning_details" | "none";
  whole: unknown;
  deltas: object[];
}

export function answerCompletion(answer: FullAnswer, manner: Manner): WireAnswer {
  const { model, secrets, isOwn, upTo } = manner;
  const before = secrets.seals.length;
  const pieces = new Pieces(secrets, isOwn);
  for (const part of answer.parts) pieces.add(part);
  secrets.answers.push(secrets.seals.slice(before));
  const finish = FINISHES[answer.finishReason] ?? "stop";
  const usage = usageOf(answer.usage);
  const head = { id: secrets.id("chatcmpl-"), created: NOW, model, system_fingerprint: "fp_upstream" };
  const chunk = (choices: object[], more: object = {}): string =>
    sse({ ...head, object: "chat.completion.chunk", choices, ...more });
  const formatChunk = (delta: object, reason: string | null = null): string =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: reason }], manner.usage ? { usage: null } : {});
  const events = [
    formatChunk({ role: "assistant", content: "", refusal: null }),
    ...pieces.list.slice(0, upTo).flatMap(({ deltas }) => deltas.map((delta) => formatChunk(delta))),
  ];
  if (upTo === undefined) {
    events.push(formatChunk({}, finish), ...(manner.usage ? [chunk([], { usage })] : []), sse("[DONE]"));
  }
  const choice = { index: 0, message: pieces.message(), logprobs: null, finish_reason: finish };
  return { body: { ...head, object: "chat.completion", choices: [choice], usage }, events };
}

class Pieces {
  readonly list: Piece[] = [];
  readonly #secrets: IssuedSeals;
  readonly #isOwn: boolean;

  constructor(secrets: IssuedSeals, isOwn: boolean) {
    this.#secrets = secrets;
    this.#isOwn = isOwn;
  }

  add(part: ScriptedPart): void {
    this.list.push(this.#pieceOf(part));
  }

  message(): object {
    const of = (field: Piece["field"]): unknown[] => this.list.filter((it) => it.field === field).map((it) => it.whole);
    const text = of("content");
    const details = of("reasoning_details");
    const thoughts = toObjects(details)
      .map((detail) => toString(detail["text"]))
      .join("");
    const calls = of("tool_calls");
    return {
      role: "assistant",
      content: text.length === 0 ? null : text.join(""),
      refusal: of("refusal").length === 0 ? null : of("refusal").join(""),
      annotations: [],
      // OpenRouter repeats the text of the details in a separate field.
      ...(thoughts !== "" && { reasoning: thoughts }),
      ...(details.length > 0 && { reasoning_details: details }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
  }

  #pieceOf(part: ScriptedPart): Piece {
    switch (part.type) {
      case "text":
        return { field: "content", whole: part.text, deltas: splitTokens(part.text).map((content) => ({ content })) };
      case "refusal":
        return { field: "refusal", whole: part.text, deltas: splitTokens(part.text).map((refusal) => ({ refusal })) };
      case "reasoning":
        return this.#reasoning(part.text);
      case "tool-call": {
        const index = this.list.filter(({ field }) => field === "tool_calls").length;
        const id = part.toolCallId || this.#secrets.id("call_");
        const text = JSON.stringify(part.input);
        const called = { name: part.toolName, arguments: text };
        const pieces = [text.slice(0, 4), text.slice(4)].map((it) => ({ index, function: { arguments: it } }));
        const first = { index, id, type: "function", function: { name: part.toolName, arguments: "" } };
        return {
          field: "tool_calls",
          whole: { id, type: "function", function: called },
          deltas: [first, ...pieces].map((call) => ({ tool_calls: [call] })),
        };
      }
    }
  }

  /** OpenAI does not send its reasoning. */
  #reasoning(text: string): Piece {
    if (this.#isOwn) return { field: "none", whole: undefined, deltas: [] };
    const index = this.list.filter(({ field }) => field === "reasoning_details").length;
    const place = { format: "acme-v1", index };
    const secrets = this.#secrets;
    if (text === "") {
      const whole = { type: "reasoning.encrypted", data: secrets.seal(`encrypted ${secrets.seals.length}`), ...place };
      return { field: "reasoning_details", whole, deltas: [{ reasoning_details: [whole] }] };
    }
    const signature = secrets.seal(`reasoning ${text}`);
    const detail = { type: "reasoning.text", ...place };
    return {
      field: "reasoning_details",
      whole: { ...detail, text, signature },
      deltas: [
        ...splitTokens(text).map((piece) => ({ reasoning: piece, reasoning_details: [{ ...detail, text: piece }] })),
        { reasoning_details: [{ ...detail, signature }] },
      ],
    };
  }
}

function usageOf({ inputTokens, outputTokens, totalTokens, cacheReadTokens = 0, reasoningTokens = 0 }: Usage): object {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: totalTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoningTokens, audio_tokens: 0 },
  };
}
