// Another provider in the middle of a conversation: an Anthropic conversation continues with Gemini and returns. A
// provider's signatures are not sent to the other provider and are restored on return. The example asserts its output.
import assert from "node:assert/strict";
import { dialect, user } from "koine";
import type { Loss } from "koine";

const anthropic = dialect("anthropic");
const gemini = dialect("gemini");
const print = (title: string, value: unknown): void => console.log(`${title}\n${JSON.stringify(value, null, 2)}\n`);
const formatLosses = (losses: Loss[]): string[] =>
  losses.map(({ level, code, path }) => `${level}: ${code} at ${path}`);

// 1. The request that an agent has sent to Anthropic.
const anthropicRequest = {
  model: "claude-opus-4-8",
  max_tokens: 4096,
  system: "Answer briefly.",
  tools: [
    {
      name: "weather",
      description: "The weather in a city.",
      input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  ],
  messages: [
    { role: "user", content: "How is the weather in Corinth?" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "They want the weather.", signature: "c2lnbmVkIGJ5IGNsYXVkZQ==" },
        { type: "tool_use", id: "toolu_01", name: "weather", input: { city: "Corinth" } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_01", content: "Clear, 24 °C" }] },
  ],
};
const request = anthropic.decodeRequest(anthropicRequest);
assert.deepEqual(anthropic.encodeRequest(request).wire, anthropicRequest, "the same dialect in and out is equal JSON");

// 2. The same conversation for Gemini, without the signature, which the losses list.
const forGemini = gemini.encodeRequest({ ...request, model: "gemini-3-pro" });
print("For Gemini:", forGemini.wire);
print("Losses:", formatLosses(forGemini.losses));
assert.equal(forGemini.address?.model, "gemini-3-pro", "the model is in the URL");
assert.ok(!JSON.stringify(forGemini.wire).includes("c2lnbmVkIGJ5IGNsYXVkZQ=="), "no signature goes to another issuer");
assert.ok(!JSON.stringify(forGemini.wire).includes("They want the weather."), "thinking does not become text");
assert.ok(forGemini.losses.some(({ code }) => code === "reasoning-unsupported"));

// 3. Gemini's answer is appended to the conversation.
const reply = {
  candidates: [
    {
      index: 0,
      content: { role: "model", parts: [{ text: "Clear, 24 °C.", thoughtSignature: "c2lnbmVkIGJ5IGdlbWluaQ==" }] },
      finishReason: "STOP",
    },
  ],
  usageMetadata: { promptTokenCount: 40, candidatesTokenCount: 6, totalTokenCount: 46 },
  modelVersion: "gemini-3-pro",
  responseId: "r_1",
};
const names = forGemini.names;
const answer = gemini.decodeResponse(reply, { names });
request.messages.push(answer.message, user("And tomorrow?"));

// 4. Back to Anthropic: Anthropic's signature is restored, and Gemini's signature is not sent.
const back = anthropic.encodeRequest(request);
const messages = (back.wire as typeof anthropicRequest).messages;
assert.deepEqual(
  messages.slice(0, 3),
  anthropicRequest.messages,
  "an unchanged prefix is the same, so prompt caches hit",
);
assert.ok(!JSON.stringify(back.wire).includes("c2lnbmVkIGJ5IGdlbWluaQ=="));
print("New messages for Anthropic:", messages.slice(3));
print("Losses:", formatLosses(back.losses));

// 5. To Gemini again: Gemini's signature is restored.
assert.ok(JSON.stringify(gemini.encodeRequest(request).wire).includes("c2lnbmVkIGJ5IGdlbWluaQ=="));
console.log("Every assertion holds.");
