// What stores have in common: a state that is replaced as a whole, at most once a frame, and work that begins with the
// first reader and ends a while after the last.
import type { PageEffects } from "./effects.ts";

/** Views come and go, and React asks twice: a store works on for so long without readers. What it knows it keeps. */
const LINGER_MS = 50;

export abstract class Store<State> {
  protected readonly effects: PageEffects;
  readonly #readers = new Set<() => void>();
  #state: State;
  #frame: (() => void) | undefined;
  #leaving: (() => void) | undefined;
  #isStarted = false;

  constructor(effects: PageEffects, state: State) {
    this.effects = effects;
    this.#state = state;
  }

  readonly subscribe = (reader: () => void): (() => void) => {
    this.#leaving?.();
    this.#leaving = undefined;
    this.#readers.add(reader);
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.start();
    }
    return () => {
      this.#readers.delete(reader);
      if (this.#readers.size === 0) this.#leaving ??= this.effects.delay(() => this.close(), LINGER_MS);
    };
  };

  readonly getSnapshot = (): State => this.#state;

  get isRead(): boolean {
    return this.#readers.size > 0;
  }

  /** Lets go of everything now; a reader that comes later begins it again. */
  close(): void {
    this.#leaving?.();
    this.#leaving = undefined;
    this.#frame?.();
    this.#frame = undefined;
    if (!this.#isStarted) return;
    this.#isStarted = false;
    this.stop();
  }

  /** Somebody else reads now: nothing of what is known is theirs to see. `begin` tells them, once all stores are empty. */
  empty(): void {
    this.close();
    this.forget();
    this.#state = this.view(this.#state);
  }

  /** Begins anew where somebody reads. */
  begin(): void {
    for (const reader of this.#readers) reader();
    if (!this.isRead || this.#isStarted) return;
    this.#isStarted = true;
    this.start();
  }

  protected abstract start(): void;
  protected abstract stop(): void;
  /** As it was at the beginning. */
  protected abstract forget(): void;
  /** The state as it is now; the former one where nothing has changed. */
  protected abstract view(former: State): State;

  /** Something may have changed: readers hear of it with the next frame, however much more comes until then. */
  protected changed(): void {
    this.#frame ??= this.effects.frame(() => {
      this.#frame = undefined;
      this.show();
    });
  }

  /** Readers hear of it now. */
  protected show(): void {
    const next = this.view(this.#state);
    if (next === this.#state) return;
    this.#state = next;
    for (const reader of this.#readers) reader();
  }
}

/** The former object where every field is the same. */
export function keepFields<T extends object>(former: T, next: T): T {
  const names = Object.keys(next) as (keyof T)[];
  const isSame = names.length === Object.keys(former).length && names.every((name) => next[name] === former[name]);
  return isSame ? former : next;
}
