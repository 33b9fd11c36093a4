// Idempotency keys of calls (B95): the same key and request is answered from the record, or waits for the call that is
// under way; the same key with another request is a conflict.
import type { Ledger, RunInfo } from "../../ledger/index.ts";
import { requestHash } from "../../ledger/keys.ts";
import type { Response } from "../../model/index.ts";
import { ServerError } from "../errors.ts";
import { nameOf } from "./names.ts";
import { answerOf, responseOf } from "./stored-answer.ts";
import type { RecordedCall } from "./types.ts";

/** A key that this call holds until it ends. */
export interface HeldKey {
  /** The run's name under it. */
  alias: string;
  /** Of the request, on the run's metadata. */
  hash: string;
  /** The call has ended, well or not. */
  release(): void;
}

/** A call that was answered before. */
export interface Earlier {
  run: RunInfo;
  earlier: Response;
}

interface Held {
  hash: string;
  ended: Promise<void>;
}

/** How long a call waits for the one before it with the same key. */
const LONGEST_WAIT = 600_000;

export class CallKeys {
  /** Of calls that are under way here. */
  readonly #held = new Map<string, Held>();
  readonly #stopping: AbortSignal;

  constructor(stopping: AbortSignal) {
    this.#stopping = stopping;
  }

  /** The key, or the answer that was given with it before. */
  async take({ caller, request, dialect }: RecordedCall, key: string): Promise<HeldKey | Earlier> {
    const { ledger } = caller;
    const alias = nameOf("key", caller, key);
    const hash = requestHash({ dialect, request });
    const name = `${ledger.tenant} ${alias}`;
    // Made only for those who have to wait.
    let limit: AbortSignal | undefined;
    const until = (): AbortSignal => (limit ??= AbortSignal.any([this.#stopping, AbortSignal.timeout(LONGEST_WAIT)]));
    for (;;) {
      const here = this.#held.get(name);
      if (here !== undefined) {
        demandSame(key, here.hash, hash);
        await orLate(key, here.ended, until());
        continue;
      }
      // From here on nobody else takes it.
      const held = this.#hold(name, alias, hash);
      try {
        const earlier = await earlierAnswer(ledger, { alias, hash, key }, until);
        if (earlier === undefined) return held;
        held.release();
        return earlier;
      } catch (error) {
        held.release();
        throw error;
      }
    }
  }

  #hold(name: string, alias: string, hash: string): HeldKey {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const held: Held = { hash, ended };
    this.#held.set(name, held);
    const release = (): void => {
      if (this.#held.get(name) === held) this.#held.delete(name);
      resolve();
    };
    return { alias, hash, release };
  }
}

function demandSame(key: string, before: unknown, now: string): void {
  if (before === now) return;
  const message = `The idempotency key "${key}" was used for another request; take a new key.`;
  throw new ServerError("conflict", message, { path: "idempotency-key" });
}

interface Wanted {
  alias: string;
  hash: string;
  key: string;
}

/** What was answered with the key; a call with it that failed is asked again. */
async function earlierAnswer(
  ledger: Ledger,
  { alias, hash, key }: Wanted,
  until: () => AbortSignal,
): Promise<Earlier | undefined> {
  let run = await ledger.runByAlias(alias);
  if (run === undefined) return undefined;
  demandSame(key, run.metadata?.["requestHash"], hash);
  if (isLive(run)) {
    // Another instance is at it.
    await orLate(key, ended(ledger, run, until()), until());
    run = await ledger.run(run.id);
  }
  if (run.state !== "committed" && run.state !== "superseded") return undefined;
  const answer = await answerOf(ledger, run);
  return answer && { run, earlier: responseOf(answer, run) };
}

function isLive({ state }: RunInfo): boolean {
  return state === "created" || state === "streaming";
}

async function ended(ledger: Ledger, { id: runId, threadId }: RunInfo, signal: AbortSignal): Promise<void> {
  for await (const _ of ledger.follow({ threadId, runId, gaps: "skip", signal }));
}

/** Waits, but not for ever. */
async function orLate(key: string, work: Promise<void>, until: AbortSignal): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const onLate = (): void => {
    const message = `A call with the idempotency key "${key}" is still under way; try again later.`;
    reject(new ServerError("conflict", message, { path: "idempotency-key", headers: { "retry-after": "5" } }));
  };
  if (until.aborted) onLate();
  until.addEventListener("abort", onLate, { once: true });
  try {
    await Promise.race([work, late]);
  } finally {
    until.removeEventListener("abort", onLate);
  }
}
