// One conversation with three providers: a model that reasons and calls a tool, a second model, Anthropic's API, and
// the first model again. Each provider gets its own signatures unchanged, and no signature of another provider.
// Everything runs locally: two demo providers that reject each other's signatures, and a replay server for Anthropic.
import assert from "node:assert/strict";
import type { Message, Tool } from "koine";
import { dialect, reasoning, text, getText, toolResult, user } from "koine";
import type { Answer, LocalProvider } from "koine/client";
import { createClient, demo } from "koine/client";
import { replayServer } from "koine/testkit";

// The answer of the Anthropic replay server: reasoning with its signature, and text.
const signature = { dialect: "anthropic", kind: "signature", value: "c2lnbmVkIGJ5IGFudGhyb3BpYw==" };
const parts = [reasoning("They want it short.", { seals: [signature] }), text("Take a hat.")];
const { wire } = dialect("anthropic").encodeResponse({
  id: "msg_1",
  model: "claude",
  message: { role: "assistant", parts },
  finishReason: { unified: "stop" },
  usage: { inputTokens: 80, outputTokens: 12, totalTokens: 92 },
});
await using server = await replayServer({ "POST /v1/messages": { body: wire as object } });

/** Returns a demo provider that records the issuers of the signatures it receives. */
function recordSeals(issuer: string, issuers: string[]): LocalProvider {
  const provider = demo({ issuer });
  return {
    ...provider,
    answer(request, context) {
      const seals = request.messages.flatMap((message) => message.parts.flatMap((part) => part.seals ?? []));
      issuers.push(...seals.map((seal) => seal.provider ?? seal.dialect));
      return provider.answer(request, context);
    },
  };
}

const receivedIssuers = { athens: [] as string[], sparta: [] as string[] };
await using client = createClient({
  providers: {
    athens: recordSeals("athens", receivedIssuers.athens),
    sparta: recordSeals("sparta", receivedIssuers.sparta),
    anthropic: { dialect: "anthropic", baseUrl: server.url, apiKey: "any" },
  },
});

const tools: Tool[] = [
  {
    type: "function",
    name: "weather",
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
];
const messages: Message[] = [];

/** Calls a model, runs its tool calls, and repeats both until the model calls no tool. */
async function callModel(model: string, question?: string): Promise<Answer> {
  if (question !== undefined) messages.push(user(question));
  const answer = await client.complete({ model, messages, tools });
  messages.push(answer.message);
  for (const { level, path, action, code } of answer.losses) {
    if (level !== "note") console.log(`  not sent to ${answer.provider}: ${path} ${action} (${code})`);
  }
  const calls = answer.message.parts.filter((part) => part.type === "tool-call");
  for (const call of calls) messages.push(toolResult(call, { sky: "clear", celsius: 31 }));
  if (calls.length > 0) return callModel(model);
  console.log(`${answer.provider}: ${getText(answer.message)}`);
  return answer;
}

await callModel("athens/koine", 'think call weather {"city": "Corinth"}');
assert.deepEqual(receivedIssuers.athens, ["athens"]);

// The second model gets the reasoning without the signatures; the answer lists these losses.
const second = await callModel("sparta/koine", "think and tell me what to wear");
assert.deepEqual(receivedIssuers.sparta, []);
assert(second.losses.every(({ code }) => code === "seal-not-portable"));

// Anthropic accepts only reasoning that it signed itself.
const third = await callModel("anthropic/claude", "Shorter, please.");
assert.deepEqual(third.message.parts[0]?.seals?.[0]?.value, signature.value);
const sent = JSON.stringify(server.requests[0]?.body);
assert(!sent.includes("thinking") && sent.includes("tool_result"));

// The first model gets its own signatures again. It would reject the conversation without them or with other
// signatures.
await callModel("athens/koine", "think call weather");
assert.deepEqual(new Set(receivedIssuers.athens), new Set(["athens"]));
console.log(
  `${messages.length} messages, ${client.providers.join(", ")}: each provider received only its own signatures.`,
);
