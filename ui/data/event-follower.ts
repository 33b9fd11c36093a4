// Follows a stream of server-sent events. It reconnects after failures, and closes its connection while the tab is
// hidden, because browsers allow only six connections per server. When the caller needs another request path, the
// previous connection stays open until the next one is established, so that no event is missed.
import { type SseEvent, SseParser } from "koine";
import type { Api } from "./api.ts";
import type { PageEffects } from "./effects.ts";
import { ApiError } from "./http.ts";
import type { ConnectionStatus } from "./types.ts";

/** One connection: its request path and the callbacks for its events. */
export interface EventConnection {
  path: string;
  onEvent(event: SseEvent): void;
  /**
   * Called before the first event of the connection. `isGapless` is true if the previous connection was open until now,
   * so that no event was missed.
   */
  onOpen(isGapless: boolean): void;
}

export interface EventFollowerOptions {
  /**
   * Returns the request path and the callbacks of the next connection. Called immediately before each connection is
   * made, also before a reconnection.
   */
  openNext(): EventConnection;
  onConnection(connection: ConnectionStatus): void;
  /** Called when the server rejects the request with an error that a retry cannot solve. */
  onRefused(error: ApiError): void;
}

type EventFollowerEffects = Pick<PageEffects, "delay" | "isVisible" | "onVisibility" | "onOnline" | "randomBytes">;

/** Time after which a hidden tab closes its connection. */
const HIDDEN_TAB_CLOSE_MS = 5000;
/** The server sends a heartbeat every 15 s; a connection without any data for this time is dead. */
const SILENCE_TIMEOUT_MS = 60_000;
/**
 * Time after which the previous connection is closed even if the next one is not open yet: if the browser has reached
 * its connection limit, the next one can open only after the previous one is closed.
 */
const LONGEST_OVERLAP_MS = 2000;
const FIRST_RETRY_PAUSE_MS = 250;
const LONGEST_RETRY_PAUSE_MS = 5000;

/** State of one connection, from its request to its end. */
interface ConnectionHandle {
  abort: AbortController;
  state: "opening" | "open" | "over";
}

/**
 * Outcome of `#connectOrReplace` if `reopen` was called while the connection was open. The loop in `#run` then opens
 * the next connection at once, without the pause that follows a failure.
 */
const REPLACED = Symbol("replaced");

export class EventFollower {
  readonly #api: Pick<Api, "open">;
  readonly #effects: EventFollowerEffects;
  readonly #options: EventFollowerOptions;
  #failures = 0;
  #current: ConnectionHandle | undefined;
  /** The connection before the current one; it stays open until the current connection is established. */
  #previous: ConnectionHandle | undefined;
  /** Makes the pending call of `#connectOrReplace` return REPLACED. */
  #replace: (() => void) | undefined;
  /** Ends the pause of `#sleep`; undefined while there is no pause. */
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

  /**
   * Opens another connection in place of the current one. The caller calls it when `openNext` would return another
   * path.
   */
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

  /** Ends the current pause, and resets the number of failures, so that the next pause is short again. */
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
      // The status "connecting" is not reported for a retry after a failure, because the status stays "offline" until a
      // connection succeeds, nor while the previous connection is still open, because events still arrive.
      if (this.#failures === 0 && this.#previous?.state !== "open") this.#options.onConnection("connecting");
      const outcome = await this.#connectOrReplace();
      if (this.#isStopped) return;
      if (outcome === REPLACED) continue;
      // The current connection has ended or failed, so the previous connection is not needed any more.
      this.#previous?.abort.abort();
      if (outcome !== undefined && isPermanentFailure(outcome)) {
        this.stop();
        return this.#options.onRefused(outcome);
      }
      await this.#sleep(this.#reportFailure(outcome));
    }
  }

  /**
   * Reports the failure and returns the pause before the next attempt in milliseconds. Returns undefined if the server
   * requires another token, because retries are useless until the token changes.
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

  /** Connects and reads until the connection ends. Returns the error if the connection could not be established. */
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
      // If a connection that was open breaks off, undefined is returned, and the caller reconnects. Before the
      // connection is open, every expected failure is an `ApiError`, so another error is thrown.
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
        // If the stream ends inside an event, the server sends that event again after the reconnect.
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

  /**
   * Returns the pause before the next attempt, in milliseconds. It grows exponentially with the failures and has a
   * random part, so that clients do not reconnect at the same moment.
   */
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

/** True for an error status after which a retry would fail in the same way. */
function isPermanentFailure({ status }: ApiError): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 408 && status !== 429;
}
