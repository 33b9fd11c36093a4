// Runs the page's stores against a real server without a browser; the test controls tab visibility, network and frames.
import { inspect } from "node:util";
import { getText } from "../../../src/model/index.ts";
import { type PageEffects, delay } from "../../../ui/data/effects.ts";
import { PageData } from "../../../ui/data/page-data.ts";
import type { ConversationState } from "../../../ui/data/types.ts";

/** All time limits of the page on requests and connections are at least this long; its pauses are shorter. */
const SHORTEST_TIMEOUT_MS = 30_000;

export class TestEffects implements PageEffects {
  visible = true;
  /** Number of drawn frames. */
  frameCount = 0;
  /** Number of calls of `clearTabStorage`. */
  clearCount = 0;
  readonly localStorage = new Map<string, string>();
  readonly #visibilityListeners = new Set<() => void>();
  readonly #onlineListeners = new Set<() => void>();
  readonly #storageListeners = new Set<() => void>();
  readonly #network: (url: string, init?: RequestInit) => Promise<Response>;
  readonly #speed: number;
  readonly #timeoutSpeed: number;

  /**
   * `speed`: factor by which pauses of the page are shorter. `timeoutSpeed`: the same for its time limits on requests,
   * which stay real by default: a real server on a busy machine needs real time.
   */
  constructor(
    network: (url: string, init?: RequestInit) => Promise<Response> = (url, init) => fetch(url, init),
    speed = 1,
    timeoutSpeed = 1,
  ) {
    this.#network = network;
    this.#speed = speed;
    this.#timeoutSpeed = timeoutSpeed;
  }

  readonly fetch = (url: string, init?: RequestInit): Promise<Response> => this.#network(url, init);
  readonly now = (): number => Date.now();
  readonly delay = (callback: () => void, ms: number): (() => void) =>
    delay(callback, ms / (ms < SHORTEST_TIMEOUT_MS ? this.#speed : this.#timeoutSpeed));

  readonly frame = (callback: () => void): (() => void) =>
    delay(() => {
      this.frameCount++;
      callback();
    }, 4);
  readonly isVisible = (): boolean => this.visible;
  readonly onVisibility = (listener: () => void): (() => void) => addListener(this.#visibilityListeners, listener);
  readonly onOnline = (listener: () => void): (() => void) => addListener(this.#onlineListeners, listener);
  readonly randomBytes = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count));
  readonly storage = {
    getItem: (key: string): string | null => this.localStorage.get(key) ?? null,
    setItem: (key: string, value: string): void => void this.localStorage.set(key, value),
    removeItem: (key: string): void => void this.localStorage.delete(key),
  };

  readonly clearTabStorage = (): void => void this.clearCount++;
  readonly onStorage = (listener: () => void): (() => void) => addListener(this.#storageListeners, listener);

  /** Changes the storage as another tab would. */
  setFromOtherTab(key: string, value: string): void {
    this.localStorage.set(key, value);
    for (const listener of this.#storageListeners) listener();
  }

  setVisible(visible: boolean): void {
    this.visible = visible;
    for (const listener of this.#visibilityListeners) listener();
  }

  goOnline(): void {
    for (const listener of this.#onlineListeners) listener();
  }
}

function addListener(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** One browser tab. */
export class TestTab implements Disposable {
  readonly effects: TestEffects;
  readonly data: PageData;
  readonly #unsubscribers: (() => void)[] = [];

  /** `onRequest` receives the URL of every request. */
  constructor(url: string, world?: TestEffects, onRequest: (url: string) => void = () => undefined) {
    world ??= new TestEffects((address, init) => (onRequest(address), fetch(address, init)));
    this.effects = world;
    this.data = new PageData(url, world);
  }

  /** Subscribes to a store until the tab is disposed. */
  watch<S extends ReadableStore<unknown>>(store: S): S {
    this.#unsubscribers.push(store.subscribe(() => undefined));
    return store;
  }

  conversation(id: string): ReturnType<PageData["conversation"]> {
    return this.watch(this.data.conversation(id));
  }

  [Symbol.dispose](): void {
    for (const undo of this.#unsubscribers) undo();
    this.data.close();
  }
}

/** Returns the shown texts in order; those of live runs start with "~". */
export function listShownTexts({ path, bodies, liveRuns }: ConversationState): string[] {
  const texts = path.map((id) => getText(bodies.get(id) ?? { parts: [] }));
  return [...texts, ...liveRuns.flatMap(({ messages }) => messages.map((message) => `~${getText(message)}`))];
}

interface ReadableStore<State> {
  subscribe(reader: () => void): () => void;
  getSnapshot(): State;
}

/** Resolves with the state once the condition holds. */
export function waitForState<State>(store: ReadableStore<State>, condition: (state: State) => boolean): Promise<State> {
  const { promise, resolve, reject } = Promise.withResolvers<State>();
  const check = (): void => {
    if (condition(store.getSnapshot())) resolve(store.getSnapshot());
  };
  const cleanups = [
    store.subscribe(check),
    // The current state explains more than a test timeout.
    delay(() => reject(new Error(`It did not come to that: ${inspect(store.getSnapshot(), { depth: 6 })}`)), 20_000),
  ];
  check();
  return promise.finally(() => cleanups.forEach((each) => each()));
}
