// Counts the records of a command, each as done or failed, and their losses by level and code.
import type { Loss, LossLevel } from "../../model/index.ts";
import { LOSS_LEVELS } from "../../model/index.ts";
import type { RecordEnvelope } from "../read/record-envelope.ts";

export interface LossExample {
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
  /** The number of records with this loss. */
  records: number;
  /** The first two occurrences of this loss. */
  examples: LossExample[];
}

const MAX_EXAMPLES = 2;

function rankLevel(level: LossLevel): number {
  return LOSS_LEVELS.indexOf(level);
}

export class RecordTally {
  files = 0;
  done = 0;
  failed = 0;
  /** The number of events in all streams. */
  events = 0;
  /** The number of records in which an envelope field was not written, by the name of the field. */
  readonly envelopeFields = new Map<string, number>();
  readonly #counts = new Map<string, LossCount>();

  get read(): number {
    return this.done + this.failed;
  }

  addLosses(losses: readonly Loss[], file: string, line: number): void {
    const seen = losses.length > 1 ? new Set<LossCount>() : undefined;
    for (const loss of losses) {
      const count = this.#findOrCreateCount(loss);
      count.count++;
      if (count.examples.length < MAX_EXAMPLES) {
        count.examples.push({ file, line, path: loss.path, message: loss.message });
      }
      if (seen?.has(count) === true) continue;
      seen?.add(count);
      count.records++;
    }
  }

  addEnvelope({ address, ...others }: RecordEnvelope): void {
    for (const field of [...Object.keys(address ?? {}), ...Object.keys(others)]) {
      this.envelopeFields.set(field, (this.envelopeFields.get(field) ?? 0) + 1);
    }
  }

  #findOrCreateCount({ level, code, action }: Loss): LossCount {
    const key = `${level} ${code}`;
    let count = this.#counts.get(key);
    if (count === undefined) {
      count = { level, code, action, count: 0, records: 0, examples: [] };
      this.#counts.set(key, count);
    }
    return count;
  }

  /** Returns the counts of all losses, the highest level first and then the most frequent first. */
  listLosses(): LossCount[] {
    return [...this.#counts.values()].sort(
      (a, b) => rankLevel(b.level) - rankLevel(a.level) || b.count - a.count || (a.code < b.code ? -1 : 1),
    );
  }

  /** Returns the number of losses of each level. */
  countLevels(): Record<LossLevel, number> {
    const levels = { note: 0, loss: 0, breaks: 0 };
    for (const { level, count } of this.#counts.values()) levels[level] += count;
    return levels;
  }

  /** True if a record has a loss of this level or a higher level. */
  hasLossOfLevel(level: LossLevel): boolean {
    return [...this.#counts.values()].some((count) => rankLevel(count.level) >= rankLevel(level));
  }
}
