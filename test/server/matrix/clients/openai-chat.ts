// `openai`, Chat Completions: a plain client that sends back the standard fields of an answer and nothing else.
import OpenAI, { APIError, APIUserAbortError } from "openai";
import type { UnifiedFinishReason } from "../../../../src/index.ts";
import type { Talk } from "../talk.ts";
import { calledWith, converse, counts, Ear } from "../talk.ts";
import type { Client, Mode, Place, Task, Turn } from "../types.ts";

const FINISHES: Readonly<Record<string, UnifiedFinishReason>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  content_filter: "content-filter",
};

type Body = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, "stream">;

class ChatTalk implements Talk {
  readonly #client: OpenAI;
  readonly #task: Task;
  readonly #mode: Mode;
  readonly #place: Place;
  readonly #ear: Ear;
  readonly #messages: OpenAI.ChatCompletionMessageParam[] = [];
  #open: string[] = [];

  constructor(task: Task, mode: Mode, place: Place, ear: Ear) {
    const { url, apiKey, headers } = place;
    this.#client = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0, defaultHeaders: headers });
    this.#task = task;
    this.#mode = mode;
    this.#place = place;
    this.#ear = ear;
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

  async ask(): Promise<Turn> {
    const { choices, usage } = await this.#answer();
    const [choice] = choices;
    if (choice === undefined) throw new Error("There is no choice.");
    const { content, refusal, tool_calls: said = [] } = choice.message;
    const calls = said.filter((call) => call.type === "function");
    this.#open = calls.map(({ id }) => id);
    // The SDK adds fields of its own; a plain client knows these.
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

  explain(error: unknown): ReturnType<Talk["explain"]> {
    const isAbort = error instanceof APIUserAbortError;
    return { isAbort, status: error instanceof APIError ? error.status : undefined };
  }

  async #answer(): Promise<OpenAI.ChatCompletion> {
    const body = this.#body();
    const { signal = null } = this.#place;
    if (this.#mode === "whole") return this.#client.chat.completions.create(body, { signal });
    const stream = this.#client.chat.completions.stream(
      { ...body, stream_options: { include_usage: true } },
      { signal },
    );
    for await (const { choices } of stream) this.#ear.hear(choices[0]?.delta.content ?? "");
    return stream.finalChatCompletion();
  }

  #body(): Body {
    const { tools, schema, stop, maxOutputTokens, reasoning } = this.#task;
    return {
      model: this.#place.model,
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
  play(task, mode, place) {
    const ear = new Ear(place.heard);
    return converse(task, new ChatTalk(task, mode, place, ear), ear);
  },
};
