// `openai`, Responses: with the whole history, or with the id of the previous answer.
import OpenAI, { APIError, APIUserAbortError } from "openai";
import type { UnifiedFinishReason } from "../../../../src/index.ts";
import type { SdkConversation } from "../sdk-conversation.ts";
import { calledWith, converse, counts, TextCollector } from "../sdk-conversation.ts";
import type { Client, Mode, ClientAddress, Task, Turn } from "../types.ts";

type Item = OpenAI.Responses.ResponseInputItem;
type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "stream"> & { model: string };
/** The side that stores the history. */
type Keeper = "client" | "server";

class ResponsesConversation implements SdkConversation {
  readonly #client: OpenAI;
  readonly #task: Task;
  readonly #mode: Mode;
  readonly #address: ClientAddress;
  readonly #collector: TextCollector;
  readonly #keeper: Keeper;
  #input: Item[] = [];
  #open: string[] = [];
  #previous: string | undefined;

  constructor(task: Task, mode: Mode, address: ClientAddress, collector: TextCollector, keeper: Keeper) {
    const { url, apiKey, headers } = address;
    this.#client = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0, defaultHeaders: headers });
    this.#task = task;
    this.#mode = mode;
    this.#address = address;
    this.#collector = collector;
    this.#keeper = keeper;
  }

  addUser(text: string, image?: string): void {
    if (image === undefined) return void this.#input.push({ role: "user", content: text });
    const url = `data:image/png;base64,${image}`;
    this.#input.push({
      role: "user",
      content: [
        { type: "input_text", text },
        { type: "input_image", image_url: url, detail: "auto" },
      ],
    });
  }

  addResults(results: readonly string[]): void {
    results.forEach((output, index) => {
      this.#input.push({ type: "function_call_output", call_id: this.#open[index] ?? "", output });
    });
  }

  async requestAnswer(): Promise<Turn> {
    const response = await this.#answer();
    const { output, usage } = response;
    if (this.#keeper === "server") this.#input = [];
    // Fields that the SDK adds are not sent back.
    else this.#input.push(...(echo(output, this.#task.plain === true) as Item[]));
    this.#previous = response.id;
    const calls = output.filter((item) => item.type === "function_call");
    this.#open = calls.map((call) => call.call_id);
    const content = output.flatMap((item) => (item.type === "message" ? item.content : []));
    return {
      text: content.map((part) => (part.type === "output_text" ? part.text : "")).join(""),
      refusal: content.map((part) => (part.type === "refusal" ? part.refusal : "")).join(""),
      reasoning: output
        .flatMap((item) => (item.type === "reasoning" ? [...item.summary, ...(item.content ?? [])] : []))
        .map(({ text }) => text)
        .join(""),
      calls: calls.map((call) => calledWith(call.name, call.arguments)),
      finish: finishOf(response, calls.length > 0),
      usage: counts({
        input: usage?.input_tokens,
        output: usage?.output_tokens,
        total: usage?.total_tokens,
        cached: usage?.input_tokens_details?.cached_tokens,
        reasoning: usage?.output_tokens_details?.reasoning_tokens,
      }),
    };
  }

  explain(error: unknown): ReturnType<SdkConversation["explain"]> {
    const isAbort = error instanceof APIUserAbortError;
    return { isAbort, status: error instanceof APIError ? error.status : undefined };
  }

  async #answer(): Promise<OpenAI.Responses.Response> {
    const body = this.#body();
    const { signal = null } = this.#address;
    if (this.#mode === "whole") return this.#client.responses.create(body, { signal });
    const stream = this.#client.responses.stream(body, { signal });
    for await (const event of stream) {
      if (event.type === "response.output_text.delta") this.#collector.add(event.delta);
      if (event.type === "response.failed") throw new Error(event.response.error?.message ?? "failed");
    }
    return stream.finalResponse();
  }

  #body(): Body {
    const { system, tools, schema, maxOutputTokens, reasoning } = this.#task;
    const isStored = this.#keeper === "server";
    return {
      model: this.#address.model,
      input: [...this.#input],
      ...(isStored && this.#previous !== undefined && { previous_response_id: this.#previous }),
      ...(!isStored && reasoning && { include: ["reasoning.encrypted_content" as const] }),
      ...(system !== undefined && { instructions: system }),
      ...(tools !== undefined && {
        tools: tools.map(({ name, description, schema: parameters }) => ({
          type: "function" as const,
          name,
          description,
          parameters,
          strict: true,
        })),
      }),
      ...(schema !== undefined && {
        text: { format: { type: "json_schema" as const, name: "answer", schema: { ...schema }, strict: true } },
      }),
      ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
      ...(reasoning && { reasoning: { effort: "medium" as const, summary: "auto" as const } }),
    };
  }
}

function finishOf(response: OpenAI.Responses.Response, hasCalls: boolean): UnifiedFinishReason {
  const { status, incomplete_details: incomplete } = response;
  if (status === "completed") return hasCalls ? "tool-calls" : "stop";
  if (incomplete?.reason === "max_output_tokens") return "length";
  return incomplete?.reason === "content_filter" ? "content-filter" : "other";
}

function echo(output: OpenAI.Responses.Response["output"], isPlain: boolean): unknown[] {
  const sentBack = isPlain ? output.filter(({ type }) => type !== "reasoning") : output;
  const isOwn = (key: string): boolean => key.startsWith("parsed") || (isPlain && key === "id");
  const text = JSON.stringify(sentBack, (key, value: unknown) => (isOwn(key) ? undefined : value));
  return JSON.parse(text) as unknown[];
}

function clientOf(id: string, title: string, keeper: Keeper): Client {
  return {
    id,
    title,
    dialect: "openai-responses",
    play(task, mode, address) {
      const collector = new TextCollector(address.onText);
      return converse(task, new ResponsesConversation(task, mode, address, collector, keeper), collector);
    },
  };
}

export const responsesClient = clientOf("openai-responses", "`openai`, Responses", "client");
export const storedResponsesClient = clientOf(
  "openai-responses-stored",
  "`openai`, Responses with `previous_response_id`",
  "server",
);
