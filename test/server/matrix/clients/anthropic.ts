// `@anthropic-ai/sdk`: the answer is sent back unchanged.
import Anthropic, { APIError, APIUserAbortError } from "@anthropic-ai/sdk";
import type { UnifiedFinishReason } from "../../../../src/index.ts";
import type { SdkConversation } from "../sdk-conversation.ts";
import { converse, counts, TextCollector } from "../sdk-conversation.ts";
import type { Client, Mode, ClientAddress, Task, Turn } from "../types.ts";

const FINISHES: Readonly<Record<string, UnifiedFinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  tool_use: "tool-calls",
  refusal: "refusal",
};

const MAX_TOKENS = 4000;
const BUDGET = 2000;

class MessagesConversation implements SdkConversation {
  readonly #client: Anthropic;
  readonly #task: Task;
  readonly #mode: Mode;
  readonly #address: ClientAddress;
  readonly #collector: TextCollector;
  readonly #messages: Anthropic.MessageParam[] = [];
  #open: string[] = [];

  constructor(task: Task, mode: Mode, address: ClientAddress, collector: TextCollector) {
    const { url, apiKey, headers } = address;
    this.#client = new Anthropic({ apiKey, baseURL: url, maxRetries: 0, defaultHeaders: headers });
    this.#task = task;
    this.#mode = mode;
    this.#address = address;
    this.#collector = collector;
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

  async requestAnswer(): Promise<Turn> {
    const { content, stop_reason: stop, usage } = await this.#answer();
    const isThought = ({ type }: Anthropic.ContentBlock): boolean =>
      type === "thinking" || type === "redacted_thinking";
    const sentBack = this.#task.plain ? content.filter((block) => !isThought(block)) : content;
    this.#messages.push({ role: "assistant", content: sentBack });
    const calls = content.filter((block) => block.type === "tool_use");
    this.#open = calls.map(({ id }) => id);
    const cached = usage.cache_read_input_tokens ?? 0;
    // Cached tokens are counted separately, and there is no sum.
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

  explain(error: unknown): ReturnType<SdkConversation["explain"]> {
    const isAbort = error instanceof APIUserAbortError;
    return { isAbort, status: error instanceof APIError ? error.status : undefined };
  }

  async #answer(): Promise<Anthropic.Message> {
    const body = this.#body();
    const { signal = null } = this.#address;
    if (this.#mode === "whole") return this.#client.messages.create(body, { signal });
    const stream = this.#client.messages.stream(body, { signal });
    stream.on("text", (delta) => this.#collector.add(delta));
    return stream.finalMessage();
  }

  #body(): Anthropic.MessageCreateParamsNonStreaming {
    const { system, tools, schema, stop, maxOutputTokens, reasoning } = this.#task;
    return {
      model: this.#address.model,
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
  play(task, mode, address) {
    const collector = new TextCollector(address.onText);
    return converse(task, new MessagesConversation(task, mode, address, collector), collector);
  },
};
