// One provider's stream for another provider's SDK: a server answers in Anthropic's protocol, the client is the official
// OpenAI SDK. Between them stands one call of `transcode`. It asserts what it shows.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import OpenAI from "openai";
import { assemble, dialect, formatSse, transcode } from "koine";

// 1. What Anthropic would send: thinking with its signature, a text, a tool call in pieces.
const blocks = [
  {
    start: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      { type: "thinking_delta", thinking: "They want the weather." },
      { type: "signature_delta", signature: "c2lnbmVk" },
    ],
  },
  {
    start: { type: "text", text: "" },
    deltas: ["I will ", "look it up."].map((text) => ({ type: "text_delta", text })),
  },
  {
    start: { type: "tool_use", id: "toolu_01", name: "weather", input: {} },
    deltas: ['{"city": "Cor', 'inth"}'].map((partial_json) => ({ type: "input_json_delta", partial_json })),
  },
];
const usage = { input_tokens: 20, output_tokens: 1 };
const events = [
  {
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-opus-4-8",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  },
  ...blocks.flatMap(({ start, deltas }, index) => [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]),
  { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 30 } },
  { type: "message_stop" },
];
const bytes = new TextEncoder().encode(events.map((data) => formatSse({ event: data.type, data })).join(""));

// 2. A server that speaks Chat Completions; the bytes come in pieces that end anywhere.
const coder = transcode("anthropic", "openai-chat");
const server = createServer((_, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let at = 0; at < bytes.length; at += 50) response.write(coder.push(bytes.subarray(at, at + 50)));
  response.end(coder.end());
}).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo; // it listens on a port

// 3. The official SDK assembles it.
const client = new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "none" });
const stream = client.chat.completions.stream({ model: "any", messages: [{ role: "user", content: "Weather?" }] });
const { choices } = await stream.finalChatCompletion();
server.close();
console.log("What the OpenAI SDK has read:", JSON.stringify(choices[0], null, 2));
const [call] = choices[0]?.message.tool_calls ?? [];
assert.equal(choices[0]?.message.content, "I will look it up.");
assert.equal(call?.type === "function" && call.function.arguments, '{"city": "Corinth"}');
assert.equal(choices[0]?.finish_reason, "tool_calls");

// 4. What a chat chunk cannot say is in the report.
const told = coder.losses.map(({ level, code, path }) => `${level}: ${code} at ${path}`);
console.log("What did not arrive:", told);
assert.ok(coder.losses.some(({ code, path }) => code === "reasoning-unsupported" && path === "/message/parts/0"));

// 5. The same bytes as one message, the signature still on its part; cut off, they are a part of it and an error.
const decoder = dialect("anthropic").streamDecoder();
const { message } = assemble([...decoder.push(bytes), ...decoder.end()]);
assert.deepEqual(message.parts[0], {
  type: "reasoning",
  text: "They want the weather.",
  seals: [{ dialect: "anthropic", kind: "signature", value: "c2lnbmVk" }],
});
const cut = dialect("anthropic").streamDecoder();
const deltas = [...cut.push(bytes.subarray(0, bytes.length / 2)), ...cut.end()];
const last = deltas.at(-1);
console.log("Cut off in the middle:", last);
assert.equal(last?.kind === "error" && last.payload.errorCode, "truncated");
