// Defines the base class of the page's stores. A store has an immutable state, which is replaced at most once per
// frame, and does its work (such as following events) only while it has listeners.
import type { PageEffects } from "./effects.ts";

/**
 * If a store has no listeners for this time, it stops its work; its state stays. The time is not 0, because React
 * unsubscribes and subscribes again when it remounts a component.
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

  /**
   * Stops the work of the store (`stop`) at once and cancels a scheduled update. The work starts again when a listener
   * subscribes.
   */
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
   * Stops the work and clears the state, which was read with the previous token. The listeners are not called here but
   * by `restart`, after all stores are cleared, so that no view shows data of both tokens.
   */
  clearState(): void {
    this.close();
    this.reset();
    this.#state = this.computeState(this.#state);
  }

  /** Notifies the listeners, and starts the work again if there are listeners. */
  restart(): void {
    for (const listener of this.#listeners) listener();
    if (!this.hasListeners || this.#isStarted) return;
    this.#isStarted = true;
    this.start();
  }

  protected abstract start(): void;
  protected abstract stop(): void;
  /** Resets the fields of the subclass to their initial values. */
  protected abstract reset(): void;
  /**
   * Returns the current state. If nothing has changed, returns the object `previous`, so that React skips the render.
   */
  protected abstract computeState(previous: State): State;

  /** Schedules an update for the next frame; several calls before that frame cause one update. */
  protected scheduleUpdate(): void {
    this.#cancelFrame ??= this.effects.frame(() => {
      this.#cancelFrame = undefined;
      this.updateNow();
    });
  }

  /** Computes the state at once, and notifies the listeners if it has changed. */
  protected updateNow(): void {
    const next = this.computeState(this.#state);
    if (next === this.#state) return;
    this.#state = next;
    for (const listener of this.#listeners) listener();
  }
}

/** Returns `previous` if both objects have the same fields with identical values, and `next` otherwise. */
export function reuseIfSameFields<T extends object>(previous: T, next: T): T {
  const names = Object.keys(next) as (keyof T)[];
  const isSame = names.length === Object.keys(previous).length && names.every((name) => next[name] === previous[name]);
  return isSame ? previous : next;
}
