// A chat without a key: streamed answers of the demo provider, a conversation as a list of messages, a provider error,
// and an answer that is cancelled before its end.
import assert from "node:assert/strict";
import type { Message } from "koine";
import { user } from "koine";
import type { Answer } from "koine/client";
import { ClientError, createClient, demo } from "koine/client";

// With keys in the environment, `Client.fromEnv()` knows the providers, and the model is "anthropic/…" or "openai/…".
const client = createClient({ providers: { demo: demo() }, retry: { attempts: 2, baseMs: 10 } });
const model = "demo/koine";
const messages: Message[] = [];

/** Sends a user message, prints the answer while it arrives, and appends both to the conversation. */
async function send(text: string): Promise<Answer> {
  console.log(`> ${text}`);
  messages.push(user(text));
  const stream = client.stream({ model, messages });
  for await (const delta of stream) {
    if (delta.kind === "text" || delta.kind === "thinking") process.stdout.write(delta.payload.textDelta);
    // The seal ends the reasoning.
    if (delta.kind === "seal") process.stdout.write("\n");
  }
  process.stdout.write("\n\n");
  const answer = await stream.response();
  messages.push(answer.message);
  return answer;
}

const hello = await send("Hello! Who are you?");
assert.equal(hello.finishReason.unified, "stop");
assert.equal(hello.message.metadata?.provider, "demo");

// Reasoning is a signed part of the message and is sent back unchanged with the next request.
const reasoned = await send("think about the sea");
assert.deepEqual(
  reasoned.message.parts.map(({ type }) => type),
  ["reasoning", "text"],
);
assert.equal(reasoned.message.parts[0]?.seals?.[0]?.kind, "signature");

// A failed call is retried; the final error has a code and lists every attempt.
try {
  await send("error overloaded");
  assert.fail("The demo provider must return the requested error.");
} catch (error) {
  assert(error instanceof ClientError);
  console.log(`${error.code}: ${error.message}\n`);
  assert.equal(error.code, "overloaded");
  assert.equal(error.attempts.length, 2);
}
// The user message without an answer is removed from the conversation.
messages.pop();

// Leaving the loop cancels the call. The partial answer remains available and is marked as interrupted.
const stream = client.stream({ model, messages: [...messages, user("long 10000")] });
let textDeltas = 0;
for await (const delta of stream) {
  if (delta.kind === "text" && ++textDeltas === 5) break;
}
const partialText = stream.snapshot()?.message.parts[0];
assert(partialText?.type === "text" && partialText.text.startsWith("The tide comes in"));
console.log(`partial answer: ${partialText.text.slice(0, 48)} …`);

const usage = [hello, reasoned].map((answer) => answer.usage?.totalTokens ?? 0);
console.log(`${messages.length} messages, ${usage.join(" + ")} tokens`);
assert.equal(messages.length, 4);
await client.close();
