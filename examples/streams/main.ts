// One provider's stream for another provider's SDK: an Anthropic stream is transcoded for the official OpenAI SDK with
// `transcode`. The example asserts its output.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import OpenAI from "openai";
import { assemble, dialect, formatSse, transcode } from "koine";

// 1. An Anthropic stream: thinking with its signature, text, and a tool call in several deltas.
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

// 2. A Chat Completions server; the input bytes arrive in chunks that end at arbitrary positions.
const coder = transcode("anthropic", "openai-chat");
const server = createServer((_, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let at = 0; at < bytes.length; at += 50) response.write(coder.push(bytes.subarray(at, at + 50)));
  response.end(coder.end());
}).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo; // The cast is safe: a listening TCP server has an AddressInfo.

// 3. The official SDK assembles the stream.
const client = new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "none" });
const stream = client.chat.completions.stream({ model: "any", messages: [{ role: "user", content: "Weather?" }] });
const { choices } = await stream.finalChatCompletion();
server.close();
console.log("The answer in the OpenAI SDK:", JSON.stringify(choices[0], null, 2));
const [call] = choices[0]?.message.tool_calls ?? [];
assert.equal(choices[0]?.message.content, "I will look it up.");
assert.equal(call?.type === "function" && call.function.arguments, '{"city": "Corinth"}');
assert.equal(choices[0]?.finish_reason, "tool_calls");

// 4. Data without a field in chat chunks is listed in the losses.
const lossLines = coder.losses.map(({ level, code, path }) => `${level}: ${code} at ${path}`);
console.log("Losses:", lossLines);
assert.ok(coder.losses.some(({ code, path }) => code === "reasoning-unsupported" && path === "/message/parts/0"));

// 5. The same bytes as one message, with the signature on its part; truncated bytes end with an error delta.
const decoder = dialect("anthropic").streamDecoder();
const { message } = assemble([...decoder.push(bytes), ...decoder.end()]);
assert.deepEqual(message.parts[0], {
  type: "reasoning",
  text: "They want the weather.",
  seals: [{ dialect: "anthropic", kind: "signature", value: "c2lnbmVk" }],
});
const truncatedDecoder = dialect("anthropic").streamDecoder();
const deltas = [...truncatedDecoder.push(bytes.subarray(0, bytes.length / 2)), ...truncatedDecoder.end()];
const last = deltas.at(-1);
console.log("Truncated in the middle:", last);
assert.equal(last?.kind === "error" && last.payload.errorCode, "truncated");
