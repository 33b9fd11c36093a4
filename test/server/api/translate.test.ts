// Translation over HTTP: payloads of every kind, detected if possible.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dialects } from "../../../src/dialects/index.ts";
import type { Api } from "./support.ts";
import { startApi } from "./support.ts";

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const ANTHROPIC = {
  model: "claude-x",
  max_tokens: 100,
  system: "Be brief.",
  messages: [{ role: "user", content: [{ type: "text", text: "Hello.", cache_control: { type: "ephemeral" } }] }],
};
const EVENTS = [
  {
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi." } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 2 } },
  { type: "message_stop" },
];

describe("translate", () => {
  test("translates a request with its losses and its envelope", async () => {
    const { body } = await api.post("/v1/translate", {
      from: "anthropic",
      to: "gemini",
      kind: "request",
      payload: ANTHROPIC,
    });
    expect(body).toMatchObject({
      dialect: "gemini",
      from: "anthropic",
      kind: "request",
      wire: {
        contents: [{ role: "user", parts: [{ text: "Hello." }] }],
        systemInstruction: { parts: [{ text: "Be brief." }] },
      },
      address: { model: "claude-x" },
    });
    expect(body.losses).toMatchObject([{ path: "/messages/1/parts/0/cache" }]);
  });

  test("dialect and kind of a payload are detected", async () => {
    const { body } = await api.post("/v1/translate", { to: "openai-chat", payload: ANTHROPIC, model: "gpt-x" });
    expect(body).toMatchObject({ from: "anthropic", kind: "request", wire: { model: "gpt-x" } });
  });

  test("translates a whole answer, an error, and a list of messages", async () => {
    const answer = {
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Hi.", refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
    };
    const whole = await api.post("/v1/translate", { to: "anthropic", payload: answer });
    expect(whole.body).toMatchObject({
      kind: "response",
      wire: { content: [{ type: "text", text: "Hi." }], stop_reason: "end_turn" },
    });
    const failed = { type: "error", error: { type: "rate_limit_error", message: "Slow down." } };
    const error = await api.post("/v1/translate", {
      from: "anthropic",
      to: "openai-chat",
      kind: "error",
      payload: failed,
      status: 429,
    });
    expect(error.body).toMatchObject({ status: 429, wire: { error: { message: "Slow down." } } });
    const list = await api.post("/v1/translate", {
      from: "openai-chat",
      to: "gemini",
      kind: "messages",
      payload: [{ role: "user", content: "Hi." }],
    });
    expect(JSON.stringify(list.body.wire)).toContain('"text":"Hi."');
  });

  test("translates a stream, as a list of events or as wire text", async () => {
    const asEvents = await api.post("/v1/translate", {
      from: "anthropic",
      to: "openai-chat",
      kind: "stream",
      payload: EVENTS,
    });
    expect(JSON.stringify(asEvents.body.wire)).toContain('"content":"Hi."');
    const text = EVENTS.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
    const asText = await api.post("/v1/translate", {
      from: "anthropic",
      to: "openai-chat",
      kind: "stream",
      payload: text,
    });
    expect(asText.body.wire).toContain('"content":"Hi."');
    expect(asText.body.wire).toContain("data: [DONE]");
  });

  test("a stream of binary frames is returned as base64", async () => {
    const text = EVENTS.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    const { body } = await api.post("/v1/translate", {
      from: "anthropic",
      to: "bedrock",
      kind: "stream",
      payload: text,
    });
    expect(Buffer.from(String(body.wire), "base64").includes("contentBlockDelta")).toBe(true);
  });

  test("B23: numbers keep their digits", async () => {
    const payload = `{"from":"openai-chat","to":"openai-chat","kind":"request","payload":{"model":"m","messages":[],"seed":12345678901234567890}}`;
    expect((await api.post("/v1/translate", payload)).text).toContain('"seed":12345678901234567890');
  });

  test.each([
    ["an unknown target", { to: "latin", payload: {} }, "/to"],
    ["no target", { payload: {} }, "to"],
    ["a payload of no dialect", { to: "gemini", payload: { hello: 1 } }, "/from"],
    ["a dialect without a kind", { from: "flat", to: "gemini", payload: { hello: 1 } }, "/kind"],
    ["nonsense", { from: "anthropic", kind: "request", to: "gemini", payload: { messages: 7 } }, "/payload/messages"],
    ["a kind that the dialect does not support", { from: "flat", kind: "error", to: "gemini", payload: {} }, "flat"],
    ["an invalid stream", { from: "anthropic", kind: "stream", to: "gemini", payload: {} }, "list of events"],
  ])("%s is an error", async (_, body, message) => {
    const answer = await api.post("/v1/translate", body);
    expect(answer.status, answer.text).toBe(400);
    expect(`${answer.body.error.path} ${answer.body.error.message}`).toContain(message);
  });
});

test("the dialects are listed with their capabilities", async () => {
  const { body } = await api.get("/v1/dialects");
  expect(body.dialects.map(({ id }) => id)).toEqual([...dialects]);
  expect(body.dialects[0]).toMatchObject({ id: "openai-chat", supports: expect.arrayContaining(["streams"]) });
});

test("the losses are listed, of all dialects or of one", async () => {
  const all = await api.get("/v1/losses");
  const gemini = await api.get("/v1/losses?dialect=gemini");
  expect(gemini.body.losses.length).toBeGreaterThan(10);
  expect(all.body.losses.filter(({ dialect }) => dialect === "gemini")).toEqual(gemini.body.losses);
  expect((await api.get("/v1/losses?dialect=latin")).status).toBe(400);
});
