// Base class of the page's stores: an immutable state that is replaced at most once per frame, and work that runs while
// there are listeners.
import type { PageEffects } from "./effects.ts";

/**
 * A store keeps working for this time without listeners: React unsubscribes and subscribes again on remount. Its state
 * stays.
 */
const STOP_DELAY_MS = 50;

export abstract class Store<State> {
  protected readonly effects: PageEffects;
  readonly #listeners = new Set<() => void>();
  #state: State;
  #cancelFrame: (() => void) | undefined;
  #cancelStop: (() => void) | undefined;
  #isStarted = false;

  constructor(effects: PageEffects, state: State) {
    this.effects = effects;
    this.#state = state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#cancelStop?.();
    this.#cancelStop = undefined;
    this.#listeners.add(listener);
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.start();
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#cancelStop ??= this.effects.delay(() => this.close(), STOP_DELAY_MS);
    };
  };

  readonly getSnapshot = (): State => this.#state;

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Stops all work; a later listener starts it again. */
  close(): void {
    this.#cancelStop?.();
    this.#cancelStop = undefined;
    this.#cancelFrame?.();
    this.#cancelFrame = undefined;
    if (!this.#isStarted) return;
    this.#isStarted = false;
    this.stop();
  }

  /**
   * Stops and clears the state, which belongs to the previous token. `restart` notifies the listeners after all stores
   * are cleared.
   */
  clearState(): void {
    this.close();
    this.reset();
    this.#state = this.computeState(this.#state);
  }

  /** Notifies the listeners, and starts again if there are any. */
  restart(): void {
    for (const listener of this.#listeners) listener();
    if (!this.hasListeners || this.#isStarted) return;
    this.#isStarted = true;
    this.start();
  }

  protected abstract start(): void;
  protected abstract stop(): void;
  /** Resets all fields to their initial values. */
  protected abstract reset(): void;
  /** Returns the current state; `previous` itself if nothing has changed. */
  protected abstract computeState(previous: State): State;

  /** Schedules one update for the next frame, however many changes precede it. */
  protected scheduleUpdate(): void {
    this.#cancelFrame ??= this.effects.frame(() => {
      this.#cancelFrame = undefined;
      this.updateNow();
    });
  }

  /** Computes the state and notifies the listeners now. */
  protected updateNow(): void {
    const next = this.computeState(this.#state);
    if (next === this.#state) return;
    this.#state = next;
    for (const listener of this.#listeners) listener();
  }
}

/** Returns the previous object if every field is identical. */
export function reuseIfSameFields<T extends object>(previous: T, next: T): T {
  const names = Object.keys(next) as (keyof T)[];
  const isSame = names.length === Object.keys(previous).length && names.every((name) => next[name] === previous[name]);
  return isSame ? previous : next;
}
