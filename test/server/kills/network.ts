// How a client reaches the instances: any of them, another one when it breaks off, and again until it is served.
import { setTimeout as pause } from "node:timers/promises";
import type { Seeded } from "../../ledger/crash/seeded.ts";
import type { Fault } from "./evidence.ts";

/** The attempt failed in a way that passes: the same again, elsewhere. */
export class Passing extends Error {}

/** Asking again would not help. */
export class Refused extends Error {}

/** Statuses that say "later": a conflict is one while the first call with a key is under way. */
const PASSING: ReadonlySet<number> = new Set([409, 429, 499, 502, 503, 504]);
/** How long a client waits for an instance: most give up soon, some outlast one that stands still. */
const PATIENCE_MS = [2500, 2500, 2500, 20_000] as const;
/** Longer than everything together may take: who is not served by then never will be. */
const LONGEST_MS = 90_000;

export class Network {
  readonly urls: readonly [string, ...string[]];
  readonly faults: Fault[] = [];
  /** Calls that were answered in the end, and attempts that were not. */
  calls = 0;
  broken = 0;
  readonly refusals = new Map<string, number>();
  readonly #random: Seeded;

  constructor(urls: readonly [string, ...string[]], random: Seeded) {
    this.urls = urls;
    this.#random = random;
  }

  /** An instance; not this one, where there is another. */
  any(but?: string): string {
    const others = this.urls.filter((url) => url !== but);
    return this.#random.pick(others) ?? this.urls[0];
  }

  /** Asks until there is an answer. undefined: there was none, which is noted. */
  async ask<Answer>(
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
        if (error instanceof Refused) break;
      }
      await pause(20 + this.#random.below(150));
    }
    this.faults.push({ where: what, what: last instanceof Error ? last.message : String(last) });
    return undefined;
  }

  /** A reply with the status that is hoped for; throws otherwise. */
  async fetch(url: string, init: RequestInit): Promise<Response> {
    const reply = await fetch(url, init);
    if (reply.ok) return reply;
    const body = await reply.text();
    const { status } = reply;
    const kind = `${status} ${/"code":"?([\w-]+)/.exec(body)?.[1] ?? ""}`;
    this.refusals.set(kind, (this.refusals.get(kind) ?? 0) + 1);
    const text = `${init.method ?? "GET"} ${url}: ${status} ${body}`;
    const isPassing = PASSING.has(status) && !body.includes("another request") && !body.includes("Another message");
    throw isPassing ? new Passing(text) : new Refused(text);
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
