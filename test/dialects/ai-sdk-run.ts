// Runs of the AI SDK's own `streamText` with its mock model: what a test reads them with.
import { readUIMessageStream, stepCountIs, streamText, toUIMessageStream } from "ai";
import type { ModelMessage, TextStreamPart, ToolSet, UIMessage, UIMessageChunk } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import type { Delta, Dialect, WireEvent } from "../../src/index.ts";
import type { Run } from "./ai-sdk-runs.ts";

const USAGE = {
  inputTokens: { total: 20, noCache: 12, cacheRead: 8, cacheWrite: undefined },
  outputTokens: { total: 10, text: 7, reasoning: 3 },
};

/** The end of a step. */
export function finish(unified: string, raw?: string): object {
  return { type: "finish", finishReason: { unified, raw }, usage: USAGE };
}

/** Plays a run: every event of it as the SDK gives it, and the messages that the SDK makes of it. */
export async function play({
  steps,
  with: made,
  ...given
}: Omit<Run, "name">): Promise<{ parts: TextStreamPart<ToolSet>[]; messages: ModelMessage[] }> {
  const { tools = {}, options = {} } = made?.() ?? given;
  let next = 0;
  const model = new MockLanguageModelV4({
    doStream: () => {
      // The parts are written down by hand.
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
  return { parts, messages: plain(await result.responseMessages) };
}

/** The message that `useChat` would show at the end. */
export async function readMessage(chunks: readonly UIMessageChunk[]): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined;
  const errors: unknown[] = [];
  const stream = readUIMessageStream({
    stream: convertArrayToReadableStream([...chunks]),
    onError: (error) => errors.push(error),
  });
  for await (const message of stream) last = message;
  if (errors.some((error) => !(error instanceof Error && error.message.startsWith("Expected:")))) throw errors[0];
  return last === undefined ? undefined : plain(last);
}

/** The SDK's own chunks of a run. */
export async function chunksOf(parts: readonly TextStreamPart<ToolSet>[]): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  const stream = toUIMessageStream({
    stream: convertArrayToReadableStream([...parts]),
    sendSources: true,
    onError: (error) => (error instanceof Error ? error.message : String(error)),
  });
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) chunks.push(read.value);
  return plain(chunks);
}

/** A value as it would be stored. */
export function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

export function decode(dialect: Dialect, events: readonly unknown[]): Delta[] {
  const decoder = dialect.streamDecoder();
  return [...events.flatMap((event) => decoder.push(event)), ...decoder.end()];
}

export function encode(dialect: Dialect, deltas: readonly Delta[]): WireEvent[] {
  const encoder = dialect.streamEncoder();
  return [...deltas.flatMap((delta) => encoder.push(delta)), ...encoder.end()];
}

/** The chunks among events. */
export function chunksIn(events: readonly WireEvent[]): UIMessageChunk[] {
  return events.flatMap(({ data }) => (data === "[DONE]" ? [] : [data as UIMessageChunk]));
}
