// Heartbeats that the official SDKs accept, before the first delta and between two (B87), and failures after a
// heartbeat (B86).
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Delta } from "../../../src/index.ts";
import type { LocalProvider } from "../../../src/client/index.ts";
import { Heartbeats } from "../../../src/server/gateway/heartbeats.ts";
import type { ClientDialect } from "./support.ts";
import { CLIENTS, createRequest, startGateway } from "./support.ts";

const BEAT_MS = 10;

const start: Delta = { kind: "start", payload: { modelId: "m", requestId: "r", contractVersion: 1 } };
const textDeltaOf = (textDelta: string): Delta => ({ kind: "text", payload: { textDelta, partKey: 0 } });

/** A model that waits for a gate before its first text or failure, and for another one before the rest. */
function slow(isFailing: boolean, gates: readonly PromiseWithResolvers<void>[]): LocalProvider {
  return {
    models: ["m"],
    retry: { attempts: 1 },
    async *answer() {
      await gates[0]?.promise;
      if (isFailing) throw Object.assign(new Error("Too much."), { kind: "overloaded", status: 529 });
      yield start;
      yield textDeltaOf("One ");
      await gates[1]?.promise;
      yield textDeltaOf("two.");
      yield { kind: "usage", payload: { inputTokens: 3, outputTokens: 2, totalTokens: 5 } };
      yield { kind: "done", payload: { finishReason: "stop" } };
    },
  };
}

function twoGates(): [PromiseWithResolvers<void>, PromiseWithResolvers<void>] {
  return [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
}

const BEATS: Record<ClientDialect, string> = {
  "openai-chat": ": koine\n\n",
  "openai-responses": ": koine\n\n",
  anthropic: 'event: ping\ndata: {"type":"ping"}\n\n',
  gemini: ": koine\n\n",
};

describe.each(CLIENTS)("%s", (client) => {
  test("B87: receives heartbeats before the first delta, and between two", async () => {
    const gates = twoGates();
    await using koine = await startGateway({ providers: { slow: slow(false, gates) }, heartbeatMs: BEAT_MS });
    const { path, body } = createRequest(client, "slow/m", true);
    const reply = await fetch(koine.url + path, { method: "POST", body: JSON.stringify(body) });
    const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const readUntil = async (isEnough: () => boolean): Promise<void> => {
      while (!isEnough()) text += (await reader?.read())?.value ?? "";
    };
    const beats = (part = text): number => part.split(BEATS[client]).length - 1;
    await readUntil(() => beats() > 2);
    expect(text.replaceAll(BEATS[client], "")).toBe("");
    gates[0].resolve();
    await readUntil(() => beats(text.split("One ")[1]) > 1);
    gates[1].resolve();
    await readUntil(() => text.includes("two."));
    expect(reply.status).toBe(200);
  });

  test("B86: receives a failure that comes after the head", async () => {
    const gates = twoGates();
    await using koine = await startGateway({ providers: { slow: slow(true, gates) }, heartbeatMs: BEAT_MS });
    const { path, body } = createRequest(client, "slow/m", true);
    const reply = await fetch(koine.url + path, { method: "POST", body: JSON.stringify(body) });
    expect(reply.status).toBe(200);
    gates[0].resolve();
    expect((await reply.text()).trimEnd().split("\n").at(-1)).toContain("Too much.");
  });
});

describe("B87: the official SDKs accept heartbeats", () => {
  const READ: Record<ClientDialect, (url: string) => Promise<string>> = {
    async "openai-chat"(url) {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "k", maxRetries: 0 });
      const stream = client.chat.completions.stream({ model: "slow/m", messages: [{ role: "user", content: "?" }] });
      return (await stream.finalChatCompletion()).choices[0]?.message.content ?? "";
    },
    async "openai-responses"(url) {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "k", maxRetries: 0 });
      return (await client.responses.stream({ model: "slow/m", input: "?" }).finalResponse()).output_text;
    },
    async anthropic(url) {
      const client = new Anthropic({ baseURL: url, apiKey: "k", maxRetries: 0 });
      const messages = [{ role: "user" as const, content: "?" }];
      return client.messages.stream({ model: "slow/m", max_tokens: 9, messages }).finalText();
    },
    async gemini(url) {
      const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: url } });
      let text = "";
      const stream = await client.models.generateContentStream({ model: "slow/m", contents: "?" });
      for await (const chunk of stream) text += chunk.text ?? "";
      return text;
    },
  };

  test.each(CLIENTS)("%s", async (client) => {
    const gates = twoGates();
    await using koine = await startGateway({ providers: { slow: slow(false, gates) }, heartbeatMs: BEAT_MS });
    const send = globalThis.fetch;
    let received = "";
    const hasBeat = (text = ""): boolean => text.includes(BEATS[client]);
    // Each gate opens when the SDK has received a heartbeat before it.
    const watched = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        controller.enqueue(bytes);
        received += Buffer.from(bytes).toString();
        if (hasBeat(received)) gates[0].resolve();
        if (hasBeat(received.split("One ")[1])) gates[1].resolve();
      },
    });
    vi.spyOn(globalThis, "fetch").mockImplementation(async (...args) => {
      const reply = await send(...args);
      return new Response(reply.body?.pipeThrough(watched) ?? null, reply);
    });
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await READ[client](koine.url)).toBe("One two.");
  });
});

test("a list without alt=sse is kept alive by whitespace", async () => {
  const gates = twoGates();
  await using koine = await startGateway({ providers: { slow: slow(false, gates) }, heartbeatMs: BEAT_MS });
  const { path, body } = createRequest("gemini", "slow/m", true);
  const url = koine.url + path.replace("?alt=sse", "");
  const reply = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  for (const gate of gates) gate.resolve();
  const text = await reply.text();
  expect(text.startsWith("\n")).toBe(true);
  expect(JSON.parse(text)).toHaveLength(3);
});

test("the timer runs only while a stream is open", () => {
  vi.useFakeTimers();
  try {
    const written: string[] = [];
    const beats = new Heartbeats(4);
    const write = (text: string | Uint8Array): undefined => void written.push(String(text));
    const pulse = beats.start({ write, closed: false }, "beat");
    vi.advanceTimersByTime(4);
    expect(written).toStrictEqual(["beat"]);
    expect(vi.getTimerCount()).toBe(1);
    pulse.end();
    vi.advanceTimersByTime(4);
    expect(written).toStrictEqual(["beat"]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
