// `openai`, Chat Completions: a plain client that sends back only the standard fields of an answer.
import OpenAI, { APIError, APIUserAbortError } from "openai";
import type { UnifiedFinishReason } from "../../../../src/index.ts";
import type { SdkConversation } from "../sdk-conversation.ts";
import { calledWith, converse, counts, TextCollector } from "../sdk-conversation.ts";
import type { Client, Mode, ClientAddress, Task, Turn } from "../types.ts";

const FINISHES: Readonly<Record<string, UnifiedFinishReason>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  content_filter: "content-filter",
};

type Body = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, "stream">;

class ChatConversation implements SdkConversation {
  readonly #client: OpenAI;
  readonly #task: Task;
  readonly #mode: Mode;
  readonly #address: ClientAddress;
  readonly #collector: TextCollector;
  readonly #messages: OpenAI.ChatCompletionMessageParam[] = [];
  #open: string[] = [];

  constructor(task: Task, mode: Mode, address: ClientAddress, collector: TextCollector) {
    const { url, apiKey, headers } = address;
    this.#client = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0, defaultHeaders: headers });
    this.#task = task;
    this.#mode = mode;
    this.#address = address;
    this.#collector = collector;
    if (task.system !== undefined) this.#messages.push({ role: "system", content: task.system });
  }

  addUser(text: string, image?: string): void {
    if (image === undefined) return void this.#messages.push({ role: "user", content: text });
    const url = `data:image/png;base64,${image}`;
    this.#messages.push({
      role: "user",
      content: [
        { type: "text", text },
        { type: "image_url", image_url: { url } },
      ],
    });
  }

  addResults(results: readonly string[]): void {
    results.forEach((content, index) => {
      this.#messages.push({ role: "tool", tool_call_id: this.#open[index] ?? "", content });
    });
  }

  async requestAnswer(): Promise<Turn> {
    const { choices, usage } = await this.#answer();
    const [choice] = choices;
    if (choice === undefined) throw new Error("There is no choice.");
    const { content, refusal, tool_calls: toolCalls = [] } = choice.message;
    const calls = toolCalls.filter((call) => call.type === "function");
    this.#open = calls.map(({ id }) => id);
    // Only standard fields; the SDK adds others.
    this.#messages.push({
      role: "assistant",
      content,
      ...(refusal !== null && refusal !== undefined && { refusal }),
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ id, type, function: { name, arguments: text } }) => ({
          id,
          type,
          function: { name, arguments: text },
        })),
      }),
    });
    return {
      text: content ?? "",
      reasoning: "",
      refusal: refusal ?? "",
      calls: calls.map((call) => calledWith(call.function.name, call.function.arguments)),
      finish: FINISHES[choice.finish_reason] ?? "other",
      usage: counts({
        input: usage?.prompt_tokens,
        output: usage?.completion_tokens,
        total: usage?.total_tokens,
        cached: usage?.prompt_tokens_details?.cached_tokens,
        reasoning: usage?.completion_tokens_details?.reasoning_tokens,
      }),
    };
  }

  explain(error: unknown): ReturnType<SdkConversation["explain"]> {
    const isAbort = error instanceof APIUserAbortError;
    return { isAbort, status: error instanceof APIError ? error.status : undefined };
  }

  async #answer(): Promise<OpenAI.ChatCompletion> {
    const body = this.#body();
    const { signal = null } = this.#address;
    if (this.#mode === "whole") return this.#client.chat.completions.create(body, { signal });
    const stream = this.#client.chat.completions.stream(
      { ...body, stream_options: { include_usage: true } },
      { signal },
    );
    for await (const { choices } of stream) this.#collector.add(choices[0]?.delta.content ?? "");
    return stream.finalChatCompletion();
  }

  #body(): Body {
    const { tools, schema, stop, maxOutputTokens, reasoning } = this.#task;
    return {
      model: this.#address.model,
      messages: [...this.#messages],
      ...(tools !== undefined && {
        tools: tools.map(({ name, description, schema: parameters }) => ({
          type: "function" as const,
          function: { name, description, parameters, strict: true },
        })),
      }),
      ...(schema !== undefined && {
        response_format: { type: "json_schema" as const, json_schema: { name: "answer", schema, strict: true } },
      }),
      ...(stop !== undefined && { stop: [...stop] }),
      ...(maxOutputTokens !== undefined && { max_completion_tokens: maxOutputTokens }),
      ...(reasoning && { reasoning_effort: "medium" as const }),
    };
  }
}

export const chatClient: Client = {
  id: "openai-chat",
  title: "`openai`, Chat Completions",
  dialect: "openai-chat",
  play(task, mode, address) {
    const collector = new TextCollector(address.onText);
    return converse(task, new ChatConversation(task, mode, address, collector), collector);
  },
};
