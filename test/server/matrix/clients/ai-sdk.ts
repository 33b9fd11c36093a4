// `ai` with its providers: the SDK runs the tool loop and stores the history.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModel, ModelMessage, StepResult, ToolSet } from "ai";
import { APICallError, generateText, jsonSchema, Output, stepCountIs, streamText, tool } from "ai";
import type { UpstreamDialect } from "../../../support/upstreams/index.ts";
import { counts, TextCollector, failureOf } from "../sdk-conversation.ts";
import type { Client, Mode, Outcome, ClientAddress, Task, Turn } from "../types.ts";

type ProviderOptions = NonNullable<Parameters<typeof generateText>[0]["providerOptions"]>;

interface Manner {
  id: string;
  title: string;
  dialect: UpstreamDialect;
  model: (address: ClientAddress) => LanguageModel;
  /** Options that enable visible reasoning. */
  reasoning: ProviderOptions;
}

// Silences a warning about unknown model names at every call.
globalThis.AI_SDK_LOG_WARNINGS = false;

const MAX_STEPS = 8;
const FINISHES = ["stop", "length", "tool-calls", "content-filter"] as const;

function settingsOf(task: Task, messages: ModelMessage[], { model, reasoning }: Manner, address: ClientAddress) {
  const { system, schema, stop, maxOutputTokens } = task;
  return {
    model: model(address),
    messages,
    maxRetries: 0,
    tools: toolsOf(task),
    stopWhen: stepCountIs(task.result === undefined ? 1 : MAX_STEPS),
    ...(system !== undefined && { instructions: system }),
    ...(schema !== undefined && { output: Output.object({ schema: jsonSchema(schema), name: "answer" }) }),
    ...(stop !== undefined && { stopSequences: [...stop] }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(task.reasoning && { providerOptions: reasoning }),
    ...(address.signal !== undefined && { abortSignal: address.signal }),
  };
}

function toolsOf({ tools = [], result }: Task): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, schema }) => {
      const inputSchema = jsonSchema(schema);
      if (result === undefined) return [name, tool({ description, inputSchema })];
      return [name, tool({ description, inputSchema, execute: (input: unknown) => result({ name, input }) })];
    }),
  );
}

function turnOf(step: StepResult<ToolSet>): Turn {
  const { text, reasoningText = "", toolCalls, finishReason, usage } = step;
  return {
    text,
    reasoning: reasoningText,
    refusal: "",
    calls: toolCalls.map(({ toolName: name, input }) => ({ name, input: input as unknown })),
    finish: FINISHES.find((finish) => finish === finishReason) ?? "other",
    usage: counts({
      input: usage.inputTokens,
      output: usage.outputTokens,
      total: usage.totalTokens,
      cached: usage.inputTokenDetails.cacheReadTokens,
      reasoning: usage.outputTokenDetails.reasoningTokens,
    }),
  };
}

/** Returns the resulting messages. */
async function playOnce(
  settings: ReturnType<typeof settingsOf>,
  mode: Mode,
  collector: TextCollector,
  turns: Turn[],
): Promise<ModelMessage[]> {
  // A failed step is not an answer; the thrown error describes it.
  const onStepFinish = (step: StepResult<ToolSet>): void => {
    if (step.finishReason !== "error") turns.push(turnOf(step));
  };
  if (mode === "whole") {
    const { responseMessages } = await generateText({ ...settings, onStepFinish });
    return responseMessages;
  }
  const errors: unknown[] = [];
  const result = streamText({ ...settings, onStepFinish, onError: ({ error }) => void errors.push(error) });
  for await (const part of result.fullStream) {
    if (part.type === "start-step") collector.text = "";
    if (part.type === "text-delta") collector.add(part.text);
    if (part.type === "abort") throw new DOMException("The stream was left.", "AbortError");
  }
  if (errors.length > 0) throw errors[0];
  return result.responseMessages;
}

async function play(task: Task, mode: Mode, address: ClientAddress, manner: Manner): Promise<Outcome> {
  const collector = new TextCollector(address.onText);
  const turns: Turn[] = [];
  const messages: ModelMessage[] = [firstMessage(task)];
  const later = [...(task.later ?? [])];
  try {
    for (;;) {
      messages.push(...(await playOnce(settingsOf(task, messages, manner, address), mode, collector, turns)));
      const next = later.shift();
      if (next === undefined) return { turns };
      messages.push({ role: "user", content: next });
    }
  } catch (error) {
    const isAbort = error instanceof Error && error.name === "AbortError";
    // A stream that breaks off has the status of its start.
    const { statusCode = 200 } = APICallError.isInstance(error) ? error : {};
    const status = statusCode === 200 ? undefined : statusCode;
    return { turns, failure: failureOf(error, { isAbort, status }, collector.text) };
  }
}

function firstMessage({ user, image }: Task): ModelMessage {
  if (image === undefined) return { role: "user", content: user };
  return {
    role: "user",
    content: [
      { type: "text", text: user },
      { type: "file", data: image, mediaType: "image/png" },
    ],
  };
}

const MANNERS: readonly Manner[] = [
  {
    id: "ai-openai",
    title: "`ai` with `@ai-sdk/openai`, Responses",
    dialect: "openai-responses",
    model: ({ url, apiKey, headers = {}, model }) =>
      createOpenAI({ baseURL: `${url}/v1`, apiKey, headers }).responses(model),
    // Without `forceReasoning`, the SDK assumes that unknown models do not reason.
    reasoning: { openai: { forceReasoning: true, reasoningEffort: "medium", reasoningSummary: "auto" } },
  },
  {
    id: "ai-openai-chat",
    title: "`ai` with `@ai-sdk/openai`, Chat",
    dialect: "openai-chat",
    model: ({ url, apiKey, headers = {}, model }) =>
      createOpenAI({ baseURL: `${url}/v1`, apiKey, headers }).chat(model),
    reasoning: { openai: { forceReasoning: true, reasoningEffort: "medium" } },
  },
  {
    id: "ai-anthropic",
    title: "`ai` with `@ai-sdk/anthropic`",
    dialect: "anthropic",
    model: ({ url, apiKey, headers = {}, model }) => createAnthropic({ baseURL: `${url}/v1`, apiKey, headers })(model),
    reasoning: { anthropic: { thinking: { type: "enabled", budgetTokens: 2000 } } },
  },
  {
    id: "ai-google",
    title: "`ai` with `@ai-sdk/google`",
    dialect: "gemini",
    model: ({ url, apiKey, headers = {}, model }) => createGoogle({ baseURL: `${url}/v1beta`, apiKey, headers })(model),
    reasoning: { google: { thinkingConfig: { includeThoughts: true, thinkingLevel: "medium" } } },
  },
];

export const aiSdkClients: readonly Client[] = MANNERS.map((manner) => ({
  id: manner.id,
  title: manner.title,
  dialect: manner.dialect,
  play: (task, mode, address) => play(task, mode, address, manner),
}));
