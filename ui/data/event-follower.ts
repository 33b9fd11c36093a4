// Follows a stream of server-sent events: reconnects after failures, and closes its connection while the tab is hidden,
// because browsers allow only six per server. When the requested threads change, the previous connection stays open
// until the next one is established, so that no event is missed.
import { type SseEvent, SseParser } from "koine";
import type { Api } from "./api.ts";
import type { PageEffects } from "./effects.ts";
import { ApiError } from "./http.ts";
import type { ConnectionStatus } from "./types.ts";

/** One connection: its request path and the callbacks for its events. */
export interface EventConnection {
  path: string;
  onEvent(event: SseEvent): void;
  /** Called before the first event. `isGapless`: the previous connection was open until now. */
  onOpen(isGapless: boolean): void;
}

export interface EventFollowerOptions {
  /** Called for every connection, immediately before it is made. */
  openNext(): EventConnection;
  onConnection(connection: ConnectionStatus): void;
  /** Called when the server rejects the request permanently. */
  onRefused(error: ApiError): void;
}

type EventFollowerEffects = Pick<PageEffects, "delay" | "isVisible" | "onVisibility" | "onOnline" | "randomBytes">;

/** Time until a hidden tab closes its connection. */
const HIDDEN_TAB_CLOSE_MS = 5000;
/** The server sends a heartbeat every 15 s; a connection without any data for this time is dead. */
const SILENCE_TIMEOUT_MS = 60_000;
/**
 * The previous connection is closed after this time even if the next one is not open: the browser may have reached its
 * connection limit.
 */
const LONGEST_OVERLAP_MS = 2000;
const FIRST_RETRY_PAUSE_MS = 250;
const LONGEST_RETRY_PAUSE_MS = 5000;

/** State of one connection, from its request to its end. */
interface ConnectionHandle {
  abort: AbortController;
  state: "opening" | "open" | "over";
}

/** Result of `#connectOrReplace` when `reopen` asked for another connection. */
const REPLACED = Symbol("replaced");

export class EventFollower {
  readonly #api: Pick<Api, "open">;
  readonly #effects: EventFollowerEffects;
  readonly #options: EventFollowerOptions;
  #failures = 0;
  #current: ConnectionHandle | undefined;
  /** Stays open until the current connection is established. */
  #previous: ConnectionHandle | undefined;
  #replace: (() => void) | undefined;
  #wake: (() => void) | undefined;
  #isStopped = false;
  readonly #cleanups: (() => void)[] = [];

  constructor(api: Pick<Api, "open">, effects: EventFollowerEffects, options: EventFollowerOptions) {
    this.#api = api;
    this.#effects = effects;
    this.#options = options;
    let cancelClose: (() => void) | undefined;
    this.#cleanups.push(
      effects.onOnline(() => this.#retryNow()),
      effects.onVisibility(() => {
        cancelClose?.();
        cancelClose = effects.isVisible()
          ? undefined
          : effects.delay(() => this.#closeConnections(), HIDDEN_TAB_CLOSE_MS);
        if (effects.isVisible()) this.#retryNow();
      }),
      () => cancelClose?.(),
    );
    void this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    for (const cleanup of this.#cleanups.splice(0)) cleanup();
    this.#closeConnections();
    this.#retryNow();
  }

  /** Replaces the connection: its request path has changed. */
  reopen(): void {
    if (this.#current?.state !== "open") {
      this.#current?.abort.abort();
      return this.#retryNow();
    }
    const previous = this.#current;
    this.#previous = previous;
    const cancel = this.#effects.delay(() => previous.abort.abort(), LONGEST_OVERLAP_MS);
    previous.abort.signal.addEventListener("abort", cancel, { once: true });
    this.#replace?.();
  }

  #closeConnections(): void {
    this.#previous?.abort.abort();
    this.#current?.abort.abort();
  }

  /** Ends the current pause and resets the backoff. */
  #retryNow(): void {
    this.#failures = 0;
    this.#wake?.();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      if (!this.#effects.isVisible()) {
        await this.#sleep();
        continue;
      }
      // "offline" stays until a connection succeeds, so a retry does not report "connecting".
      if (this.#failures === 0 && this.#previous?.state !== "open") this.#options.onConnection("connecting");
      const outcome = await this.#connectOrReplace();
      if (this.#isStopped) return;
      if (outcome === REPLACED) continue;
      // The refusal applies to the current request path, so the previous connection is of no use.
      this.#previous?.abort.abort();
      if (outcome !== undefined && isPermanentFailure(outcome)) {
        this.stop();
        return this.#options.onRefused(outcome);
      }
      await this.#sleep(this.#reportFailure(outcome));
    }
  }

