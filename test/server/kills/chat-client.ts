// A plain client of the gateway: it calls OpenAI's Chat protocol with its whole history, of which it stores only the
// standard fields. If a reply breaks off, it repeats the request with the same key.
import { setTimeout as pause } from "node:timers/promises";
import type { SeededRandom } from "../../ledger/crash/campaign/seeded-random.ts";
import type { Conversation, Turn } from "./evidence.ts";
import { type Network, TransientFailure } from "./network.ts";
import { question } from "./campaign-texts.ts";

export interface ChatOptions {
  network: Network;
  random: SeededRandom;
  name: string;
  turns: number;
  /** True if it is time to end; the current turn is finished. */
  isOver: () => boolean;
  /** Called when the thread is known. */
  onThread: (threadId: string) => void;
}

const LONGEST_PAUSE_MS = 150;

export async function converse(options: ChatOptions): Promise<Conversation> {
  const { network, random, name, turns: maxTurns, isOver, onThread } = options;
  const messages: { role: string; content: string }[] = [];
  const turns: Turn[] = [];
  // Some clients name their thread; most are matched by their history.
  const named: Record<string, string> = random.chance(0.25) ? { "x-koine-thread": `named-${name}` } : {};
  while (turns.length < maxTurns && !isOver()) {
    const questionText = question(name, turns.length);
    messages.push({ role: "user", content: questionText });
    const stream = random.chance(0.6);
    const body = { model: "campaign/campaign", messages, stream, reasoning_effort: "low" };
    const headers = { ...named, "idempotency-key": `${name}-${turns.length}` };
    const received = await network.repeatUntilServed(questionText, (url, signal) =>
      answerOf(network, `${url}/v1/chat/completions`, body, signal, headers),
    );
    if (received === undefined) break;
    turns.push({ question: questionText, ...received });
    messages.push({ role: "assistant", content: received.answer });
    if (turns.length === 1) onThread(received.thread);
    await pause(random.below(LONGEST_PAUSE_MS));
  }
  return { name, turns };
}

async function answerOf(
  network: Network,
  url: string,
  body: { stream: boolean },
  signal: AbortSignal,
  headers: Record<string, string>,
): Promise<Omit<Turn, "question">> {
  const reply = await network.post(url, body, signal, headers);
  const text = await reply.text();
  return {
    answer: body.stream ? streamedText(text) : wholeText(text),
    thread: reply.headers.get("x-koine-thread") ?? "",
    run: reply.headers.get("x-koine-run") ?? "",
  };
}

function wholeText(text: string): string {
  // A completion of the Chat protocol.
  const { choices } = JSON.parse(text) as { choices: { message: { content: string } }[] };
  return choices[0]?.message.content ?? "";
}

/** Returns the text of a complete stream; throws for a cut-off one. */
function streamedText(body: string): string {
  const lines = body.split("\n").flatMap((line) => (line.startsWith("data: ") ? line.slice(6) : []));
  if (lines.at(-1) !== "[DONE]") throw new TransientFailure(`A stream without an end: ${body.slice(-200)}`);
  let text = "";
  let isFinished = false;
  for (const line of lines.slice(0, -1)) {
    // A chunk of a Chat stream, or its error.
    const { choices = [], error } = JSON.parse(line) as {
      choices?: { delta: { content?: string }; finish_reason?: string | null }[];
      error?: object;
    };
    if (error !== undefined) throw new TransientFailure(`A stream that failed: ${JSON.stringify(error)}`);
    for (const { delta, finish_reason: reason } of choices) {
      text += delta.content ?? "";
      isFinished ||= typeof reason === "string";
    }
  }
  if (!isFinished) throw new TransientFailure(`A stream without a reason to end: ${body.slice(-200)}`);
  return text;
}
