// The streams for the transcoding benchmark: one answer with reasoning, a long text and a tool call in small deltas, in
// the format of each of the four providers. The streams are written without Koine.
import type { DialectName } from "../wire/wire.ts";

/** One event: its name, undefined if the dialect does not name events, and its data as text. */
export interface StreamEvent {
  event?: string;
  data: string;
}

/** The deltas of the answer. */
export interface AnswerScript {
  thoughts: string[];
  texts: string[];
  /** The fragments of the JSON text of the tool call's arguments. */
  args: string[];
}

const MODEL = "model-1";
const TOOL = { id: "call_1", name: "look_up" };
const WORDS = "the of and to in is that it was for on are with as at be this have from or had by".split(" ");

export function createScript(count: number): AnswerScript {
  const words = (length: number, from: number): string[] =>
    Array.from({ length }, (_, at) => ` ${WORDS[(at * 7 + from) % WORDS.length] ?? ""}${at % 5 === 0 ? "," : ""}`);
  const list = words(Math.ceil(count * 0.15), 5).map((word) => `,${JSON.stringify(word)}`);
  return {
    thoughts: words(Math.ceil(count * 0.15), 2),
    texts: words(Math.ceil(count * 0.7), 0),
    args: ['{"words":["first"', ...list, "]}"],
  };
}

type Writer = (script: AnswerScript) => Iterable<StreamEvent>;

function* anthropic({ thoughts, texts, args }: AnswerScript): Iterable<StreamEvent> {
  const say = (type: string, fields: object): StreamEvent => ({
    event: type,
    data: JSON.stringify({ type, ...fields }),
  });
  const block = function* (index: number, start: object, deltas: Iterable<object>): Iterable<StreamEvent> {
    yield say("content_block_start", { index, content_block: start });
    for (const delta of deltas) yield say("content_block_delta", { index, delta });
    yield say("content_block_stop", { index });
  };
  const usage = { input_tokens: 20, output_tokens: 1 };
  yield say("message_start", {
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: MODEL,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  });
  yield* block(0, { type: "thinking", thinking: "", signature: "" }, [
    ...thoughts.map((thinking) => ({ type: "thinking_delta", thinking })),
    { type: "signature_delta", signature: "c2lnbmF0dXJl" },
  ]);
  yield* block(
    1,
    { type: "text", text: "" },
    texts.map((text) => ({ type: "text_delta", text })),
  );
  yield* block(
    2,
    { type: "tool_use", ...TOOL, input: {} },
    args.map((piece) => ({ type: "input_json_delta", partial_json: piece })),
  );
  yield say("message_delta", { delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 99 } });
  yield say("message_stop", {});
}

function* openaiChat({ thoughts, texts, args }: AnswerScript): Iterable<StreamEvent> {
  const say = (fields: object): StreamEvent => ({
    data: JSON.stringify({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1_760_000_000,
      model: MODEL,
      system_fingerprint: "fp_1",
      ...fields,
    }),
  });
  const choice = (delta: object, finish: string | null = null): StreamEvent =>
    say({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
  const call = (fields: object): StreamEvent => choice({ tool_calls: [{ index: 0, ...fields }] });
  yield choice({ role: "assistant", content: "" });
  for (const thought of thoughts) yield choice({ reasoning_content: thought });
  for (const content of texts) yield choice({ content });
  yield call({ id: TOOL.id, type: "function", function: { name: TOOL.name, arguments: "" } });
  for (const piece of args) yield call({ function: { arguments: piece } });
  yield choice({}, "tool_calls");
  yield say({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 99, total_tokens: 119 } });
  yield { data: "[DONE]" };
}

function* openaiResponses({ thoughts, texts, args }: AnswerScript): Iterable<StreamEvent> {
  let sequence = 0;
  const say = (type: string, fields: object): StreamEvent => ({
    event: type,
    data: JSON.stringify({ type, sequence_number: sequence++, ...fields }),
  });
  const response = (status: string, output: object[], usage: object | null = null): object => ({
    response: {
      id: "resp_1",
      object: "response",
      created_at: 1_760_000_000,
      status,
      model: MODEL,
      output,
      error: null,
      usage,
    },
  });
  const [thought, text, all] = [thoughts.join(""), texts.join(""), args.join("")];
  const part = { type: "output_text", text: "", annotations: [] };
  const items = [
    { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: thought }] },
    { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [{ ...part, text }] },
    { id: "fc_1", type: "function_call", status: "completed", call_id: TOOL.id, name: TOOL.name, arguments: all },
  ];
  yield say("response.created", response("in_progress", []));
  yield say("response.output_item.added", { output_index: 0, item: { ...items[0], summary: [] } });
  const summary = { item_id: "rs_1", output_index: 0, summary_index: 0 };
  yield say("response.reasoning_summary_part.added", { ...summary, part: { type: "summary_text", text: "" } });
  for (const delta of thoughts) yield say("response.reasoning_summary_text.delta", { ...summary, delta });
  yield say("response.reasoning_summary_text.done", { ...summary, text: thought });
  yield say("response.reasoning_summary_part.done", { ...summary, part: { type: "summary_text", text: thought } });
  yield say("response.output_item.done", { output_index: 0, item: items[0] });
  yield say("response.output_item.added", {
    output_index: 1,
    item: { ...items[1], status: "in_progress", content: [] },
  });
  const content = { item_id: "msg_1", output_index: 1, content_index: 0 };
  yield say("response.content_part.added", { ...content, part });
  for (const delta of texts) yield say("response.output_text.delta", { ...content, delta, logprobs: [] });
  yield say("response.output_text.done", { ...content, text, logprobs: [] });
  yield say("response.content_part.done", { ...content, part: { ...part, text } });
  yield say("response.output_item.done", { output_index: 1, item: items[1] });
  yield say("response.output_item.added", {
    output_index: 2,
    item: { ...items[2], status: "in_progress", arguments: "" },
  });
  const call = { item_id: "fc_1", output_index: 2 };
  for (const delta of args) yield say("response.function_call_arguments.delta", { ...call, delta });
  yield say("response.function_call_arguments.done", { ...call, arguments: all });
  yield say("response.output_item.done", { output_index: 2, item: items[2] });
  const usage = { input_tokens: 20, output_tokens: 99, total_tokens: 119 };
  yield say("response.completed", response("completed", items, usage));
}

function* gemini({ thoughts, texts, args }: AnswerScript): Iterable<StreamEvent> {
  const say = (part: object, ending: object = {}): StreamEvent => ({
    data: JSON.stringify({
      candidates: [{ content: { parts: [part], role: "model" }, index: 0, ...ending }],
      usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 99, totalTokenCount: 119 },
      modelVersion: MODEL,
      responseId: "resp_1",
    }),
  });
  for (const text of thoughts) yield say({ text, thought: true });
  for (const text of texts) yield say({ text });
  const input: unknown = JSON.parse(args.join(""));
  yield say(
    { functionCall: { name: TOOL.name, args: input }, thoughtSignature: "c2lnbmF0dXJl" },
    { finishReason: "STOP" },
  );
}

export const STREAM_WRITERS: Readonly<Record<DialectName, Writer>> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
};

/** Formats an event as the lines of a server-sent event. */
export function lines({ event, data }: StreamEvent): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`;
}
