// Valid requests and replies of every protocol, the seeds of corruption.
import { disassemble } from "../../../src/assembly/index.ts";
import { dialect } from "../../../src/dialects/index.ts";
import type { ModelRequest, ModelResponse } from "../../../src/model/index.ts";
import { assistant, stringifyJson, user } from "../../../src/model/index.ts";
import type { ClientProtocolId } from "../../../src/server/gateway/protocols.ts";
import { canonicalRequests, canonicalResponses } from "../../../src/testkit/index.ts";

/** A short conversation with a tool. */
const USUAL: ModelRequest = {
  messages: [
    user("What is the weather in Athens?"),
    assistant([{ type: "tool-call", toolCallId: "call_1", toolName: "weather", input: { city: "Athens" } }]),
    {
      role: "tool",
      parts: [{ type: "tool-result", toolCallId: "call_1", toolName: "weather", isError: false, output: "22 °C" }],
    },
    user("And in Sparta?"),
  ],
  tools: [
    { type: "function", name: "weather", inputSchema: { type: "object", properties: { city: { type: "string" } } } },
  ],
  sampling: { temperature: 0.5, maxOutputTokens: 200 },
};

const ANSWER: ModelResponse = {
  id: "resp_seed",
  model: "m",
  message: assistant([
    { type: "reasoning", text: "Sparta is warmer." },
    { type: "text", text: "It is 24 °C in Sparta." },
    { type: "tool-call", toolCallId: "call_2", toolName: "weather", input: { city: "Corinth" } },
  ]),
  finishReason: { unified: "tool-calls" },
  usage: { inputTokens: 20, outputTokens: 10, totalTokens: 30 },
};

const copyOf = (value: unknown): Record<string, unknown> => JSON.parse(stringifyJson(value)) as Record<string, unknown>; // bodies are objects

/** Returns requests in the format of each protocol. */
export function requestSeeds(client: ClientProtocolId, model: string): Record<string, unknown>[] {
  const requests = [USUAL, ...canonicalRequests().map(({ value }) => value)];
  return requests.map((request) => copyOf(dialect(client).encodeRequest({ ...request, model }).wire));
}

export interface ReplySeed {
  whole: Record<string, unknown>;
  stream: string;
}

/** Returns answers in the format of each provider, whole and streamed. */
export function replySeeds(upstream: ClientProtocolId): ReplySeed[] {
  const target = dialect(upstream);
  return [ANSWER, ...canonicalResponses().map(({ value }) => value)].map((response) => {
    const encoder = target.streamEncoder({ includeUsage: true });
    const events = [...disassemble(response).flatMap((delta) => encoder.push(delta)), ...encoder.end()];
    return {
      whole: copyOf(target.encodeResponse(response).wire),
      stream: events.map((event) => String(target.formatEvent(event))).join(""),
    };
  });
}

export const errorSeeds = (upstream: ClientProtocolId): Record<string, unknown>[] =>
  (["rate-limit", "overloaded", "invalid-request", "context-length"] as const).map((kind) =>
    copyOf(dialect(upstream).encodeError({ kind, message: `It was ${kind}.`, retryAfterMs: 10 }).wire),
  );

/** The end of a stream in each protocol: complete or failed. */
export const ENDINGS: Readonly<Record<ClientProtocolId, RegExp>> = {
  "openai-chat": /data: \[DONE\]\s*$|data: \{"error"[^\n]*\s*$/,
  "openai-responses": /"type":\s*"(?:response\.(?:completed|incomplete|failed)|error)"[^\n]*\s*$/,
  anthropic: /"type":\s*"(?:message_stop|error)"[^\n]*\s*$/,
  gemini: /"(?:finishReason|blockReason|error)"[^\n]*\s*\]?\s*$/,
};

/** Forwarded bytes may continue after the end event, or omit the final one. */
export const ENDINGS_WITHIN: Readonly<Record<ClientProtocolId, RegExp>> = {
  "openai-chat": /data: \[DONE\]|"finish_reason":\s?"|data: \{"error"/,
  "openai-responses": /response\.(?:completed|incomplete|failed)|event: error|"type":\s*"error"/,
  anthropic: /message_stop|event: ?error/,
  gemini: /"(?:finishReason|blockReason|error)"/,
};
