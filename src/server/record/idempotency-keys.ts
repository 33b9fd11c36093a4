// Handles the idempotency keys of recorded calls (B95). A call with the key and the request of an earlier call receives
// the stored answer, after waiting for the earlier call if that is open. The key with another request is a conflict.
import type { Ledger, RunInfo } from "../../ledger/index.ts";
import { hashRequest } from "../../ledger/idempotency-keys.ts";
import type { ModelResponse } from "../../model/index.ts";
import { ServerError } from "../errors.ts";
import { createAlias } from "./run-aliases.ts";
import { readAnswer, toStoredResponse } from "./stored-answer.ts";
import type { RecordedCall } from "./types.ts";

/** An idempotency key that is reserved for one call until the call ends. */
export interface ReservedKey {
  /** The alias of the run, which is derived from the key. */
  alias: string;
  /** The hash of the request, stored in the run's metadata. */
  hash: string;
  /** Releases the key. Must be called when the call has ended, whether it has succeeded or failed. */
  release(): void;
}

/** The stored answer of an earlier call with the same key. */
export interface EarlierAnswer {
  run: RunInfo;
  response: ModelResponse;
}

interface KeyReservation {
  hash: string;
  ended: Promise<void>;
}

/** The maximum time to wait for an open call with the same key, in milliseconds. */
const MAX_WAIT_MS = 600_000;

export class IdempotencyKeys {
  /** The reserved keys of the open calls of this process. */
  readonly #reservations = new Map<string, KeyReservation>();
  readonly #stopping: AbortSignal;

  constructor(stopping: AbortSignal) {
    this.#stopping = stopping;
  }

  /** Reserves the key, or returns the answer of an earlier call. Throws "conflict" if the earlier request differs. */
  async reserve({ caller, request, dialect }: RecordedCall, key: string): Promise<ReservedKey | EarlierAnswer> {
    const { ledger } = caller;
    const alias = createAlias("key", caller, key);
    const hash = hashRequest({ dialect, request });
    const name = `${ledger.tenant} ${alias}`;
    // The abort signal of the time limit is created only when the call has to wait for another call with the same key.
    let limit: AbortSignal | undefined;
    const until = (): AbortSignal => (limit ??= AbortSignal.any([this.#stopping, AbortSignal.timeout(MAX_WAIT_MS)]));
    for (;;) {
      const local = this.#reservations.get(name);
      if (local !== undefined) {
        assertSameRequest(key, local.hash, hash);
        await waitUntil(key, local.ended, until());
        continue;
      }
      // The key is reserved before the ledger is read, so that no other call of this process can take the key.
      const reservation = this.#reserveHere(name, alias, hash);
      try {
        const earlier = await findEarlierAnswer(ledger, { alias, hash, key }, until);
        if (earlier === undefined) return reservation;
        reservation.release();
        return earlier;
      } catch (error) {
        reservation.release();
        throw error;
      }
    }
  }

  #reserveHere(name: string, alias: string, hash: string): ReservedKey {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const reservation: KeyReservation = { hash, ended };
    this.#reservations.set(name, reservation);
    const release = (): void => {
      if (this.#reservations.get(name) === reservation) this.#reservations.delete(name);
      resolve();
    };
    return { alias, hash, release };
  }
}

function assertSameRequest(key: string, before: unknown, now: string): void {
  if (before === now) return;
  const message = `The idempotency key "${key}" was used for another request; use a new key.`;
  throw new ServerError("conflict", message, { path: "idempotency-key" });
}

interface KeyLookup {
  alias: string;
  hash: string;
  key: string;
}

/**
 * Returns the stored answer of the call with a key. Returns undefined if there is no call with the key, or if the call
 * failed, because a failed call may be repeated.
 */
async function findEarlierAnswer(
  ledger: Ledger,
  { alias, hash, key }: KeyLookup,
  until: () => AbortSignal,
): Promise<EarlierAnswer | undefined> {
  let run = await ledger.runByAlias(alias);
  if (run === undefined) return undefined;
  assertSameRequest(key, run.metadata?.["requestHash"], hash);
  if (isLive(run)) {
    // The call with the key is open on another instance of the server, so the end of its run is awaited.
    await waitUntil(key, waitForRunEnd(ledger, run, until()), until());
    run = await ledger.run(run.id);
  }
  if (run.state !== "committed" && run.state !== "superseded") return undefined;
  const answer = await readAnswer(ledger, run);
  return answer && { run, response: toStoredResponse(answer, run) };
}

function isLive({ state }: RunInfo): boolean {
  return state === "created" || state === "streaming";
}

async function waitForRunEnd(ledger: Ledger, { id: runId, threadId }: RunInfo, signal: AbortSignal): Promise<void> {
  for await (const _ of ledger.follow({ threadId, runId, gaps: "skip", signal }));
}

/** Waits for `work`. Throws a "conflict" if `until` is aborted before. */
async function waitUntil(key: string, work: Promise<void>, until: AbortSignal): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const onLate = (): void => {
    const message = `A call with the idempotency key "${key}" is still open; try again later.`;
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
