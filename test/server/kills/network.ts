// Connects a client to the instances: any of them, another one after a failure, until it succeeds.
import { setTimeout as pause } from "node:timers/promises";
import type { SeededRandom } from "../../ledger/crash/campaign/seeded-random.ts";
import type { Fault } from "./evidence.ts";

/** A transient failure: the request is repeated elsewhere. */
export class TransientFailure extends Error {}

/** A permanent failure. */
export class PermanentFailure extends Error {}

/** Transient statuses; a conflict is one while the first call with a key is open. */
const PASSING: ReadonlySet<number> = new Set([409, 429, 499, 502, 503, 504]);
/** Client timeouts: most are short, some outlast a frozen instance. */
const PATIENCE_MS = [2500, 2500, 2500, 20_000] as const;
/** A request that takes longer than everything together is lost. */
const LONGEST_MS = 90_000;

export class Network {
  readonly urls: readonly [string, ...string[]];
  readonly faults: Fault[] = [];
  /** Successful calls, and failed attempts. */
  calls = 0;
  broken = 0;
  readonly refusals = new Map<string, number>();
  readonly #random: SeededRandom;

  constructor(urls: readonly [string, ...string[]], random: SeededRandom) {
    this.urls = urls;
    this.#random = random;
  }

  /** Returns an instance, another one than `but` if possible. */
  any(but?: string): string {
    const others = this.urls.filter((url) => url !== but);
    return this.#random.pick(others) ?? this.urls[0];
  }

  /** Repeats a request until it succeeds. undefined: it never did, which is recorded. */
  async repeatUntilServed<Answer>(
    what: string,
    attempt: (url: string, signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer | undefined> {
    const giveUp = performance.now() + LONGEST_MS;
    let last: unknown;
    for (let url = this.any(); performance.now() < giveUp; url = this.any(url)) {
      try {
        const answer = await attempt(url, AbortSignal.timeout(this.#random.pick(PATIENCE_MS)));
        this.calls++;
        return answer;
      } catch (error) {
        last = error;
        this.broken++;
        if (error instanceof PermanentFailure) break;
      }
      await pause(20 + this.#random.below(150));
    }
    this.faults.push({ where: what, what: last instanceof Error ? last.message : String(last) });
    return undefined;
  }

  /** Returns a reply with the expected status; throws otherwise. */
  async fetch(url: string, init: RequestInit): Promise<Response> {
    const reply = await fetch(url, init);
    if (reply.ok) return reply;
    const body = await reply.text();
    const { status } = reply;
    const kind = `${status} ${/"code":"?([\w-]+)/.exec(body)?.[1] ?? ""}`;
    this.refusals.set(kind, (this.refusals.get(kind) ?? 0) + 1);
    const text = `${init.method ?? "GET"} ${url}: ${status} ${body}`;
    const isPassing = PASSING.has(status) && !body.includes("another request") && !body.includes("Another message");
    throw isPassing ? new TransientFailure(text) : new PermanentFailure(text);
  }

  async post(url: string, body: object, signal: AbortSignal, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal,
    });
  }
}
