// Creates the marks that show losses in a JSON document. In the column of a dialect, a mark is at the position of the
// loss in the encoded payload; in the canonical document, at the lost value. Equal losses at several paths or of
// several dialects become one mark.
import type { DialectId, LossLevel } from "koine";
import type { DocumentMark } from "../json/document-marks.ts";
import { DIALECT_NAMES } from "./dialect-names.ts";
import type { TranslatedColumn, PlacedLoss } from "./types.ts";
import { describeLoss, formatPaths } from "./loss-labels.ts";

export type ShownLevels = ReadonlySet<LossLevel>;

/** Returns the id of a loss, which is the same in the dialect's column and in the canonical document. */
function toLossId({ target }: TranslatedColumn, index: number): string {
  return `${target.dialect}:${index}`;
}

interface LossMarkGroup {
  mark: DocumentMark & { ids: string[] };
  losses: PlacedLoss[];
  dialects: Set<DialectId>;
}

export function createColumnMarks(column: TranslatedColumn, levels: ShownLevels): DocumentMark[] {
  const groups = new Map<string, LossMarkGroup>();
  for (const [index, loss] of column.losses.entries()) {
    if (!levels.has(loss.level)) continue;
    const key = `${loss.line} ${loss.precision} ${loss.code} ${loss.message}`;
    addToGroup(groups, key, loss.line, loss, column, index);
  }
  return toSortedMarks(groups, ({ losses }) => ({ context: describeGroup(losses) }));
}

export function createCanonicalMarks(columns: readonly TranslatedColumn[], levels: ShownLevels): DocumentMark[] {
  const groups = new Map<string, LossMarkGroup>();
  for (const column of columns) {
    for (const [index, loss] of column.losses.entries()) {
      if (!levels.has(loss.level)) continue;
      const message = toSharedMessage(loss.message, column.target.dialect);
      const key = `${loss.canonicalLine} ${loss.path} ${loss.code} ${loss.level} ${loss.action} ${message}`;
      addToGroup(groups, key, loss.canonicalLine, Object.assign({}, loss, { message }), column, index);
    }
  }
  return toSortedMarks(groups, ({ losses, dialects }) => ({
    context: describeGroup(losses.slice(0, 1), true),
    labels: [...dialects].map((id) => DIALECT_NAMES[id].short),
  }));
}

/**
 * Replaces the dialect's id in a message by "the target", so that equal losses of several dialects have the same
 * message and become one mark. The mark's labels name the dialects.
 */
function toSharedMessage(message: string, id: DialectId): string {
  const atClauseStart = new RegExp(String.raw`(^|[;.,] )${id}(?= )`, "g");
  return message.replaceAll(atClauseStart, (_, before: string) =>
    before === "" ? "The target" : `${before}the target`,
  );
}

function addToGroup(
  groups: Map<string, LossMarkGroup>,
  key: string,
  line: number,
  loss: PlacedLoss,
  column: TranslatedColumn,
  index: number,
): void {
  let group = groups.get(key);
  if (group === undefined) {
    const { level, code, message } = loss;
    group = { mark: { ids: [], line, level, code, message, context: "" }, losses: [], dialects: new Set() };
    groups.set(key, group);
  }
  group.mark.ids.push(toLossId(column, index));
  group.losses.push(loss);
  group.dialects.add(column.target.dialect);
}

const LEVEL_ORDER: Record<LossLevel, number> = { breaks: 0, loss: 1, note: 2 };

function toSortedMarks(
  groups: ReadonlyMap<string, LossMarkGroup>,
  describe: (group: LossMarkGroup) => Partial<DocumentMark>,
): DocumentMark[] {
  return [...groups.values()]
    .map((group) => Object.assign(group.mark, describe(group)))
    .sort((a, b) => a.line - b.line || LEVEL_ORDER[a.level] - LEVEL_ORDER[b.level]);
}

function describeGroup(losses: readonly PlacedLoss[], isCanonical = false): string {
  const [first] = losses;
  if (first === undefined) return "";
  return describeLoss(first, isCanonical ? "at" : first.precision, formatPaths(losses.map(({ path }) => path)));
}
