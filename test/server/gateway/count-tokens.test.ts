// Token counts in both protocols: by the provider, otherwise by a marked estimate.
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { expect, test } from "vitest";
import { demo } from "../../../src/client/index.ts";
import { replayServer } from "../../../src/testkit/index.ts";
import type { ReceivedRequest } from "../../../src/testkit/index.ts";
import { post, startGateway } from "./support.ts";

const COUNT_REQUESTS = {
  anthropic: {
    path: "/v1/messages/count_tokens",
    body: {
      model: "up/m-1",
      system: "Be brief.",
      messages: [{ role: "user", content: "How many?" }],
      tools: [{ name: "look", input_schema: { type: "object", properties: {} } }],
    },
  },
  gemini: {
    path: "/v1beta/models/up/m-1:countTokens",
    body: { contents: [{ role: "user", parts: [{ text: "How many?" }] }] },
  },
  whole: {
    path: "/v1beta/models/up/m-1:countTokens",
    body: {
      generateContentRequest: {
        model: "models/up/m-1",
        systemInstruction: { parts: [{ text: "Be brief." }] },
        contents: [{ role: "user", parts: [{ text: "How many?" }] }],
      },
    },
  },
};

type Sent = Pick<ReceivedRequest, "path" | "body">;

test.each<
  [sentence: string, protocol: keyof typeof COUNT_REQUESTS, dialect: "anthropic" | "gemini", sent: Sent, reply: object]
>([
  [
    "Anthropic's request is forwarded except for the model name",
    "anthropic",
    "anthropic",
    { path: "/v1/messages/count_tokens", body: { ...COUNT_REQUESTS.anthropic.body, model: "m-1" } },
    { input_tokens: 42 },
  ],
  [
    "Gemini's request is forwarded",
    "gemini",
    "gemini",
    { path: "/v1beta/models/m-1:countTokens", body: COUNT_REQUESTS.gemini.body },
    { totalTokens: 42 },
  ],
  [
    "the model in Gemini's body is renamed",
    "whole",
    "gemini",
    {
      path: "/v1beta/models/m-1:countTokens",
      body: { generateContentRequest: { ...COUNT_REQUESTS.whole.body.generateContentRequest, model: "models/m-1" } },
    },
    { totalTokens: 42 },
  ],
  [
    "Anthropic's request on Gemini",
    "anthropic",
    "gemini",
    {
      path: "/v1beta/models/m-1:countTokens",
      body: {
        generateContentRequest: expect.objectContaining({
          model: "models/m-1",
          systemInstruction: { parts: [{ text: "Be brief." }] },
          contents: [{ role: "user", parts: [{ text: "How many?" }] }],
        }),
      },
    },
    { input_tokens: 42 },
  ],
  [
    "Gemini's request on Anthropic",
    "whole",
    "anthropic",
    {
      path: "/v1/messages/count_tokens",
      body: { model: "m-1", system: expect.anything(), messages: [{ role: "user", content: expect.anything() }] },
    },
    { totalTokens: 42 },
  ],
])("%s", async (_, protocol, dialect, sent, reply) => {
  await using upstream = await replayServer({ "*": { body: { input_tokens: 42, totalTokens: 42 } } });
  const up = { dialect, baseUrl: upstream.url, apiKey: "k" };
  await using koine = await startGateway({ providers: { up } });
  const received = await post(koine, COUNT_REQUESTS[protocol]);
  expect([received.status, received.json]).toEqual([200, reply]);
  expect(received.headers.get("x-koine-estimated")).toBeNull();
  expect(upstream.requests).toMatchObject([sent]);
});

test.each<[protocol: "anthropic" | "gemini", field: string]>([
  ["anthropic", "input_tokens"],
  ["gemini", "totalTokens"],
])("%s: a provider without token counting is estimated, and marked so", async (protocol, field) => {
  await using koine = await startGateway({ providers: { up: demo() } });
  const short = await post(koine, COUNT_REQUESTS[protocol]);
  expect(short.json).toEqual({ [field]: expect.toSatisfy((n: number) => n > 3 && n < 60), estimated: true });
  expect(short.headers.get("x-koine-estimated")).toBe("true");
});

test("the official SDKs read both formats", async () => {
  await using koine = await startGateway({ providers: { demo: demo() } });
  const anthropic = new Anthropic({ baseURL: koine.url, apiKey: "k", maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "How many tokens are these?" }];
  expect((await anthropic.messages.countTokens({ model: "koine", messages })).input_tokens).toBeGreaterThan(5);
  const gemini = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: koine.url } });
  const counted = await gemini.models.countTokens({ model: "koine", contents: "How many tokens are these?" });
  expect(counted.totalTokens).toBeGreaterThan(5);
});

test.each<[sentence: string, reply: object, status: number]>([
  ["a refusal", { status: 401, body: { type: "error", error: { type: "authentication_error", message: "No." } } }, 401],
  ["a reply without a count", { body: { hello: 1 } }, 502],
])("%s is reported in the protocol's format", async (_, reply, status) => {
  await using upstream = await replayServer({ "*": reply });
  const up = { dialect: "anthropic", baseUrl: upstream.url, apiKey: "k", retry: { attempts: 1 } } as const;
  await using koine = await startGateway({ providers: { up } });
  const received = await post(koine, COUNT_REQUESTS.anthropic);
  expect([received.status, received.json]).toMatchObject([status, { type: "error" }]);
});

test("invalid bodies are rejected", async () => {
  await using koine = await startGateway({ providers: { demo: demo() } });
  const received = await post(koine, { path: COUNT_REQUESTS.anthropic.path, body: { model: "koine", messages: "?" } });
  expect([received.status, received.text]).toEqual([400, expect.stringContaining("/messages")]);
});
