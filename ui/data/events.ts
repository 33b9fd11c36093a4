// Follows a stream of server-sent events for as long as somebody wants it: connects again where it breaks, and lets go of its
// connection while nobody looks, because browsers allow few of them. Where something else is to be followed, the former
// connection stays until the next one stands: nothing is missed in between.
import { type SseEvent, SseParser } from "koine";
import type { Api } from "./api.ts";
import type { PageEffects } from "./effects.ts";
import { ApiError } from "./http.ts";
import type { Connection } from "./types.ts";

/** One connection: what it asks for, and who hears its events. */
export interface Opening {
  path: string;
  /** In order. */
  onEvent(event: SseEvent): void;
  /** It stands; told before its first event. `isGapless`: another one stood until now. */
  onOpen(isGapless: boolean): void;
}

export interface Following {
  /** Asked for every connection, just before it is made. */
  begin(): Opening;
  onConnection(connection: Connection): void;
  /** The server will not give these events. */
  onRefused(error: ApiError): void;
}

type FollowEffects = Pick<PageEffects, "delay" | "isVisible" | "onVisibility" | "onOnline" | "randomBytes">;

/** How long a hidden tab keeps its connection. */
const HIDDEN_MS = 5000;
/** Heartbeats come four times as often: after so long without a byte, nobody is there. */
const SILENT_MS = 60_000;
/** The former connection makes room: the browser may have no other. */
const OVERLAP_MS = 2000;
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5000;

/** A connection on its way, standing, or over. */
interface Link {
  ending: AbortController;
  state: "opening" | "open" | "over";
}

/** What a connection came to, where another one is to follow it. */
const REPLACED = Symbol("replaced");

export class EventFollower {
  readonly #api: Pick<Api, "open">;
  readonly #effects: FollowEffects;
  readonly #following: Following;
  #failures = 0;
  #link: Link | undefined;
  /** Stays until the next one stands. */
  #former: Link | undefined;
  #replace: (() => void) | undefined;
  #wake: (() => void) | undefined;
  #isOver = false;
  readonly #undo: (() => void)[] = [];

  constructor(api: Pick<Api, "open">, effects: FollowEffects, following: Following) {
    this.#api = api;
    this.#effects = effects;
    this.#following = following;
    let hiding: (() => void) | undefined;
    this.#undo.push(
      effects.onOnline(() => this.#hurry()),
      effects.onVisibility(() => {
        hiding?.();
        hiding = effects.isVisible() ? undefined : effects.delay(() => this.#letGo(), HIDDEN_MS);
        if (effects.isVisible()) this.#hurry();
      }),
      () => hiding?.(),
    );
    void this.#run();
  }

  stop(): void {
    this.#isOver = true;
    for (const undo of this.#undo.splice(0)) undo();
    this.#letGo();
    this.#hurry();
  }

  /** Something else is to be followed. */
  reopen(): void {
    if (this.#link?.state !== "open") {
      this.#link?.ending.abort();
      return this.#hurry();
    }
    const former = this.#link;
    this.#former = former;
    const cancel = this.#effects.delay(() => former.ending.abort(), OVERLAP_MS);
    former.ending.signal.addEventListener("abort", cancel, { once: true });
    this.#replace?.();
  }

  #letGo(): void {
    this.#former?.ending.abort();
    this.#link?.ending.abort();
  }

  /** Does not wait any longer. */
  #hurry(): void {
    this.#failures = 0;
    this.#wake?.();
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      if (!this.#effects.isVisible()) {
        await this.#woken();
        continue;
      }
      // Those who were told that it cannot be reached go on knowing until it can.
      if (this.#failures === 0 && this.#former?.state !== "open") this.#following.onConnection("connecting");
      const outcome = await this.#next();
      if (this.#isOver) return;
      if (outcome === REPLACED) continue;
      // What is refused is refused for what is followed now.
      this.#former?.ending.abort();
      if (outcome !== undefined && isFinal(outcome)) {
        this.stop();
        return this.#following.onRefused(outcome);
      }
      await this.#woken(this.#pauseAfter(outcome));
    }
  }

  /** Without a token there is nothing to try, and nobody is out of reach. */
  #pauseAfter(error: ApiError | undefined): number | undefined {
    if (error === undefined) return this.#pause();
    this.#failures++;
    const isRefused = error.status === 401;
    this.#following.onConnection(isRefused ? "connecting" : "offline");
    return isRefused ? undefined : this.#pause();
  }

  #next(): Promise<ApiError | undefined | typeof REPLACED> {
    const { promise, resolve } = Promise.withResolvers<typeof REPLACED>();
    this.#replace = () => resolve(REPLACED);
    const link: Link = { ending: new AbortController(), state: "opening" };
    this.#link = link;
    return Promise.race([this.#connect(link), promise]);
  }

  /** Reads until the connection ends; gives what kept it from standing. */
  async #connect(link: Link): Promise<ApiError | undefined> {
    const { signal } = link.ending;
    const opening = this.#following.begin();
    try {
      const reply = await this.#api.open(opening.path, { headers: { accept: "text/event-stream" }, signal });
      link.state = "open";
      this.#failures = 0;
      const isGapless = this.#former?.state === "open";
      this.#former?.ending.abort();
      this.#former = undefined;
      opening.onOpen(isGapless);
      this.#following.onConnection("live");
      await this.#read(reply, link.ending, opening);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof ApiError) return error;
      // Broken off: it is taken up again at once.
      if (link.state === "opening") throw error;
    } finally {
      link.state = "over";
      link.ending.abort();
    }
    return undefined;
  }

  async #read({ body }: Response, ending: AbortController, opening: Opening): Promise<void> {
    if (body === null) return;
    const parser = new SseParser();
    const reader = body.getReader();
    let alarm: (() => void) | undefined;
    try {
      for (;;) {
        alarm = this.#effects.delay(() => ending.abort(), SILENT_MS);
        const { done, value } = await reader.read();
        alarm();
        // An event whose end is missing did not happen: it comes again.
        if (done || ending.signal.aborted) return;
        for (const event of parser.push(value)) {
          opening.onEvent(event);
          if (ending.signal.aborted) return;
        }
      }
    } finally {
      alarm?.();
      reader.cancel().catch(() => undefined);
    }
  }

  /** Longer with every failure, and never the same for all who wait. */
  #pause(): number {
    const [chance = 0] = this.#effects.randomBytes(1);
    const longest = Math.min(FIRST_PAUSE * 2 ** this.#failures, LONGEST_PAUSE);
    return longest * (0.5 + chance / 512);
  }

  async #woken(ms?: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const cancel = ms === undefined ? undefined : this.#effects.delay(resolve, ms);
    await promise;
    cancel?.();
    this.#wake = undefined;
  }
}

/** Whether asking again would be answered the same. */
function isFinal({ status }: ApiError): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 408 && status !== 429;
}
