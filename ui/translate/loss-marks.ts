// Losses as marks: in a column at the place that each became, in the canonical value at the place that it came from. The
// same thing said of several places, or of several dialects, is one mark.
import type { DialectId, LossLevel } from "koine";
import type { Mark } from "../json/marks.ts";
import { SPEAKER_NAMES } from "./names.ts";
import type { Column, PlacedLoss } from "./types.ts";
import { aboutWords, placesWords } from "./words.ts";

/** Which levels are shown. */
export type Levels = ReadonlySet<LossLevel>;

/** The same loss has the same id in every column that shows it. */
function lossId({ target }: Column, index: number): string {
  return `${target.dialect}:${index}`;
}

interface Group {
  mark: Mark & { ids: string[] };
  losses: PlacedLoss[];
  dialects: Set<DialectId>;
}

export function columnMarks(column: Column, levels: Levels): Mark[] {
  const groups = new Map<string, Group>();
  for (const [index, loss] of column.losses.entries()) {
    if (!levels.has(loss.level)) continue;
    const key = `${loss.line} ${loss.standing} ${loss.code} ${loss.message}`;
    gather(groups, key, loss.line, loss, column, index);
  }
  return sorted(groups, ({ losses }) => ({ about: aboutOf(losses) }));
}

export function canonicalMarks(columns: readonly Column[], levels: Levels): Mark[] {
  const groups = new Map<string, Group>();
  for (const column of columns) {
    for (const [index, loss] of column.losses.entries()) {
      if (!levels.has(loss.level)) continue;
      const key = `${loss.canonicalLine} ${loss.path} ${loss.code} ${loss.level} ${loss.action} ${loss.message}`;
      gather(groups, key, loss.canonicalLine, loss, column, index);
    }
  }
  return sorted(groups, ({ losses, dialects }) => ({
    about: aboutOf(losses.slice(0, 1), true),
    labels: [...dialects].map((id) => SPEAKER_NAMES[id].short),
  }));
}

function gather(
  groups: Map<string, Group>,
  key: string,
  line: number,
  loss: PlacedLoss,
  column: Column,
  index: number,
): void {
  let group = groups.get(key);
  if (group === undefined) {
    const { level, code, message: says } = loss;
    group = { mark: { ids: [], line, level, code, says, about: "" }, losses: [], dialects: new Set() };
    groups.set(key, group);
  }
  group.mark.ids.push(lossId(column, index));
  group.losses.push(loss);
  group.dialects.add(column.target.dialect);
}

const GRAVITY: Record<LossLevel, number> = { breaks: 0, loss: 1, note: 2 };

function sorted(groups: ReadonlyMap<string, Group>, told: (group: Group) => Partial<Mark>): Mark[] {
  return [...groups.values()]
    .map((group) => Object.assign(group.mark, told(group)))
    .sort((a, b) => a.line - b.line || GRAVITY[a.level] - GRAVITY[b.level]);
}

function aboutOf(losses: readonly PlacedLoss[], isAtHome = false): string {
  const [first] = losses;
  if (first === undefined) return "";
  return aboutWords(first, isAtHome ? "at" : first.standing, placesWords(losses.map(({ path }) => path)));
}
