// One conversation, three providers. It begins at a model that reasons and calls a tool, goes on at a second one and
// at Anthropic's wire, and comes back: each provider gets its own signatures again, unaltered, and nobody else's.
// Everything runs on this machine: two demos that refuse each other's signatures, and a server that plays Anthropic.
import assert from "node:assert/strict";
import type { Message, Tool } from "koine";
import { dialect, reasoning, text, getText, toolResult, user } from "koine";
import type { Answer, LocalProvider } from "koine/client";
import { createClient, demo } from "koine/client";
import { replayServer } from "koine/testkit";

// What Anthropic would answer: reasoning with its signature, and a text.
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

/** A demo that notes the signatures it is shown. */
function watched(issuer: string, shown: string[]): LocalProvider {
  const provider = demo({ issuer });
  return {
    ...provider,
    answer(request, context) {
      const seals = request.messages.flatMap((message) => message.parts.flatMap((part) => part.seals ?? []));
      shown.push(...seals.map((seal) => seal.provider ?? seal.dialect));
      return provider.answer(request, context);
    },
  };
}

const shown = { athens: [] as string[], sparta: [] as string[] };
await using client = createClient({
  providers: {
    athens: watched("athens", shown.athens),
    sparta: watched("sparta", shown.sparta),
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

/** Asks one of them, runs the tools it calls, and asks again until it is done. */
async function ask(model: string, question?: string): Promise<Answer> {
  if (question !== undefined) messages.push(user(question));
  const answer = await client.complete({ model, messages, tools });
  messages.push(answer.message);
  for (const { level, path, action, code } of answer.losses) {
    if (level !== "note") console.log(`  not for ${answer.provider}, whose it is not: ${path} ${action} (${code})`);
  }
  const calls = answer.message.parts.filter((part) => part.type === "tool-call");
  for (const call of calls) messages.push(toolResult(call, { sky: "clear", celsius: 31 }));
  if (calls.length > 0) return ask(model);
  console.log(`${answer.provider}: ${getText(answer.message)}`);
  return answer;
}

await ask("athens/koine", 'think call weather {"city": "Corinth"}');
assert.deepEqual(shown.athens, ["athens"]);

// Another one goes on. It sees the reasoning, but not the signatures: what was left out is on the answer.
const second = await ask("sparta/koine", "think and tell me what to wear");
assert.deepEqual(shown.sparta, []);
assert(second.losses.every(({ code }) => code === "seal-not-portable"));

// Anthropic's wire takes no reasoning that it did not sign.
const third = await ask("anthropic/claude", "Shorter, please.");
assert.deepEqual(third.message.parts[0]?.seals?.[0]?.value, signature.value);
const sent = JSON.stringify(server.requests[0]?.body);
assert(!sent.includes("thinking") && sent.includes("tool_result"));

// And back: the first one gets its own signatures, and would refuse the conversation without them or with others.
await ask("athens/koine", "think call weather");
assert.deepEqual(new Set(shown.athens), new Set(["athens"]));
console.log(`${messages.length} messages, ${client.providers.join(", ")}: every signature went home.`);
