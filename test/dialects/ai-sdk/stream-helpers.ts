// Helpers that run the AI SDK's `streamText` with its mock model and read its streams.
import { readUIMessageStream, stepCountIs, streamText, toUIMessageStream } from "ai";
import type { ModelMessage, TextStreamPart, ToolSet, UIMessage, UIMessageChunk } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import type { Delta, Dialect, WireEvent } from "../../../src/index.ts";
import type { AiSdkRun } from "./runs.rows.ts";

const USAGE = {
  inputTokens: { total: 20, noCache: 12, cacheRead: 8, cacheWrite: undefined },
  outputTokens: { total: 10, text: 7, reasoning: 3 },
};

/** Returns the finish event of a mock step. */
export function finish(unified: string, raw?: string): object {
  return { type: "finish", finishReason: { unified, raw }, usage: USAGE };
}

/** Runs streamText; returns its events, and the messages that the SDK makes of them. */
export async function runStream({
  steps,
  with: made,
  ...runOptions
}: Omit<AiSdkRun, "name">): Promise<{ parts: TextStreamPart<ToolSet>[]; messages: ModelMessage[] }> {
  const { tools = {}, options = {} } = made?.() ?? runOptions;
  let next = 0;
  const model = new MockLanguageModelV4({
    doStream: () => {
      // The rows are typed as plain objects.
      const stream = convertArrayToReadableStream([...(steps[next++] ?? [])] as never[]);
      return Promise.resolve({ stream });
    },
  });
  const result = streamText({
    model,
    prompt: "Go.",
    tools,
    stopWhen: stepCountIs(steps.length),
    onError: () => undefined,
    ...options,
  });
  const parts: TextStreamPart<ToolSet>[] = [];
  for await (const part of result.stream) parts.push(part);
  return { parts, messages: toPlainJson(await result.responseMessages) };
}

/** Returns the final message that `useChat` would show. */
export async function readMessage(chunks: readonly UIMessageChunk[]): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined;
  const errors: unknown[] = [];
  const stream = readUIMessageStream({
    stream: convertArrayToReadableStream([...chunks]),
    onError: (error) => errors.push(error),
  });
  for await (const message of stream) last = message;
  if (errors.some((error) => !(error instanceof Error && error.message.startsWith("Expected:")))) throw errors[0];
  return last === undefined ? undefined : toPlainJson(last);
}

/** Returns the UI chunks that the SDK makes of a run. */
export async function toUiChunks(parts: readonly TextStreamPart<ToolSet>[]): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  const stream = toUIMessageStream({
    stream: convertArrayToReadableStream([...parts]),
    sendSources: true,
    onError: (error) => (error instanceof Error ? error.message : String(error)),
  });
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) chunks.push(read.value);
  return toPlainJson(chunks);
}

/** Returns the value as JSON stores it. */
export function toPlainJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

export function decodeStream(dialect: Dialect, events: readonly unknown[]): Delta[] {
  const decoder = dialect.streamDecoder();
  return [...events.flatMap((event) => decoder.push(event)), ...decoder.end()];
}

export function encodeStream(dialect: Dialect, deltas: readonly Delta[]): WireEvent[] {
  const encoder = dialect.streamEncoder();
  return [...deltas.flatMap((delta) => encoder.push(delta)), ...encoder.end()];
}

/** Returns the chunks of UI stream events. */
export function readChunks(events: readonly WireEvent[]): UIMessageChunk[] {
  return events.flatMap(({ data }) => (data === "[DONE]" ? [] : [data as UIMessageChunk]));
}
