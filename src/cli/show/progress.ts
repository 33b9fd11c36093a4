// How far a long run has come, on one line of a terminal that is written over. Nobody else gets to see it.
import type { CliIo } from "../io.ts";
import { bytes, counted, duration } from "./numbers.ts";
import { clipTo } from "./width.ts";

const EVERY_MS = 100;
/** A run that is over this soon needs no progress. */
const PATIENCE_MS = 300;
const CLEAR = "\r\u001B[K";

export class Progress {
  readonly #io: CliIo;
  readonly #isOn: boolean;
  readonly #started: number;
  #last: number;
  #isShown = false;
  #read = 0;
  #total: number | undefined = 0;

  constructor(io: CliIo, isWanted: boolean) {
    this.#io = io;
    this.#isOn = isWanted && io.stderr.isTTY === true;
    this.#started = io.clock();
    this.#last = this.#started + PATIENCE_MS - EVERY_MS;
  }

  /** A source begins; its size in bytes, where that is known. */
  begin(size: number | undefined): void {
    this.#total = size === undefined || this.#total === undefined ? undefined : this.#total + size;
  }

  bytes(count: number): void {
    this.#read += count;
  }

  show(records: number): void {
    if (!this.#isOn) return;
    const now = this.#io.clock();
    if (now - this.#last < EVERY_MS) return;
    this.#last = now;
    this.#isShown = true;
    this.#io.stderr.write(CLEAR + clipTo(this.#line(records, now), this.#columns() - 1));
  }

  /** Some terminals say that they have none. */
  #columns(): number {
    const { columns = 0 } = this.#io.stderr;
    return columns > 0 ? columns : 80;
  }

  #line(records: number, now: number): string {
    const seconds = (now - this.#started) / 1000;
    const rate = seconds > 0 ? this.#read / seconds : 0;
    const parts = [this.#total === undefined ? bytes(this.#read) : `${bytes(this.#read)} of ${bytes(this.#total)}`];
    if (this.#total !== undefined && this.#total > 0) parts.push(`${Math.floor((100 * this.#read) / this.#total)} %`);
    parts.push(counted(records, "record"), `${bytes(rate)}/s`);
    if (this.#total !== undefined && rate > 0) parts.push(`${duration((this.#total - this.#read) / rate)} left`);
    return parts.join("  ");
  }

  /** Takes the line away, before anything else is written. */
  clear(): void {
    if (this.#isShown) this.#io.stderr.write(CLEAR);
    this.#isShown = false;
  }
}
