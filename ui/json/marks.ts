// Marks: remarks at lines of a document, graver ones counted first. They come sorted by line.

/** How grave a mark is, the least first. */
export const MARK_LEVELS = ["note", "loss", "breaks"] as const;
export type MarkLevel = (typeof MARK_LEVELS)[number];

export interface Mark {
  /** The same remark in two documents has the same id, so that one can be found from the other. */
  ids: readonly string[];
  line: number;
  level: MarkLevel;
  /** A short name for it. */
  code: string;
  /** What happened, in words. */
  says: string;
  /** What it is about, beside: "dropped from message 3, part 1". */
  about: string;
  /** Whom it concerns, where that is not clear from where it stands. */
  labels?: readonly string[];
}

export type Tally = Readonly<Record<MarkLevel, number>>;

export function tallyOf(marks: readonly Pick<Mark, "level">[]): Tally {
  const tally = { note: 0, loss: 0, breaks: 0 };
  for (const { level } of marks) tally[level]++;
  return tally;
}

/** "1 break, 2 losses, 3 notes"; "" where there is nothing. */
export function tallyWords({ breaks, loss, note }: Tally): string {
  const words = [plural(breaks, "break", "breaks"), plural(loss, "loss", "losses"), plural(note, "note", "notes")];
  return words.filter((each) => each !== "").join(", ");
}

function plural(count: number, one: string, many: string): string {
  return count === 0 ? "" : `${count} ${count === 1 ? one : many}`;
}

export function gravest({ breaks, loss, note }: Tally): MarkLevel | undefined {
  if (breaks > 0) return "breaks";
  if (loss > 0) return "loss";
  return note > 0 ? "note" : undefined;
}

/** Marks on the lines from `first` to `last`, both included. */
export function marksBetween(marks: readonly Mark[], first: number, last: number): readonly Mark[] {
  return marks.slice(indexOfLine(marks, first), indexOfLine(marks, last + 1));
}

/** The index of the first mark at or after a line. */
export function indexOfLine(marks: readonly Mark[], line: number): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle]?.line ?? 0) < line) low = middle + 1;
    else high = middle;
  }
  return low;
}
