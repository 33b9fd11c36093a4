// `@google/genai`: the SDK's chat stores the history.
import { ApiError, GoogleGenAI, ThinkingLevel } from "@google/genai";
import type { Chat, Content, GenerateContentConfig, GenerateContentResponse, Part } from "@google/genai";
import type { UnifiedFinishReason } from "../../../../src/index.ts";
import type { SdkConversation } from "../sdk-conversation.ts";
import { converse, counts, TextCollector } from "../sdk-conversation.ts";
import type { Client, Mode, ClientAddress, Task, Turn } from "../types.ts";

const FINISHES: Readonly<Record<string, UnifiedFinishReason>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content-filter",
};

class GenaiConversation implements SdkConversation {
  #chat: Chat;
  readonly #open: (history: Content[]) => Chat;
  readonly #isPlain: boolean;
  readonly #mode: Mode;
  readonly #collector: TextCollector;
  #next: Part[] = [];
  #called: { id?: string | undefined; name: string }[] = [];

  constructor(task: Task, mode: Mode, address: ClientAddress, collector: TextCollector) {
    const { url, apiKey, headers, model, signal } = address;
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url, ...(headers && { headers }) } });
    this.#open = (history) => client.chats.create({ model, config: configOf(task, signal), history });
    this.#chat = this.#open([]);
    this.#isPlain = task.plain === true;
    this.#mode = mode;
    this.#collector = collector;
  }

  addUser(text: string, image?: string): void {
    this.#next = [{ text }, ...(image === undefined ? [] : [{ inlineData: { mimeType: "image/png", data: image } }])];
  }

  addResults(results: readonly string[]): void {
    this.#next = this.#called.map(({ id, name }, index) => ({
      functionResponse: { ...(id !== undefined && { id }), name, response: { output: results[index] } },
    }));
  }

  async requestAnswer(): Promise<Turn> {
    const replies = await this.#answer();
    if (this.#isPlain) this.#chat = this.#open(this.#chat.getHistory().flatMap(withoutThoughts));
    const parts = replies.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
    const calls = parts.flatMap((part) => part.functionCall ?? []);
    this.#called = calls.map(({ id, name = "" }) => ({ id, name }));
    const usage = replies.findLast((reply) => reply.usageMetadata !== undefined)?.usageMetadata;
    const finish = replies.findLast(({ candidates }) => candidates?.[0]?.finishReason !== undefined)?.candidates?.[0];
    const unified = FINISHES[finish?.finishReason ?? ""] ?? "other";
    const textOfParts = (isThought: boolean): string =>
      parts.map(({ text = "", thought = false }) => (thought === isThought ? text : "")).join("");
    return {
      text: textOfParts(false),
      refusal: "",
      reasoning: textOfParts(true),
      calls: calls.map(({ name = "", args = {} }) => ({ name, input: args })),
      finish: unified === "stop" && calls.length > 0 ? "tool-calls" : unified,
      // Thoughts are counted separately from the answer.
      usage: counts({
        input: usage?.promptTokenCount,
        output: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
        total: usage?.totalTokenCount,
        cached: usage?.cachedContentTokenCount,
        reasoning: usage?.thoughtsTokenCount,
      }),
    };
  }

  explain(error: unknown): ReturnType<SdkConversation["explain"]> {
    const isAbort = error instanceof Error && error.name === "AbortError";
    return { isAbort, status: error instanceof ApiError ? error.status : undefined };
  }

  async #answer(): Promise<GenerateContentResponse[]> {
    const message = this.#next;
    if (this.#mode === "whole") return [await this.#chat.sendMessage({ message })];
    const replies: GenerateContentResponse[] = [];
    for await (const reply of await this.#chat.sendMessageStream({ message })) {
      replies.push(reply);
      for (const { text = "", thought } of reply.candidates?.[0]?.content?.parts ?? []) {
        if (thought !== true) this.#collector.add(text);
      }
    }
    return replies;
  }
}

function withoutThoughts({ role, parts = [] }: Content): Content[] {
  const sentBack = parts.filter(({ thought }) => thought !== true);
  for (const part of sentBack) delete part.thoughtSignature;
  return sentBack.length === 0 ? [] : [{ ...(role !== undefined && { role }), parts: sentBack }];
}

function configOf(task: Task, signal: AbortSignal | undefined): GenerateContentConfig {
  const { system, tools, schema, stop, maxOutputTokens, reasoning } = task;
  return {
    ...(signal !== undefined && { abortSignal: signal }),
    ...(system !== undefined && { systemInstruction: system }),
    ...(tools !== undefined && {
      tools: [
        {
          functionDeclarations: tools.map(({ name, description, schema: parametersJsonSchema }) => ({
            name,
            description,
            parametersJsonSchema,
          })),
        },
      ],
    }),
    ...(schema !== undefined && { responseMimeType: "application/json", responseJsonSchema: schema }),
    ...(stop !== undefined && { stopSequences: [...stop] }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(reasoning && { thinkingConfig: { includeThoughts: true, thinkingLevel: ThinkingLevel.MEDIUM } }),
  };
}

export const genaiClient: Client = {
  id: "genai",
  title: "`@google/genai`",
  dialect: "gemini",
  play(task, mode, address) {
    const collector = new TextCollector(address.onText);
    return converse(task, new GenaiConversation(task, mode, address, collector), collector);
  },
};
