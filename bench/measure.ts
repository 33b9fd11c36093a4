// Shared code of the benchmarks: the median, alternating runs, and a table in Markdown.

/** The minimum number of rounds, even if the runs exceed the time budget. */
const LEAST_ROUNDS = 15;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join(" | ")} |`;
  console.log(`\n${title}\n`);
  for (const row of [head, widths.map((width) => "-".repeat(width)), ...rows]) console.log(line(row));
}

/**
 * Returns the median time of each run in milliseconds. The runs alternate, and the run that goes first changes, because
 * the load of the machine varies and each run leaves garbage for the next run.
 */
export function interleave(runs: readonly (() => unknown)[], repeat: number, budgetMs: number): number[] {
  const times = runs.map((): number[] => []);
  const time = (run: () => unknown): number => {
    const start = performance.now();
    for (let i = 0; i < repeat; i++) run();
    return (performance.now() - start) / repeat;
  };
  const warmUp = performance.now() + budgetMs / 3;
  while (performance.now() < warmUp) runs.forEach(time);
  const end = performance.now() + budgetMs;
  for (let round = 0; round < LEAST_ROUNDS || performance.now() < end; round++) {
    for (const turn of runs.keys()) {
      const which = (round + turn) % runs.length;
      const run = runs[which];
      if (run !== undefined) times[which]?.push(time(run));
    }
  }
  return times.map(median);
}
