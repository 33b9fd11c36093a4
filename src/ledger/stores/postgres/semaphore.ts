// Limits the number of concurrent callers: first come, first served, with a maximum wait.
import { LedgerError } from "../../errors.ts";

/** Allows a number of callers at a time; the others wait up to `waitMs`. */
export class Semaphore {
  readonly #waitMs: number;
  readonly #timeoutMessage: string;
  readonly #waiting: (() => void)[] = [];
  readonly #count: number;
  #free: number;

  /** `timeoutMessage` is the error of callers that waited too long. */
  constructor(count: number, waitMs: number, timeoutMessage: string) {
    this.#count = count;
    this.#free = count;
    this.#waitMs = waitMs;
    this.#timeoutMessage = timeoutMessage;
  }

  /** True if there are no callers, and therefore none that wait. */
  get isIdle(): boolean {
    return this.#free === this.#count;
  }

  /** Resolves when the caller may continue. It must call `leave` afterwards. */
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
 * One semaphore per name. Writers of one thread wait for each other anyway; here they wait without using a connection.
 */
export class KeyedSemaphores {
  readonly #count: number;
  readonly #waitMs: number;
  readonly #semaphores = new Map<string, Semaphore>();

  /** Allows `count` callers per name at a time. */
  constructor(count: number, waitMs: number) {
    this.#count = count;
    this.#waitMs = waitMs;
  }

  /** Resolves when the caller may continue, with the function that ends its turn. */
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
