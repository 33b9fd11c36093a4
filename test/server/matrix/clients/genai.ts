// `@google/genai`: the SDK's own chat keeps the history.
import { ApiError, GoogleGenAI, ThinkingLevel } from "@google/genai";
import type { Chat, Content, GenerateContentConfig, GenerateContentResponse, Part } from "@google/genai";
import type { UnifiedFinishReason } from "../../../../src/index.ts";
import type { Talk } from "../talk.ts";
import { converse, counts, Ear } from "../talk.ts";
import type { Client, Mode, Place, Task, Turn } from "../types.ts";

const FINISHES: Readonly<Record<string, UnifiedFinishReason>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content-filter",
};

class GenaiTalk implements Talk {
  #chat: Chat;
  readonly #open: (history: Content[]) => Chat;
  readonly #isPlain: boolean;
  readonly #mode: Mode;
  readonly #ear: Ear;
  #next: Part[] = [];
  #called: { id?: string | undefined; name: string }[] = [];

  constructor(task: Task, mode: Mode, place: Place, ear: Ear) {
    const { url, apiKey, headers, model, signal } = place;
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url, ...(headers && { headers }) } });
    this.#open = (history) => client.chats.create({ model, config: configOf(task, signal), history });
    this.#chat = this.#open([]);
    this.#isPlain = task.plain === true;
    this.#mode = mode;
    this.#ear = ear;
  }

  addUser(text: string, image?: string): void {
    this.#next = [{ text }, ...(image === undefined ? [] : [{ inlineData: { mimeType: "image/png", data: image } }])];
  }

  addResults(results: readonly string[]): void {
    this.#next = this.#called.map(({ id, name }, index) => ({
      functionResponse: { ...(id !== undefined && { id }), name, response: { output: results[index] } },
    }));
  }

  async ask(): Promise<Turn> {
    const replies = await this.#answer();
    if (this.#isPlain) this.#chat = this.#open(this.#chat.getHistory().flatMap(withoutThoughts));
    const parts = replies.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
    const calls = parts.flatMap((part) => part.functionCall ?? []);
    this.#called = calls.map(({ id, name = "" }) => ({ id, name }));
    const usage = replies.findLast((reply) => reply.usageMetadata !== undefined)?.usageMetadata;
    const finish = replies.findLast(({ candidates }) => candidates?.[0]?.finishReason !== undefined)?.candidates?.[0];
    const unified = FINISHES[finish?.finishReason ?? ""] ?? "other";
    const said = (isThought: boolean): string =>
      parts.map(({ text = "", thought = false }) => (thought === isThought ? text : "")).join("");
    return {
      text: said(false),
      refusal: "",
      reasoning: said(true),
      calls: calls.map(({ name = "", args = {} }) => ({ name, input: args })),
      finish: unified === "stop" && calls.length > 0 ? "tool-calls" : unified,
      // Thoughts are counted beside the answer here.
      usage: counts({
        input: usage?.promptTokenCount,
        output: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
        total: usage?.totalTokenCount,
        cached: usage?.cachedContentTokenCount,
        reasoning: usage?.thoughtsTokenCount,
      }),
    };
  }

  explain(error: unknown): ReturnType<Talk["explain"]> {
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
        if (thought !== true) this.#ear.hear(text);
      }
    }
    return replies;
  }
}

function withoutThoughts({ role, parts = [] }: Content): Content[] {
  const kept = parts.filter(({ thought }) => thought !== true);
  for (const part of kept) delete part.thoughtSignature;
  return kept.length === 0 ? [] : [{ ...(role !== undefined && { role }), parts: kept }];
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
  play(task, mode, place) {
    const ear = new Ear(place.heard);
    return converse(task, new GenaiTalk(task, mode, place, ear), ear);
  },
};
