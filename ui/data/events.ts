// Follows a stream of server-sent events for as long as somebody wants it: connects again where it breaks, goes on after the
// last event that was read (B96), and lets go of its connection while nobody looks, because browsers allow few of them.
import { type SseEvent, SseParser } from "koine";
import type { Api } from "./api.ts";
import type { PageEffects } from "./effects.ts";
import { ApiError } from "./http.ts";
import type { Connection } from "./types.ts";

export interface Following {
  path: string;
  /** Only what comes after this event; absent: from the beginning. */
  after?: string | undefined;
  query?: Record<string, string>;
  /** In order. What it throws ends the following, as a refusal does. */
  onEvent(event: SseEvent): void;
  onConnection(connection: Connection): void;
  /** The connection stands; told before its first event. */
  onOpen?(): void;
  /** The server will not give these events: the place, or the thread, is not there any more. */
  onRefused(error: ApiError): void;
}

type FollowEffects = Pick<PageEffects, "delay" | "isVisible" | "onVisibility" | "onOnline" | "randomBytes">;

/** How long a hidden tab keeps its connection. */
const HIDDEN_MS = 5000;
/** Heartbeats come four times as often: after so long without a byte, nobody is there. */
const SILENT_MS = 60_000;
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5000;

export class EventFollower {
  private readonly api: Pick<Api, "open" | "token">;
  private readonly effects: FollowEffects;
  private readonly following: Following;
  private last: string | undefined;
  private failures = 0;
  private connected: AbortController | undefined;
  private wake: (() => void) | undefined;
  private isOver = false;
  private readonly undo: (() => void)[] = [];

  constructor(api: Pick<Api, "open" | "token">, effects: FollowEffects, following: Following) {
    this.api = api;
    this.effects = effects;
    this.following = following;
    this.last = following.after;
    let hiding: (() => void) | undefined;
    this.undo.push(
      effects.onOnline(() => this.hurry()),
      api.token.subscribe(() => this.reconnect()),
      effects.onVisibility(() => {
        hiding?.();
        hiding = effects.isVisible() ? undefined : effects.delay(() => this.connected?.abort(), HIDDEN_MS);
        if (effects.isVisible()) this.hurry();
      }),
      () => hiding?.(),
    );
    void this.run();
  }

  /** The last event that was read. */
  get cursor(): string | undefined {
    return this.last;
  }

  stop(): void {
    this.isOver = true;
    for (const undo of this.undo.splice(0)) undo();
    this.reconnect();
  }

  /** Does not wait any longer. */
  private hurry(): void {
    this.failures = 0;
    this.wake?.();
  }

  private reconnect(): void {
    this.connected?.abort();
    this.hurry();
  }

  private async run(): Promise<void> {
    while (!this.isOver) {
      if (!this.effects.isVisible()) {
        await this.woken();
        continue;
      }
      // Those who were told that it cannot be reached go on knowing until it can.
      if (this.failures === 0) this.following.onConnection("connecting");
      const error = await this.connect();
      if (this.isOver) return;
      if (error !== undefined && isFinal(error)) {
        this.stop();
        return this.following.onRefused(error);
      }
      if (error !== undefined) {
        this.failures++;
        this.following.onConnection("offline");
      }
      // Without a token there is nothing to try.
      await this.woken(error?.status === 401 ? undefined : this.pause());
    }
  }

  /** Reads until the connection ends; gives what kept it from standing. */
  private async connect(): Promise<ApiError | undefined> {
    const connected = new AbortController();
    this.connected = connected;
    const { path, query } = this.following;
    const { last } = this;
    const headers = { accept: "text/event-stream", ...(last !== undefined && { "last-event-id": last }) };
    let isOpen = false;
    try {
      const reply = await this.api.open(path, { headers, signal: connected.signal, ...(query && { query }) });
      isOpen = true;
      this.failures = 0;
      this.following.onOpen?.();
      this.following.onConnection("live");
      await this.read(reply, connected);
    } catch (error) {
      if (connected.signal.aborted) return undefined;
      if (error instanceof ApiError) return error;
      // Broken off: it is taken up again at once.
      if (!isOpen) throw error;
    } finally {
      connected.abort();
    }
    return undefined;
  }

  private async read({ body }: Response, connected: AbortController): Promise<void> {
    if (body === null) return;
    const parser = new SseParser();
    const reader = body.getReader();
    let alarm: (() => void) | undefined;
    try {
      for (;;) {
        alarm = this.effects.delay(() => connected.abort(), SILENT_MS);
        const { done, value } = await reader.read();
        alarm();
        // An event whose end is missing did not happen: it comes again.
        if (done || connected.signal.aborted) return;
        for (const event of parser.push(value)) {
          this.tell(event);
          if (event.id !== undefined) this.last = event.id;
          if (connected.signal.aborted) return;
        }
      }
    } finally {
      alarm?.();
      reader.cancel().catch(() => undefined);
    }
  }

  /** What cannot be taken in would come again and again. */
  private tell(event: SseEvent): void {
    try {
      this.following.onEvent(event);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw new ApiError(410, "unreadable", `An event cannot be read: ${String(error)}`);
    }
  }

  /** Longer with every failure, and never the same for all who wait. */
  private pause(): number {
    const [chance = 0] = this.effects.randomBytes(1);
    const longest = Math.min(FIRST_PAUSE * 2 ** this.failures, LONGEST_PAUSE);
    return longest * (0.5 + chance / 512);
  }

  private async woken(ms?: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.wake = resolve;
    const cancel = ms === undefined ? undefined : this.effects.delay(resolve, ms);
    await promise;
    cancel?.();
    this.wake = undefined;
  }
}

/** Whether asking again would be answered the same. */
function isFinal({ status }: ApiError): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 408 && status !== 429;
}
