// Streams of applications that use the AI SDK: metadata, data parts, an abort, an error in the middle.
import type { UIMessageChunk } from "ai";
import { createUIMessageStream, streamText, toUIMessageStream } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { aiSdkModel } from "../../../src/dialects/ai-sdk-model/index.ts";
import { aiSdkUi } from "../../../src/dialects/ai-sdk-ui/index.ts";
import type { AssemblyError } from "../../../src/index.ts";
import { assembleRun, checkDeltas } from "../../../src/index.ts";
import {
  readChunks,
  toUiChunks,
  decodeStream,
  encodeStream,
  finish,
  toPlainJson,
  runStream,
  readMessage,
} from "./stream-helpers.ts";
import { text } from "./runs.rows.ts";

const ui = aiSdkUi();
const model = aiSdkModel();

async function readAll<T>(stream: ReadableStream<T>): Promise<T[]> {
  const list: T[] = [];
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) list.push(read.value);
  return toPlainJson(list);
}

test("metadata, data parts and transient data reach the client unchanged", async () => {
  const answer = streamText({
    model: new MockLanguageModelV4({
      doStream: () =>
        Promise.resolve({ stream: convertArrayToReadableStream([...text("1", "Hello."), finish("stop")] as never[]) }),
    }),
    prompt: "Go.",
  });
  const stream = createUIMessageStream({
    generateId: () => "m",
    execute: ({ writer }) => {
      writer.write({ type: "data-progress", data: 1, transient: true });
      writer.write({ type: "data-chart", id: "c", data: { done: false } });
      writer.merge(
        toUIMessageStream({
          stream: answer.stream,
          messageMetadata: ({ part }) => (part.type === "finish" ? { tokens: part.totalUsage.totalTokens } : { at: 1 }),
        }),
      );
    },
  });
  const chunks: UIMessageChunk[] = await readAll(stream);
  const deltas = decodeStream(ui, [...chunks, "[DONE]"]);
  expect(checkDeltas(deltas)).toStrictEqual([]);
  const again = readChunks(encodeStream(ui, deltas));
  // Data parts may precede the start event; readUIMessageStream drops those, `useChat` does not.
  const begun = [...chunks.filter(({ type }) => type === "start"), ...chunks.filter(({ type }) => type !== "start")];
  const expected = await readMessage(begun);
  expect(expected?.parts.map(({ type }) => type)).toStrictEqual(["data-chart", "step-start", "text"]);
  expect(await readMessage(again)).toStrictEqual(expected);
  expect(again).toContainEqual({ type: "data-progress", data: 1, transient: true });
  const { wire } = ui.encodeMessages(assembleRun(deltas).messages, { newId: () => "" });
  expect(wire).toStrictEqual([expected]);
});

test("an error in the middle ends the answer, and the client receives the parts before it", async () => {
  const { parts } = await runStream({
    steps: [[...text("1", "It be"), { type: "error", error: new Error("Too many requests.") }]],
  });
  const deltas = decodeStream(model, parts);
  expect(checkDeltas(deltas)).toStrictEqual([]);
  expect(deltas.at(-1)).toMatchObject({ kind: "error", payload: { message: "Too many requests." } });
  const chunks = readChunks(encodeStream(ui, deltas));
  expect(chunks.at(-1)).toStrictEqual({ type: "error", errorText: "Too many requests." });
  const partial = (list: UIMessageChunk[]): UIMessageChunk[] => list.filter(({ type }) => type.startsWith("text-"));
  expect(partial(chunks)).toStrictEqual(partial(await toUiChunks(parts)));
});

test("an abort preserves the parts before it", async () => {
  const stop = new AbortController();
  const firstText = Promise.withResolvers<void>();
  const events: object[] = [
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "As far" },
  ];
  const answer = streamText({
    model: new MockLanguageModelV4({
      doStream: () => {
        const stream = new ReadableStream({
          async pull(controller) {
            const next = events.shift();
            if (next !== undefined) return controller.enqueue(next);
            await firstText.promise;
            stop.abort("The user left.");
            controller.error(new DOMException("Aborted", "AbortError"));
          },
        });
        return Promise.resolve({ stream: stream as never });
      },
    }),
    prompt: "Go.",
    abortSignal: stop.signal,
    onError: () => undefined,
  });
  const parts = [];
  for await (const part of answer.stream) {
    parts.push(part);
    if (part.type === "text-delta") firstText.resolve();
  }
  expect(parts.some(({ type }) => type === "abort")).toBe(true);
  const deltas = decodeStream(model, parts);
  expect(checkDeltas(deltas)).toStrictEqual([]);
  expect(deltas.at(-1)).toMatchObject({ kind: "error", payload: { errorCode: "aborted" } });
  try {
    assembleRun(deltas);
    expect.unreachable();
  } catch (error) {
    const { response } = error as AssemblyError;
    expect(response?.message.parts).toMatchObject([{ type: "text", text: "As far" }]);
  }
  expect((await readMessage(readChunks(encodeStream(ui, deltas))))?.parts).toMatchObject([
    { type: "step-start" },
    { type: "text", text: "As far" },
  ]);
});
