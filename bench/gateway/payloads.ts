// The generated requests to the gateways and the answers of the provider, which are the same for all gateways.

const SENTENCE = "The road from Athens to Corinth follows the coast, and the sea is in sight for most of the way. ";

function createText(length: number, seed: string): string {
  return (seed + SENTENCE.repeat(Math.ceil(length / SENTENCE.length))).slice(0, length);
}

/** The text of every complete answer. */
const ANSWER = createText(600, "An answer. ");

/** Returns a Chat request of `count` alternating messages; each `seed` gives another conversation. */
export function chatRequest(model: string, count: number, seed: string, stream: boolean): string {
  const messages = Array.from({ length: count }, (_, at) =>
    at % 2 === 0
      ? { role: "user", content: createText(270, `${seed} question ${at}. `) }
      : { role: "assistant", content: ANSWER },
  );
  return JSON.stringify({ model, max_tokens: 1024, temperature: 0.5, messages, ...(stream && { stream }) });
}

const USAGE = { input_tokens: 412, output_tokens: 148 };

export const ANTHROPIC_WHOLE = JSON.stringify({
  id: "msg_bench",
  type: "message",
  role: "assistant",
  model: "claude-bench",
  content: [{ type: "text", text: ANSWER }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: USAGE,
});
export const CHAT_WHOLE = JSON.stringify({
  id: "chatcmpl-bench",
  object: "chat.completion",
  created: 1_760_000_000,
  model: "gpt-bench",
  choices: [{ index: 0, message: { role: "assistant", content: ANSWER, refusal: null }, finish_reason: "stop" }],
  usage: { prompt_tokens: 412, completion_tokens: 148, total_tokens: 560 },
});

/** Returns an Anthropic stream as a list of text chunks, each with one or more events. */
export function anthropicStream(chunks: number): string[] {
  const event = (data: { type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const start = {
    id: "msg_bench",
    type: "message",
    role: "assistant",
    model: "claude-bench",
    content: [],
    usage: USAGE,
  };
  return [
    event({ type: "message_start", message: start } as { type: string }) +
      event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as { type: string }),
    ...splitText(chunks).map((text) =>
      event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } } as { type: string }),
    ),
    event({ type: "content_block_stop", index: 0 } as { type: string }) +
      event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: USAGE } as { type: string }) +
      event({ type: "message_stop" }),
  ];
}

export function chatStream(chunks: number): string[] {
  const chunk = (delta: object, finish_reason: string | null): string =>
    `data: ${JSON.stringify({
      id: "chatcmpl-bench",
      object: "chat.completion.chunk",
      created: 1_760_000_000,
      model: "gpt-bench",
      choices: [{ index: 0, delta, finish_reason }],
    })}\n\n`;
  return [
    chunk({ role: "assistant", content: "" }, null),
    ...splitText(chunks).map((content) => chunk({ content }, null)),
    `${chunk({}, "stop")}data: [DONE]\n\n`,
  ];
}

function splitText(chunks: number): string[] {
  return Array.from({ length: chunks }, (_, at) => `word${at} and `);
}
