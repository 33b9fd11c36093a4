// Encodes answers of the Responses API, whole and as events.
import type { UnifiedFinishReason, Usage } from "../../../../src/index.ts";
import type { ProviderRequest, WireAnswer } from "../provider.ts";
import { NOW, sse } from "../provider.ts";
import type { Json } from "../rejection.ts";
import type { FullAnswer, ScriptedPart } from "../script.ts";
import { splitTokens } from "../script.ts";
import type { IssuedSeals } from "../issued-seals.ts";
import { readInput } from "./input.ts";
import type { Memory } from "./memory.ts";
import { includesEncryptedReasoning } from "./settings.ts";

interface Manner {
  secrets: IssuedSeals;
  memory: Memory;
  isReasoner: boolean;
  upTo?: number;
}

type Event = { type: string } & Json;

/** An output item with its events; their sequence numbers are set later. */
interface Output {
  item: Json;
  events: Event[];
}

export function answerResponse(answer: FullAnswer, { model, body }: ProviderRequest, manner: Manner): WireAnswer {
  const { secrets, memory, isReasoner, upTo } = manner;
  const shown = answer.parts.filter(({ type }) => isReasoner || type !== "reasoning");
  const outputs = shown.map((part) => outputOf(part, secrets, includesEncryptedReasoning(body)));
  const items = outputs.map(({ item }) => item);
  const id = secrets.id("resp_");
  memory.store(
    id,
    [...(memory.conversation(String(body["previous_response_id"])) ?? []), ...readInput(body)],
    items,
    body["store"] !== false,
  );
  const head = headOf(id, model, body);
  const ended = endOf(answer.finishReason);
  const whole = { ...head, ...ended, output: items, usage: usageOf(answer.usage) };
  const open = { ...head, status: "in_progress", incomplete_details: null, output: [], usage: null };
  const events: Event[] = [
    { type: "response.created", response: open },
    { type: "response.in_progress", response: open },
    ...outputs
      .slice(0, upTo)
      .flatMap(({ events }, index) => events.map((event) => ({ ...event, output_index: index }))),
    ...(upTo === undefined ? [{ type: `response.${ended.status}`, response: whole }] : []),
  ];
  return {
    body: whole,
    events: events.map((event, index) => sse({ ...event, sequence_number: index }, event.type)),
  };
}

function headOf(id: string, model: string, body: Json): object {
  const { instructions = null, tools = [], tool_choice: choice = "auto", parallel_tool_calls: parallel = true } = body;
  const { metadata = {}, temperature = 1, top_p: topP = 1, store = true, text = { format: { type: "text" } } } = body;
  const { previous_response_id: previous = null, max_output_tokens: max = null, truncation = "disabled" } = body;
  const { reasoning = { effort: null, summary: null } } = body;
  const requestFields = {
    instructions,
    tools,
    tool_choice: choice,
    parallel_tool_calls: parallel,
    metadata,
    temperature,
  };
  const storedFields = {
    top_p: topP,
    store,
    text,
    previous_response_id: previous,
    max_output_tokens: max,
    truncation,
    reasoning,
  };
  return { id, object: "response", created_at: NOW, error: null, model, ...requestFields, ...storedFields };
}

function endOf(reason: UnifiedFinishReason): { status: string; incomplete_details: object | null } {
  if (reason === "length") return { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
  if (reason === "content-filter") return { status: "incomplete", incomplete_details: { reason: "content_filter" } };
  return { status: "completed", incomplete_details: null };
}

function outputOf(part: ScriptedPart, secrets: IssuedSeals, isEncrypted: boolean): Output {
  switch (part.type) {
    case "text":
    case "refusal":
      return messageOf(part.type, part.text, secrets.id("msg_"));
    case "reasoning": {
      const texts = part.summary ?? (part.text === "" ? [] : [part.text]);
      return reasoningOf(texts, secrets.id("rs_"), isEncrypted ? secrets : undefined);
    }
    case "tool-call":
      return callOf(part.toolCallId || secrets.id("call_"), part.toolName, part.input, secrets.id("fc_"));
  }
}

function messageOf(type: "text" | "refusal", text: string, id: string): Output {
  const isText = type === "text";
  const block = isText
    ? { type: "output_text", text, annotations: [], logprobs: [] }
    : { type: "refusal", refusal: text };
  const empty = isText ? { ...block, text: "" } : { ...block, refusal: "" };
  const item = { id, type: "message", status: "completed", role: "assistant", content: [block] };
  const place = { item_id: id, content_index: 0 };
  const blockType = isText ? "output_text" : "refusal";
  const events: Event[] = [
    { type: "response.output_item.added", item: { ...item, status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...place, part: empty },
    ...splitTokens(text).map((delta) => ({
      type: `response.${blockType}.delta`,
      ...place,
      delta,
      ...(isText && { logprobs: [] }),
    })),
    { type: `response.${blockType}.done`, ...place, ...(isText ? { text, logprobs: [] } : { refusal: text }) },
    { type: "response.content_part.done", ...place, part: block },
    { type: "response.output_item.done", item },
  ];
  return { item, events };
}

/** Encodes reasoning, with encrypted content if the request includes it. */
function reasoningOf(texts: readonly string[], id: string, secrets: IssuedSeals | undefined): Output {
  const summary = texts.map((text) => ({ type: "summary_text", text }));
  const sealed = secrets === undefined ? {} : { encrypted_content: secrets.seal(`encrypted ${id}`) };
  const item = { id, type: "reasoning", ...sealed, summary };
  const events: Event[] = [
    { type: "response.output_item.added", item: { ...item, summary: [] } },
    ...texts.flatMap((text, index) => {
      const place = { item_id: id, summary_index: index };
      return [
        { type: "response.reasoning_summary_part.added", ...place, part: { type: "summary_text", text: "" } },
        ...splitTokens(text).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...place, delta })),
        { type: "response.reasoning_summary_text.done", ...place, text },
        { type: "response.reasoning_summary_part.done", ...place, part: { type: "summary_text", text } },
      ];
    }),
    { type: "response.output_item.done", item },
  ];
  return { item, events };
}

function callOf(callId: string, name: string, input: unknown, id: string): Output {
  const text = JSON.stringify(input);
  const item = { id, type: "function_call", status: "completed", arguments: text, call_id: callId, name };
  const events: Event[] = [
    { type: "response.output_item.added", item: { ...item, status: "in_progress", arguments: "" } },
    ...[text.slice(0, 5), text.slice(5)].map((delta) => ({
      type: "response.function_call_arguments.delta",
      item_id: id,
      delta,
    })),
    { type: "response.function_call_arguments.done", item_id: id, name, arguments: text },
    { type: "response.output_item.done", item },
  ];
  return { item, events };
}

function usageOf({ inputTokens, outputTokens, totalTokens, cacheReadTokens = 0, reasoningTokens = 0 }: Usage): object {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cacheReadTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: totalTokens,
  };
}
