// A chat without a key: answers that stream from the demo provider, a conversation that is a list of messages, what
// happens when a provider fails, and an answer that nobody wants to hear to its end.
import assert from "node:assert/strict";
import type { Message } from "koine";
import { user } from "koine";
import type { Answer } from "koine/client";
import { ClientError, createClient, demo } from "koine/client";

// With keys in the environment, `Client.fromEnv()` knows the providers, and the model is "anthropic/…" or "openai/…".
const client = createClient({ providers: { demo: demo() }, retry: { attempts: 2, baseMs: 10 } });
const model = "demo/koine";
const messages: Message[] = [];

/** Says something, prints the answer while it arrives, and keeps both. */
async function say(text: string): Promise<Answer> {
  console.log(`> ${text}`);
  messages.push(user(text));
  const stream = client.stream({ model, messages });
  for await (const delta of stream) {
    if (delta.kind === "text" || delta.kind === "thinking") process.stdout.write(delta.payload.textDelta);
    // The reasoning is over and signed.
    if (delta.kind === "seal") process.stdout.write("\n");
  }
  process.stdout.write("\n\n");
  const answer = await stream.response();
  messages.push(answer.message);
  return answer;
}

const hello = await say("Hello! Who are you?");
assert.equal(hello.finishReason.unified, "stop");
assert.equal(hello.message.metadata?.provider, "demo");

// Reasoning is a part of the message, and signed: it goes back as it came.
const thought = await say("think about the sea");
assert.deepEqual(
  thought.message.parts.map(({ type }) => type),
  ["reasoning", "text"],
);
assert.equal(thought.message.parts[0]?.seals?.[0]?.kind, "signature");

// A provider that fails is asked again; then the error says what it was, and every attempt is on it.
try {
  await say("error overloaded");
  assert.fail("The demo does what it is told.");
} catch (error) {
  assert(error instanceof ClientError);
  console.log(`${error.code}: ${error.message}\n`);
  assert.equal(error.code, "overloaded");
  assert.equal(error.attempts.length, 2);
}
// What was not answered is not part of the conversation.
messages.pop();

// Leaving the loop ends the exchange. What had arrived is at hand, marked as interrupted, and can be kept.
const stream = client.stream({ model, messages: [...messages, user("long 10000")] });
let words = 0;
for await (const delta of stream) {
  if (delta.kind === "text" && ++words === 5) break;
}
const heard = stream.snapshot()?.message.parts[0];
assert(heard?.type === "text" && heard.text.startsWith("The tide comes in"));
console.log(`heard so far: ${heard.text.slice(0, 48)} …`);

const usage = [hello, thought].map((answer) => answer.usage?.totalTokens ?? 0);
console.log(`${messages.length} messages, ${usage.join(" + ")} tokens`);
assert.equal(messages.length, 4);
await client.close();
