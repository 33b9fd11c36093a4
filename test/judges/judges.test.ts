// Tests the SDK readers: each reads the same content from a stream of its provider and from a whole body.
import { expect, test } from "vitest";
import type { WireEvent } from "../../src/index.ts";
import { formatSse } from "../../src/index.ts";
import { cutRandomly, replayServer, seededRandom } from "../../src/testkit/index.ts";
import type { JudgedDialect } from "./index.ts";
import { JUDGES } from "./index.ts";
import type { SdkResult } from "./sdk-result.ts";

const CALL = { name: "look", arguments: { at: "Ἀθῆναι" } };
const ARGS = JSON.stringify(CALL.arguments);

function chunk(delta: object, finish: string | null = null): WireEvent {
  const choices = [{ index: 0, delta, finish_reason: finish, logprobs: null }];
  return { data: { id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices } };
}

function call(fields: object): object {
  return { tool_calls: [{ index: 0, ...fields }] };
}

const CHAT: WireEvent[] = [
  chunk({ role: "assistant", content: "" }),
  chunk({ reasoning_content: "Hm" }),
  chunk({ reasoning_content: "m." }),
  chunk({ content: "So" }),
  chunk({ content: "!" }),
  chunk(call({ id: "call_1", type: "function", function: { name: "look", arguments: "" } })),
  chunk(call({ function: { arguments: ARGS.slice(0, 5) } })),
  chunk(call({ function: { arguments: ARGS.slice(5) } })),
  chunk({}, "tool_calls"),
  {
    data: {
      id: "c",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [],
      usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
    },
  },
  { data: "[DONE]" },
];

const OUTPUT = [
  { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hmm." }], encrypted_content: "sealed" },
  {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "So!", annotations: [] }],
  },
  { type: "function_call", id: "fc_1", call_id: "call_1", name: "look", arguments: ARGS, status: "completed" },
];
const RESPONSE = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "m",
  status: "completed",
  incomplete_details: null,
  output: OUTPUT,
  usage: { input_tokens: 3, output_tokens: 5, total_tokens: 8 },
};
const RESPONSES: WireEvent[] = [
  { type: "response.created", response: { ...RESPONSE, status: "in_progress", output: [], usage: null } },
  ...OUTPUT.flatMap((item, index) => [
    { type: "response.output_item.added", output_index: index, item },
    { type: "response.output_item.done", output_index: index, item },
  ]),
  { type: "response.completed", response: RESPONSE },
].map((data, sequence) => ({ event: data.type, data: { ...data, sequence_number: sequence } }));

const ANTHROPIC: WireEvent[] = [
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
      usage: { input_tokens: 3, output_tokens: 1 },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hmm." } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "sealed" } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "So!" } },
  { type: "content_block_stop", index: 1 },
  { type: "content_block_start", index: 2, content_block: { type: "tool_use", id: "t", name: "look", input: {} } },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: ARGS } },
  { type: "content_block_stop", index: 2 },
  {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { output_tokens: 5 },
  },
  { type: "message_stop" },
].map((data) => ({ event: data.type, data }));

function content(parts: object[], beside: object = {}, counts: object = {}): WireEvent {
  return { data: { candidates: [{ index: 0, content: { role: "model", parts }, ...beside }], ...counts } };
}
const GEMINI: WireEvent[] = [
  content([{ text: "Hmm.", thought: true }]),
  content([{ text: "So" }]),
  content([{ text: "!" }]),
  content(
    [{ functionCall: CALL_ARGS(), thoughtSignature: "sealed" }],
    { finishReason: "STOP" },
    {
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: 8 },
    },
  ),
];
function CALL_ARGS(): object {
  return { name: CALL.name, args: CALL.arguments };
}

const STREAMS: readonly [JudgedDialect, readonly WireEvent[], Partial<SdkResult>][] = [
  ["openai-chat", CHAT, { finish: "tool_calls", signatures: [] }],
  ["openai-responses", RESPONSES, { finish: "completed" }],
  ["anthropic", ANTHROPIC, { finish: "tool_use" }],
  ["gemini", GEMINI, { finish: "STOP" }],
];

const EXPECTED: SdkResult = {
  text: "So!",
  reasoning: "Hmm.",
  refusal: "",
  calls: [CALL],
  signatures: ["sealed"],
  finish: "",
  usage: { input: 3, output: 5 },
};

function textOf(events: readonly WireEvent[]): string {
  return events.map((event) => formatSse(event)).join("");
}

test.each(STREAMS)(
  "the SDK of %s reads the content of a stream, and the same from the body that it accumulates",
  async (id, events, own) => {
    await using server = await replayServer({
      "*": { chunks: cutRandomly(textOf(events), seededRandom(id.length), 60) },
    });
    const { raw, ...verdict } = await JUDGES[id].runSdk(server.url);
    expect(verdict).toStrictEqual({ ...EXPECTED, ...own });
    expect(JUDGES[id].readBody(raw)).toStrictEqual(verdict);
    expect(server.requests.length).toBe(1);
  },
);

test.each(STREAMS)(
  "the SDK of %s does not accept a truncated stream as a whole answer",
  async (id, events, { finish: whole }) => {
    await using server = await replayServer({ "*": { chunks: [textOf(events.slice(0, 3))] } });
    const sdkResult = await JUDGES[id].runSdk(server.url).then(
      ({ finish }) => ({ finish }),
      (error: unknown) => String(error),
    );
    expect(sdkResult).not.toStrictEqual({ finish: whole });
  },
);
