// The server inside a program: an official SDK calls the server, a resent history continues its thread, an edited
// history becomes a branch, and the thread can be read in every dialect.
import assert from "node:assert/strict";
import type { ChatCompletionMessageParam } from "openai/resources";
import OpenAI from "openai";
import { completeConfig, createServer } from "koine/server";

// The defaults are the demo provider and a ledger in memory. `koine serve` reads both from the environment.
const server = await createServer(completeConfig({ port: 0, log: "silent" }));
await server.listen();
const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "any" });
const model = "demo/koine";

/** Sends the whole history, as clients do, and returns the answer and the thread in which it is recorded. */
async function send(messages: ChatCompletionMessageParam[]): Promise<{ content: string; thread: string | null }> {
  const { data, response } = await openai.chat.completions.create({ model, messages }).withResponse();
  return { content: data.choices[0]?.message.content ?? "", thread: response.headers.get("x-koine-thread") };
}

const question = { role: "user", content: "say The sea is wine-dark." } as const;
const first = await send([question]);
console.log(first.content);

const history = [question, { role: "assistant", content: first.content }] as const;
const second = await send([...history, { role: "user", content: "say Rosy-fingered dawn." }]);
console.log(second.content);
assert.equal(second.thread, first.thread, "a resent history goes on in its thread");

const edited = await send([...history, { role: "user", content: "say Swift-footed Achilles." }]);
assert.equal(edited.thread, first.thread, "an edit becomes a branch of it");

const read = async (path: string): Promise<unknown> => (await fetch(`${server.url}${path}`)).json();
const tree = (await read(`/v1/threads/${first.thread}/tree`)) as { messages: unknown[] };
console.log(`${tree.messages.length} messages in the tree; the last question has two versions.`);
assert.equal(tree.messages.length, 6);
console.log(JSON.stringify(await read(`/v1/threads/${first.thread}/messages?dialect=anthropic`)));

await server.close();
