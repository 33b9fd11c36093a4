// The page's data without a browser: its stores against a real server, in a world whose tab, network and frames the test
// holds in its hands.
import { inspect } from "node:util";
import { textOf } from "../../../src/model/index.ts";
import { type PageEffects, delay } from "../../../ui/data/effects.ts";
import { PageData } from "../../../ui/data/page-data.ts";
import type { ConversationState } from "../../../ui/data/types.ts";

export class World implements PageEffects {
  visible = true;
  /** Frames that were drawn. */
  frames = 0;
  /** How often the tab was made to forget what it keeps. */
  cleared = 0;
  readonly kept = new Map<string, string>();
  readonly #watching = new Set<() => void>();
  readonly #waiting = new Set<() => void>();
  readonly #keeping = new Set<() => void>();
  readonly #network: (url: string, init?: RequestInit) => Promise<Response>;
  readonly #speed: number;

  /** `speed`: how many times faster time passes. */
  constructor(
    network: (url: string, init?: RequestInit) => Promise<Response> = (url, init) => fetch(url, init),
    speed = 1,
  ) {
    this.#network = network;
    this.#speed = speed;
  }

  readonly fetch = (url: string, init?: RequestInit): Promise<Response> => this.#network(url, init);
  readonly now = (): number => Date.now();
  readonly delay = (callback: () => void, ms: number): (() => void) => delay(callback, ms / this.#speed);
  readonly frame = (callback: () => void): (() => void) =>
    delay(() => {
      this.frames++;
      callback();
    }, 4);
  readonly isVisible = (): boolean => this.visible;
  readonly onVisibility = (listener: () => void): (() => void) => listenIn(this.#watching, listener);
  readonly onOnline = (listener: () => void): (() => void) => listenIn(this.#waiting, listener);
  readonly randomBytes = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count));
  readonly storage = {
    getItem: (key: string): string | null => this.kept.get(key) ?? null,
    setItem: (key: string, value: string): void => void this.kept.set(key, value),
    removeItem: (key: string): void => void this.kept.delete(key),
  };

  readonly clearTab = (): void => void this.cleared++;
  readonly onStorage = (listener: () => void): (() => void) => listenIn(this.#keeping, listener);

  /** What another tab of the same browser does. */
  keep(key: string, value: string): void {
    this.kept.set(key, value);
    for (const listener of this.#keeping) listener();
  }

  show(visible: boolean): void {
    this.visible = visible;
    for (const listener of this.#watching) listener();
  }

  online(): void {
    for (const listener of this.#waiting) listener();
  }
}

function listenIn(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** One tab of a browser. */
export class Tab implements Disposable {
  readonly world: World;
  readonly data: PageData;
  readonly #undo: (() => void)[] = [];

  /** `told` hears the address of every request. */
  constructor(url: string, world?: World, told: (url: string) => void = () => undefined) {
    world ??= new World((address, init) => (told(address), fetch(address, init)));
    this.world = world;
    this.data = new PageData(url, world);
  }

  /** A store, and somebody who reads it. */
  read<S extends Readable<unknown>>(store: S): S {
    this.#undo.push(store.subscribe(() => undefined));
    return store;
  }

  conversation(id: string): ReturnType<PageData["conversation"]> {
    return this.read(this.data.conversation(id));
  }

  [Symbol.dispose](): void {
    for (const undo of this.#undo) undo();
    this.data.close();
  }
}

/** What is shown, in the order in which it is; what is on its way behind a "~". */
export function shown({ path, bodies, live }: ConversationState): string[] {
  const said = path.map((id) => textOf(bodies.get(id) ?? { parts: [] }));
  return [...said, ...live.flatMap(({ messages }) => messages.map((message) => `~${textOf(message)}`))];
}

interface Readable<State> {
  subscribe(reader: () => void): () => void;
  getSnapshot(): State;
}

/** The state once it fulfils the wish. */
export function until<State>(store: Readable<State>, wish: (state: State) => boolean): Promise<State> {
  const { promise, resolve, reject } = Promise.withResolvers<State>();
  const look = (): void => {
    if (wish(store.getSnapshot())) resolve(store.getSnapshot());
  };
  const undo = [
    store.subscribe(look),
    // What the state is then tells more than a test that ends.
    delay(() => reject(new Error(`It did not come to that: ${inspect(store.getSnapshot(), { depth: 6 })}`)), 20_000),
  ];
  look();
  return promise.finally(() => undo.forEach((each) => each()));
}
