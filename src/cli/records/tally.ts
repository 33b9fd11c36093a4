// What a run has come to: how many records, how many failed, and the losses by their codes. Every record that was read
// is counted as done or as failed.
import type { Loss, LossLevel } from "../../model/index.ts";
import { LOSS_LEVELS } from "../../model/index.ts";
import type { RecordEnvelope } from "../read/record-envelope.ts";

export interface Example {
  file: string;
  line: number;
  path: string;
  message: string;
}

export interface LossCount {
  level: LossLevel;
  code: string;
  action: string;
  count: number;
  /** In how many records. */
  records: number;
  /** The first ones. */
  examples: Example[];
}

const EXAMPLES = 2;

function rank(level: LossLevel): number {
  return LOSS_LEVELS.indexOf(level);
}

export class Tally {
  files = 0;
  done = 0;
  failed = 0;
  /** The events of the streams among them. */
  events = 0;
  /** What stands beside bodies and was not written with them: how many records have which field. */
  readonly apart = new Map<string, number>();
  readonly #counts = new Map<string, LossCount>();

  get read(): number {
    return this.done + this.failed;
  }

  add(losses: readonly Loss[], file: string, line: number): void {
    const seen = losses.length > 1 ? new Set<LossCount>() : undefined;
    for (const loss of losses) {
      const count = this.#countOf(loss);
      count.count++;
      if (count.examples.length < EXAMPLES) {
        count.examples.push({ file, line, path: loss.path, message: loss.message });
      }
      if (seen?.has(count) === true) continue;
      seen?.add(count);
      count.records++;
    }
  }

  addApart({ address, ...others }: RecordEnvelope): void {
    for (const field of [...Object.keys(address ?? {}), ...Object.keys(others)]) {
      this.apart.set(field, (this.apart.get(field) ?? 0) + 1);
    }
  }

  #countOf({ level, code, action }: Loss): LossCount {
    const key = `${level} ${code}`;
    let count = this.#counts.get(key);
    if (count === undefined) {
      count = { level, code, action, count: 0, records: 0, examples: [] };
      this.#counts.set(key, count);
    }
    return count;
  }

  /** The worst first, then the most frequent. */
  losses(): LossCount[] {
    return [...this.#counts.values()].sort(
      (a, b) => rank(b.level) - rank(a.level) || b.count - a.count || (a.code < b.code ? -1 : 1),
    );
  }

  /** How many losses of each level there are. */
  levels(): Record<LossLevel, number> {
    const levels = { note: 0, loss: 0, breaks: 0 };
    for (const { level, count } of this.#counts.values()) levels[level] += count;
    return levels;
  }

  /** Whether there is a loss of this level, or worse. */
  reaches(level: LossLevel): boolean {
    return [...this.#counts.values()].some((count) => rank(count.level) >= rank(level));
  }
}
