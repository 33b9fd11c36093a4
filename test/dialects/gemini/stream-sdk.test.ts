// Encoded Gemini streams, read by Google's SDK: its chunks, and the history of its chat.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Content, GenerateContentResponse } from "@google/genai";
import { GoogleGenAI } from "@google/genai";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { disassemble } from "../../../src/assembly/disassemble.ts";
import { dialect as createDialect } from "../../../src/dialects/index.ts";
import type { Part } from "../../../src/model/parts.ts";
import { delta } from "../../support/deltas.ts";
import { streams } from "./stream-samples.ts";
import { assembleAnswer, decodeAll, dialect, encodeAll, withoutFormSpecificKeys } from "./stream-helpers.ts";
import { RARE } from "../all/rare-samples.rows.ts";

let body: string[] = [];
const server = createServer((_, reply) => {
  reply.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of body) reply.write(piece);
  reply.end();
});
let ai: GoogleGenAI;

beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo; // The server listens on a port.
  ai = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: `http://127.0.0.1:${port}` } });
  // The SDK warns about parts that are not text.
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterAll(() => {
  vi.restoreAllMocks();
  server.close();
});

async function chat(events: readonly object[]): Promise<{ chunks: GenerateContentResponse[]; history: Content[] }> {
  body = events.map((data) => String(dialect.formatEvent({ data })));
  const session = ai.chats.create({ model: "m" });
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of await session.sendMessageStream({ message: "Hi." })) chunks.push(chunk);
  return { chunks, history: session.getHistory().slice(1) };
}

/** Returns the content of an answer without annotations and other fields of texts. */
function readContent(parts: readonly Part[]): unknown {
  return withoutFormSpecificKeys(
    parts.map((part) => {
      const bare: Record<string, unknown> = { ...part };
      delete bare["annotations"];
      delete bare["logprobs"];
      return bare;
    }),
  );
}

const samples = [
  // The SDK does not accept snake_case names.
  ...streams
    .filter(({ name }) => !name.startsWith("snake_case"))
    .map(({ name, events }) => ({ name, response: assembleAnswer(decodeAll(events)) })),
  ...Object.entries(RARE).flatMap(([id, { responses }]) =>
    responses.map(({ name, wire }) => ({ name: `${id}: ${name}`, response: createDialect(id).decodeResponse(wire) })),
  ),
].filter(({ response }) => response.message.parts.length > 0 && response.error === undefined);

describe("B85: the history of the SDK's chat has the whole answer", () => {
  test.each(samples)("$name", async ({ response }) => {
    const { chunks, history } = await chat(encodeAll(disassemble(response)).events);
    const parts = history.flatMap((content) => content.parts ?? []);
    const { responseId, candidates } = chunks.at(-1) ?? {};
    const whole = { responseId, candidates: [{ ...candidates?.[0], content: { role: "model", parts } }] };
    const meant = dialect.decodeResponse(dialect.encodeResponse(response).wire);
    expect(readContent(dialect.decodeResponse(whole).message.parts)).toStrictEqual(readContent(meant.message.parts));
    const texts = meant.message.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    expect(chunks.map(({ text }) => text ?? "").join("")).toBe(texts.join(""));
    const calls = meant.message.parts.filter((part) => part.type === "tool-call" && part.executor === undefined);
    expect(chunks.flatMap(({ functionCalls }) => functionCalls ?? [])).toHaveLength(calls.length);
  });
});

test("B86: the SDK throws the error of a failed stream", async () => {
  const deltas = [
    delta("start", { modelId: "m", requestId: "r" }),
    delta("text", { textDelta: "So f" }),
    delta("error", { errorCode: "overloaded", message: "Busy.", status: 503 }),
  ];
  await expect(chat(encodeAll(deltas).events)).rejects.toMatchObject({ name: "ApiError", status: 503 });
});

test("models.generateContentStream returns the counts and the finish reason", async () => {
  const [sample] = streams;
  body = encodeAll(decodeAll(sample?.events ?? [])).events.map((data) => String(dialect.formatEvent({ data })));
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of await ai.models.generateContentStream({ model: "m", contents: "Hi." })) chunks.push(chunk);
  expect(chunks.map(({ usageMetadata }) => usageMetadata?.totalTokenCount)).toStrictEqual([6, 7, 8, 8]);
  expect(chunks.at(-1)).toMatchObject({ responseId: "resp-1", candidates: [{ finishReason: "STOP" }] });
});
