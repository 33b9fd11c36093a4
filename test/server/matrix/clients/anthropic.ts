// `@anthropic-ai/sdk`: the answer goes back as it came.
import Anthropic, { APIError, APIUserAbortError } from "@anthropic-ai/sdk";
import type { UnifiedFinishReason } from "../../../../src/index.ts";
import type { Talk } from "../talk.ts";
import { converse, counts, Ear } from "../talk.ts";
import type { Client, Mode, Place, Task, Turn } from "../types.ts";

const FINISHES: Readonly<Record<string, UnifiedFinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  tool_use: "tool-calls",
  refusal: "refusal",
};

const MAX_TOKENS = 4000;
const BUDGET = 2000;

class MessagesTalk implements Talk {
  readonly #client: Anthropic;
  readonly #task: Task;
  readonly #mode: Mode;
  readonly #place: Place;
  readonly #ear: Ear;
  readonly #messages: Anthropic.MessageParam[] = [];
  #open: string[] = [];

  constructor(task: Task, mode: Mode, place: Place, ear: Ear) {
    const { url, apiKey, headers } = place;
    this.#client = new Anthropic({ apiKey, baseURL: url, maxRetries: 0, defaultHeaders: headers });
    this.#task = task;
    this.#mode = mode;
    this.#place = place;
    this.#ear = ear;
  }

  addUser(text: string, image?: string): void {
    if (image === undefined) return void this.#messages.push({ role: "user", content: text });
    this.#messages.push({
      role: "user",
      content: [
        { type: "text", text },
        { type: "image", source: { type: "base64", media_type: "image/png", data: image } },
      ],
    });
  }

  addResults(results: readonly string[]): void {
    this.#messages.push({
      role: "user",
      content: results.map((content, index) => ({
        type: "tool_result",
        tool_use_id: this.#open[index] ?? "",
        content,
      })),
    });
  }

  async ask(): Promise<Turn> {
    const { content, stop_reason: stop, usage } = await this.#answer();
    const isThought = ({ type }: Anthropic.ContentBlock): boolean =>
      type === "thinking" || type === "redacted_thinking";
    const kept = this.#task.plain ? content.filter((block) => !isThought(block)) : content;
    this.#messages.push({ role: "assistant", content: kept });
    const calls = content.filter((block) => block.type === "tool_use");
    this.#open = calls.map(({ id }) => id);
    const cached = usage.cache_read_input_tokens ?? 0;
    // What the cache holds stands beside the input here, and nobody says the sum.
    const input = usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0);
    return {
      text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
      refusal: "",
      reasoning: content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
      calls: calls.map(({ name, input }) => ({ name, input })),
      finish: FINISHES[stop ?? ""] ?? "other",
      usage: counts({
        input,
        output: usage.output_tokens,
        total: input + usage.output_tokens,
        cached,
        reasoning: usage.output_tokens_details?.thinking_tokens,
      }),
    };
  }

  explain(error: unknown): ReturnType<Talk["explain"]> {
    const isAbort = error instanceof APIUserAbortError;
    return { isAbort, status: error instanceof APIError ? error.status : undefined };
  }

  async #answer(): Promise<Anthropic.Message> {
    const body = this.#body();
    const { signal = null } = this.#place;
    if (this.#mode === "whole") return this.#client.messages.create(body, { signal });
    const stream = this.#client.messages.stream(body, { signal });
    stream.on("text", (piece) => this.#ear.hear(piece));
    return stream.finalMessage();
  }

  #body(): Anthropic.MessageCreateParamsNonStreaming {
    const { system, tools, schema, stop, maxOutputTokens, reasoning } = this.#task;
    return {
      model: this.#place.model,
      max_tokens: maxOutputTokens ?? MAX_TOKENS,
      messages: [...this.#messages],
      ...(system !== undefined && { system }),
      ...(tools !== undefined && {
        tools: tools.map(({ name, description, schema: input }) => ({ name, description, input_schema: input })),
      }),
      ...(schema !== undefined && {
        output_config: { format: { type: "json_schema" as const, schema: { ...schema } } },
      }),
      ...(stop !== undefined && { stop_sequences: [...stop] }),
      ...(reasoning && { thinking: { type: "enabled" as const, budget_tokens: BUDGET } }),
    };
  }
}

export const anthropicClient: Client = {
  id: "anthropic",
  title: "`@anthropic-ai/sdk`",
  dialect: "anthropic",
  play(task, mode, place) {
    const ear = new Ear(place.heard);
    return converse(task, new MessagesTalk(task, mode, place, ear), ear);
  },
};
