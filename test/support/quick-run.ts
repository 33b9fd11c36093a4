// The short test run of `npm run test:quick`: it starts no browser, no PostgreSQL and no other program, and uses samples
// of the recorded payloads and of the matrix.
import { globSync, readFileSync } from "node:fs";

export const isQuickRun = process.env["MODE"] === "quick";

/** A quick run uses one of this number of recorded payloads and of cells of the matrix. */
const SAMPLE_INTERVAL = 8;

/** Returns all items; in a quick run, an eighth of them, the first one included. */
export function sampleInQuickRun<T>(items: readonly T[]): T[] {
  return isQuickRun ? items.filter((_, index) => index % SAMPLE_INTERVAL === 0) : [...items];
}

/** Returns the least number of recordings; in a quick run, half of the sampled share, because dialects are mixed. */
export function scaleMinimum(full: number): number {
  return isQuickRun ? Math.floor(full / SAMPLE_INTERVAL / 2) : full;
}

/** Test files that a quick run leaves out, by the support files that they import. */
const LEFT_OUT: readonly [reason: string, imported: RegExp][] = [
  ["a browser, the built page or a tab", /(?:support\/(?:open-page|chromium|page-data)|src\/server\/page\/index)\.ts"/],
  ["a parse of the whole source or many samples of losses", /scripts\/readability\/|oracle\/sampled-losses/],
  ["many random values", /"fast-check"/],
  ["PostgreSQL", /(?:support\/postgres|\.\/moving-koine)\.ts"/],
  [
    "other programs, most of which are killed",
    /"(?:node:child_process|esbuild)"|(?:campaign|run-story|mcp-calls)\.ts"|\b(?:spawnKoine|(?:run|start)InProcess)\b/,
  ],
];

/** Returns the test files that a quick run leaves out, and prints them in one line. */
export function listFilesLeftOut(): string[] {
  const texts = globSync("test/**/*.test.ts").map((path) => [path, readFileSync(path, "utf8")] as const);
  const remaining = new Map(texts);
  const counts = LEFT_OUT.map(([reason, imported]) => {
    const paths = [...remaining].filter(([, text]) => imported.test(text)).map(([path]) => path);
    for (const path of paths) remaining.delete(path);
    return `${paths.length} test files that need ${reason}`;
  });
  const share = `1/${SAMPLE_INTERVAL} of the recorded payloads and of the matrix`;
  console.warn(
    `\n  LEFT OUT of the quick run: ${counts.join(", ")}. The other tests leave out the store postgres and use ${share}.\n`,
  );
  return texts.flatMap(([path]) => (remaining.has(path) ? [] : [path]));
}