  /**
   * Reports the failure and returns the pause before the next attempt; undefined: wait for a token, because retries
   * without one are useless.
   */
  #reportFailure(error: ApiError | undefined): number | undefined {
    if (error === undefined) return this.#computePause();
    this.#failures++;
    const isUnauthorized = error.status === 401;
    this.#options.onConnection(isUnauthorized ? "connecting" : "offline");
    return isUnauthorized ? undefined : this.#computePause();
  }

  #connectOrReplace(): Promise<ApiError | undefined | typeof REPLACED> {
    const { promise, resolve } = Promise.withResolvers<typeof REPLACED>();
    this.#replace = () => resolve(REPLACED);
    const handle: ConnectionHandle = { abort: new AbortController(), state: "opening" };
    this.#current = handle;
    return Promise.race([this.#connect(handle), promise]);
  }

  /** Reads until the connection ends; returns the error that prevented it, if any. */
  async #connect(handle: ConnectionHandle): Promise<ApiError | undefined> {
    const { signal } = handle.abort;
    const connection = this.#options.openNext();
    try {
      const reply = await this.#api.open(connection.path, { headers: { accept: "text/event-stream" }, signal });
      handle.state = "open";
      this.#failures = 0;
      const isGapless = this.#previous?.state === "open";
      this.#previous?.abort.abort();
      this.#previous = undefined;
      connection.onOpen(isGapless);
      this.#options.onConnection("live");
      await this.#read(reply, handle.abort, connection);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof ApiError) return error;
      // An established connection broke off: reconnect without an error.
      if (handle.state === "opening") throw error;
    } finally {
      handle.state = "over";
      handle.abort.abort();
    }
    return undefined;
  }

  async #read({ body }: Response, abort: AbortController, connection: EventConnection): Promise<void> {
    if (body === null) return;
    const parser = new SseParser();
    const reader = body.getReader();
    let cancelTimeout: (() => void) | undefined;
    try {
      for (;;) {
        cancelTimeout = this.#effects.delay(() => abort.abort(), SILENCE_TIMEOUT_MS);
        const { done, value } = await reader.read();
        cancelTimeout();
        // The stream may end inside an event; that event is sent again after the reconnect.
        if (done || abort.signal.aborted) return;
        for (const event of parser.push(value)) {
          connection.onEvent(event);
          if (abort.signal.aborted) return;
        }
      }
    } finally {
      cancelTimeout?.();
      reader.cancel().catch(() => undefined);
    }
  }

  /** Grows exponentially with the failures, with jitter so that clients do not reconnect at the same moment. */
  #computePause(): number {
    const [chance = 0] = this.#effects.randomBytes(1);
    const longest = Math.min(FIRST_RETRY_PAUSE_MS * 2 ** this.#failures, LONGEST_RETRY_PAUSE_MS);
    return longest * (0.5 + chance / 512);
  }

  async #sleep(ms?: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const cancel = ms === undefined ? undefined : this.#effects.delay(resolve, ms);
    await promise;
    cancel?.();
    this.#wake = undefined;
  }
}

/** True if a retry would fail in the same way. */
function isPermanentFailure({ status }: ApiError): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 408 && status !== 429;
}
