// The deltas of a stream on their way into its run: they wait until the run is there, then they are written as they come.
// After a gap nothing more is taken: what follows it would look like the whole.
import type { Run } from "../../ledger/index.ts";
import type { Delta } from "../../model/index.ts";
import { unavailable } from "./refusal.ts";

export interface FeedOptions {
  /** Takes so many more bytes that wait to be written, or gives them back; false where there is no room. */
  hold(bytes: number): boolean;
  /** Deltas could not be written; told once. */
  lost(error: unknown): void;
}

export class RunFeed {
  /** Once it is there. */
  run: Run | undefined;
  /** Set when the run is being begun. */
  begun: Promise<Run> | undefined;
  readonly #options: FeedOptions;
  #waiting: (readonly Delta[])[] = [];
  /** Bytes that are not written yet. */
  #held = 0;
  #gap: { error: unknown } | undefined;
  #isOver = false;
  #heardAt = performance.now();

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Why something is missing. */
  get missing(): { error: unknown } | undefined {
    return this.#gap;
  }

  /** What came before the run was begun. */
  get unwritten(): readonly (readonly Delta[])[] {
    return this.begun === undefined ? this.#waiting : [];
  }

  /** About so many bytes are not written yet. */
  get size(): number {
    return this.#held;
  }

  push(deltas: readonly Delta[]): void {
    if (this.#gap !== undefined || this.#isOver) return;
    const size = sizeOf(deltas);
    this.#held += size;
    if (!this.#options.hold(size)) this.lose(unavailable("it writes more slowly than the answers come in."));
    else if (this.run === undefined) this.#waiting.push(deltas);
    else this.#append(this.run, deltas, size);
  }

  /** Begins the run, once. */
  begin(make: () => Promise<Run>): Promise<Run> {
    this.begun ??= this.#start(make);
    return this.begun;
  }

  /** Nothing more comes. */
  end(): void {
    this.#isOver = true;
  }

  /** Nothing waits any more, whatever became of it. */
  release(): void {
    this.#isOver = true;
    this.#waiting = [];
    this.#letGo(this.#held);
  }

  /** Takes no more deltas, because of this. */
  lose(error: unknown): void {
    if (this.#gap !== undefined) return;
    this.#gap = { error };
    this.#waiting = [];
    this.#letGo(this.#held);
    this.#options.lost(error);
  }

  /** Whether nothing was written for so long. */
  isSilent(ms: number): boolean {
    return this.run !== undefined && performance.now() - this.#heardAt > ms;
  }
  heard(): void {
    this.#heardAt = performance.now();
  }

  async #start(make: () => Promise<Run>): Promise<Run> {
    try {
      const run = await make();
      this.run = run;
      this.heard();
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const deltas of waiting) if (this.#gap === undefined) this.#append(run, deltas, sizeOf(deltas));
      return run;
    } catch (error) {
      this.lose(error);
      throw error;
    }
  }

  #append(run: Run, deltas: readonly Delta[], size: number): void {
    run.append(deltas).then(
      () => {
        this.#letGo(size);
        this.heard();
      },
      (error: unknown) => this.lose(error),
    );
  }

  #letGo(size: number): void {
    const held = Math.min(size, this.#held);
    if (held === 0) return;
    this.#held -= held;
    this.#options.hold(-held);
  }
}

/** About so many bytes. */
function sizeOf(deltas: readonly Delta[]): number {
  let size = 0;
  for (const { payload } of deltas) {
    size += 64;
    for (const name in payload) {
      // Any field of any payload.
      const value: unknown = (payload as unknown as Record<string, unknown>)[name];
      if (typeof value === "string") size += value.length;
    }
  }
  return size;
}
