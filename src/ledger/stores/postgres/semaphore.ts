// Limits the number of concurrent callers. Further callers wait in the order of their calls, up to a maximum time.
import { LedgerError } from "../../errors.ts";

/** Allows up to `count` callers at a time; further callers wait up to `waitMs`. */
export class Semaphore {
  readonly #waitMs: number;
  readonly #timeoutMessage: string;
  readonly #waiting: (() => void)[] = [];
  readonly #count: number;
  #free: number;

  /** Creates a semaphore. `timeoutMessage` is the message of the "busy" error for callers that waited too long. */
  constructor(count: number, waitMs: number, timeoutMessage: string) {
    this.#count = count;
    this.#free = count;
    this.#waitMs = waitMs;
    this.#timeoutMessage = timeoutMessage;
  }

  /** True if no caller has entered; then no caller waits either. */
  get isIdle(): boolean {
    return this.#free === this.#count;
  }

  /** Resolves when the caller may continue. The caller must call `leave` when it is done. */
  async enter(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await this.#wait();
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const proceed = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(proceed), 1);
        reject(new LedgerError("busy", this.#timeoutMessage));
      }, this.#waitMs);
      this.#waiting.push(proceed);
    });
  }
}

/**
 * A semaphore for each name, such as the name of a thread. Writers of one thread must wait for each other in any case;
 * with a semaphore, they wait without using a connection.
 */
export class KeyedSemaphores {
  readonly #count: number;
  readonly #waitMs: number;
  readonly #semaphores = new Map<string, Semaphore>();

  /** Creates semaphores that allow `count` callers per name at a time. */
  constructor(count: number, waitMs: number) {
    this.#count = count;
    this.#waitMs = waitMs;
  }

  /** Resolves when the caller may continue, with a function that the caller must call when it is done. */
  async enter(name: string): Promise<() => void> {
    const semaphore =
      this.#semaphores.get(name) ??
      new Semaphore(this.#count, this.#waitMs, "Other writers of the thread took too long.");
    this.#semaphores.set(name, semaphore);
    await semaphore.enter();
    return () => {
      semaphore.leave();
      if (semaphore.isIdle) this.#semaphores.delete(name);
    };
  }
}
