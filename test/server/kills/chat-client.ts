// A client of the gateway as anybody would write one: it asks in OpenAI's Chat protocol with its whole history, of which it
// keeps the standard fields only. Where a reply breaks off, it asks the same with the same key.
import { setTimeout as pause } from "node:timers/promises";
import type { Seeded } from "../../ledger/crash/seeded.ts";
import type { Conversation, Turn } from "./evidence.ts";
import { type Network, Passing } from "./network.ts";
import { question } from "./talk.ts";

export interface ChatOptions {
  network: Network;
  random: Seeded;
  name: string;
  turns: number;
  /** Whether it is time to end: the turn under way is finished. */
  isOver: () => boolean;
  /** The thread is known. */
  onThread: (threadId: string) => void;
}

const LONGEST_PAUSE_MS = 150;

export async function converse(options: ChatOptions): Promise<Conversation> {
  const { network, random, name, turns: most, isOver, onThread } = options;
  const messages: { role: string; content: string }[] = [];
  const turns: Turn[] = [];
  // Some say where they want to be recorded, most are recognised.
  const named: Record<string, string> = random.chance(0.25) ? { "x-koine-thread": `named-${name}` } : {};
  while (turns.length < most && !isOver()) {
    const asked = question(name, turns.length);
    messages.push({ role: "user", content: asked });
    const stream = random.chance(0.6);
    const body = { model: "campaign/campaign", messages, stream, reasoning_effort: "low" };
    const headers = { ...named, "idempotency-key": `${name}-${turns.length}` };
    const heard = await network.ask(asked, (url, signal) =>
      answerOf(network, `${url}/v1/chat/completions`, body, signal, headers),
    );
    if (heard === undefined) break;
    turns.push({ question: asked, ...heard });
    messages.push({ role: "assistant", content: heard.answer });
    if (turns.length === 1) onThread(heard.thread);
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

/** Of a stream that came to its end; throws for one that did not. */
function streamedText(text: string): string {
  const lines = text.split("\n").flatMap((line) => (line.startsWith("data: ") ? line.slice(6) : []));
  if (lines.at(-1) !== "[DONE]") throw new Passing(`A stream without an end: ${text.slice(-200)}`);
  let said = "";
  let isFinished = false;
  for (const line of lines.slice(0, -1)) {
    // A chunk of a Chat stream, or its error.
    const { choices = [], error } = JSON.parse(line) as {
      choices?: { delta: { content?: string }; finish_reason?: string | null }[];
      error?: object;
    };
    if (error !== undefined) throw new Passing(`A stream that failed: ${JSON.stringify(error)}`);
    for (const { delta, finish_reason: reason } of choices) {
      said += delta.content ?? "";
      isFinished ||= typeof reason === "string";
    }
  }
  if (!isFinished) throw new Passing(`A stream without a reason to end: ${text.slice(-200)}`);
  return said;
}
