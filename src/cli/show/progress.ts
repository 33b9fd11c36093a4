// Shows the progress of a long command as one line that is overwritten in place. Shows nothing if standard error is not
// a terminal.
import type { CliIo } from "../io.ts";
import { formatBytes, formatQuantity, formatDuration } from "./format-numbers.ts";
import { clipToWidth } from "./text-width.ts";

const UPDATE_INTERVAL_MS = 100;
/** The delay before the first update, so that short commands show no progress. */
const FIRST_UPDATE_MS = 300;
const CLEAR_LINE = "\r\u001B[K";

export class Progress {
  readonly #io: CliIo;
  readonly #isEnabled: boolean;
  readonly #startTime: number;
  #lastUpdateTime: number;
  #isLineShown = false;
  #readBytes = 0;
  /** The size of all sources; undefined if the size of a source is not known. */
  #totalBytes: number | undefined = 0;

  constructor(io: CliIo, isEnabled: boolean) {
    this.#io = io;
    this.#isEnabled = isEnabled && io.stderr.isTTY === true;
    this.#startTime = io.clock();
    this.#lastUpdateTime = this.#startTime + FIRST_UPDATE_MS - UPDATE_INTERVAL_MS;
  }

  /** Adds the size of a source in bytes; `size` is undefined if the size is not known. */
  addSource(size: number | undefined): void {
    this.#totalBytes = size === undefined || this.#totalBytes === undefined ? undefined : this.#totalBytes + size;
  }

  addBytes(count: number): void {
    this.#readBytes += count;
  }

  show(records: number): void {
    if (!this.#isEnabled) return;
    const now = this.#io.clock();
    if (now - this.#lastUpdateTime < UPDATE_INTERVAL_MS) return;
    this.#lastUpdateTime = now;
    this.#isLineShown = true;
    this.#io.stderr.write(CLEAR_LINE + clipToWidth(this.#formatLine(records, now), this.#readColumns() - 1));
  }

  /** Returns the width of the terminal; 80 for terminals that report 0 columns. */
  #readColumns(): number {
    const { columns = 0 } = this.#io.stderr;
    return columns > 0 ? columns : 80;
  }

  #formatLine(records: number, now: number): string {
    const seconds = (now - this.#startTime) / 1000;
    const rate = seconds > 0 ? this.#readBytes / seconds : 0;
    const parts = [
      this.#totalBytes === undefined
        ? formatBytes(this.#readBytes)
        : `${formatBytes(this.#readBytes)} of ${formatBytes(this.#totalBytes)}`,
    ];
    if (this.#totalBytes !== undefined && this.#totalBytes > 0)
      parts.push(`${Math.floor((100 * this.#readBytes) / this.#totalBytes)} %`);
    parts.push(formatQuantity(records, "record"), `${formatBytes(rate)}/s`);
    if (this.#totalBytes !== undefined && rate > 0)
      parts.push(`${formatDuration((this.#totalBytes - this.#readBytes) / rate)} left`);
    return parts.join("  ");
  }

  /** Removes the progress line; must be called before other output. */
  clear(): void {
    if (this.#isLineShown) this.#io.stderr.write(CLEAR_LINE);
    this.#isLineShown = false;
  }
}
