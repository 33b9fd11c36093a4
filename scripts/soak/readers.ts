// Readers of streams, each with a habit: most read on, some take their time, some vanish in the middle.
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { answerOf, questionOf } from "./talk.ts";

export type Habit = "reads" | "slow" | "vanishes";

/** What became of the calls. */
export interface Tally {
  /** Numbers of calls whose answer was read to its end. */
  whole: number[];
  /** Those whose reader left on purpose, after the answer had begun. */
  left: number[];
  /** What should not have happened, in words. */
  wrong: string[];
}

function habitOf(call: number): Habit {
  if (call % 7 === 3) return "vanishes";
  return call % 7 === 5 ? "slow" : "reads";
}

export class Readers {
  readonly tally: Tally = { whole: [], left: [], wrong: [] };
  readonly #url: string;
  readonly #dispatcher: Agent;
  #calls = 0;
  open = 0;

  constructor(url: string, atOnce: number) {
    this.#url = url;
    this.#dispatcher = new Agent({ connections: atOnce, keepAliveTimeout: 30_000, bodyTimeout: 0, headersTimeout: 0 });
  }

  /** Calls one after the other until the time is over. */
  async work(until: number): Promise<void> {
    while (performance.now() < until) {
      const call = this.#calls++;
      this.open++;
      try {
        await this.#call(call, habitOf(call));
      } catch (error) {
        this.tally.wrong.push(`call ${call}: ${String(error)}`);
      } finally {
        this.open--;
      }
    }
  }

  async #call(call: number, habit: Habit): Promise<void> {
    const body = JSON.stringify({
      model: "soak/soak",
      stream: true,
      messages: [{ role: "user", content: questionOf(call) }],
    });
    const headers = { "content-type": "application/json" };
    const dispatcher = this.#dispatcher;
    const reply = await request(`${this.#url}/v1/chat/completions`, { method: "POST", headers, body, dispatcher });
    if (reply.statusCode !== 200) throw new Error(`${reply.statusCode} ${await reply.body.text()}`);
    let text = "";
    for await (const chunk of reply.body.setEncoding("utf8")) {
      // The encoding makes every chunk text.
      text += chunk as string;
      if (habit === "slow") await sleep(400);
      if (habit === "vanishes" && text.length > 1500) {
        this.tally.left.push(call);
        return;
      }
    }
    if (saidIn(text) !== answerOf(call)) throw new Error(`another answer: ${text.slice(-300)}`);
    if (!text.endsWith("data: [DONE]\n\n")) throw new Error(`no end: ${text.slice(-300)}`);
    this.tally.whole.push(call);
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }
}

/** The text of a Chat stream, read without Koine. */
function saidIn(stream: string): string {
  let said = "";
  for (const line of stream.split("\n")) {
    if (!line.startsWith("data: {")) continue;
    // A chunk of a Chat stream.
    const { choices } = JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] };
    said += choices[0]?.delta.content ?? "";
  }
  return said;
}
