// The clients of the soak test: most clients read the whole stream, some read slowly, some disconnect in the middle.
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { createAnswer, createQuestion } from "./questions.ts";

export type ReaderBehavior = "normal" | "slow" | "disconnects";

/** The results of all calls of the soak test. */
export interface SoakResults {
  /** The numbers of the calls whose answer was read completely. */
  complete: number[];
  /** The numbers of the calls whose reader disconnected on purpose after the answer had begun. */
  disconnected: number[];
  /** The messages of unexpected errors. */
  errors: string[];
}

function selectBehavior(call: number): ReaderBehavior {
  if (call % 7 === 3) return "disconnects";
  return call % 7 === 5 ? "slow" : "normal";
}

export class Readers {
  readonly results: SoakResults = { complete: [], disconnected: [], errors: [] };
  readonly #url: string;
  readonly #dispatcher: Agent;
  #calls = 0;
  open = 0;

  constructor(url: string, maxConnections: number) {
    this.#url = url;
    this.#dispatcher = new Agent({
      connections: maxConnections,
      keepAliveTimeout: 30_000,
      bodyTimeout: 0,
      headersTimeout: 0,
    });
  }

  /** Makes one call after another until `until`, a time of performance.now(). */
  async work(until: number): Promise<void> {
    while (performance.now() < until) {
      const call = this.#calls++;
      this.open++;
      try {
        await this.#call(call, selectBehavior(call));
      } catch (error) {
        this.results.errors.push(`call ${call}: ${String(error)}`);
      } finally {
        this.open--;
      }
    }
  }

  async #call(call: number, behavior: ReaderBehavior): Promise<void> {
    const body = JSON.stringify({
      model: "soak/soak",
      stream: true,
      messages: [{ role: "user", content: createQuestion(call) }],
    });
    const headers = { "content-type": "application/json" };
    const dispatcher = this.#dispatcher;
    const reply = await request(`${this.#url}/v1/chat/completions`, { method: "POST", headers, body, dispatcher });
    if (reply.statusCode !== 200) throw new Error(`${reply.statusCode} ${await reply.body.text()}`);
    let text = "";
    for await (const chunk of reply.body.setEncoding("utf8")) {
      // The cast is safe, because setEncoding makes every chunk a string.
      text += chunk as string;
      if (behavior === "slow") await sleep(400);
      if (behavior === "disconnects" && text.length > 1500) {
        this.results.disconnected.push(call);
        return;
      }
    }
    if (readStreamText(text) !== createAnswer(call)) throw new Error(`another answer: ${text.slice(-300)}`);
    if (!text.endsWith("data: [DONE]\n\n")) throw new Error(`no end: ${text.slice(-300)}`);
    this.results.complete.push(call);
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }
}

/** Returns the text of a Chat Completions stream; does not use Koine's decoder. */
function readStreamText(stream: string): string {
  let text = "";
  for (const line of stream.split("\n")) {
    if (!line.startsWith("data: {")) continue;
    const { choices } = JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] };
    text += choices[0]?.delta.content ?? "";
  }
  return text;
}
