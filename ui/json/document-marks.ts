// Defines the marks at lines of a JSON document, and counts, slices and searches them. Lists of marks are sorted by
// line.

/** Severities of marks, the least severe first. */
export const MARK_LEVELS = ["note", "loss", "breaks"] as const;
export type MarkLevel = (typeof MARK_LEVELS)[number];

export interface DocumentMark {
  /** Ids of the losses that the mark shows; marks in several documents that share an id belong to the same loss. */
  ids: readonly string[];
  line: number;
  level: MarkLevel;
  /** Short name of the mark, such as a loss code. */
  code: string;
  /** Sentence that describes the mark. */
  message: string;
  /** Action and position, such as "Dropped: message 3, part 1." */
  context: string;
  /**
   * Names of the dialects that have the loss; only set in the canonical document, which shows the losses of all
   * dialects.
   */
  labels?: readonly string[];
}

export type MarkCounts = Readonly<Record<MarkLevel, number>>;

export function countMarks(marks: readonly Pick<DocumentMark, "level">[]): MarkCounts {
  const tally = { note: 0, loss: 0, breaks: 0 };
  for (const { level } of marks) tally[level]++;
  return tally;
}

/** Returns a text such as "1 break, 2 losses, 3 notes"; "" without marks. */
export function formatMarkCounts({ breaks, loss, note }: MarkCounts): string {
  const counts = [
    formatLevelCount(breaks, "break", "breaks"),
    formatLevelCount(loss, "loss", "losses"),
    formatLevelCount(note, "note", "notes"),
  ];
  return counts.filter((each) => each !== "").join(", ");
}

function formatLevelCount(count: number, one: string, many: string): string {
  return count === 0 ? "" : `${count} ${count === 1 ? one : many}`;
}

export function findWorstLevel({ breaks, loss, note }: MarkCounts): MarkLevel | undefined {
  if (breaks > 0) return "breaks";
  if (loss > 0) return "loss";
  return note > 0 ? "note" : undefined;
}

/** Returns the marks on the lines from `first` to `last`, inclusive. */
export function sliceMarks(marks: readonly DocumentMark[], first: number, last: number): readonly DocumentMark[] {
  return marks.slice(findMarkIndex(marks, first), findMarkIndex(marks, last + 1));
}

/** Returns the index of the first mark at or after a line. */
export function findMarkIndex(marks: readonly DocumentMark[], line: number): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle]?.line ?? 0) < line) low = middle + 1;
    else high = middle;
  }
  return low;
}
