// Measures round trips in one dialect: the output must equal the input or, after an edit, the directly edited input.
import type { JsonObject } from "../../src/index.ts";
import { parseJson, sameJson } from "../../src/index.ts";
import type { JobOutcome, RoundTripJob, RoundTripper } from "../contenders/contender.ts";
import { table } from "../measure.ts";
import { changeText, takeAppended } from "../wire/edit.ts";
import type { Kind } from "../wire/wire.ts";
import { DIALECTS } from "../wire/wire.ts";
import type { Corpus } from "./corpus.ts";
import { FileCounts } from "./file-counts.ts";

const HEAD = [
  "dialect",
  "contender",
  "files",
  "equal",
  "equal, edited",
  "threw",
  "differ silently",
  "losses",
  "notes",
  "remark",
];

// The cast is safe, because the corpus contains only JSON objects.
const read = (text: string): JsonObject => parseJson(text) as JsonObject;

function isEqual({ dialect, kind, text, edit }: RoundTripJob, outcome: JobOutcome): boolean {
  const expected = read(text);
  const actual = read(outcome.text);
  if (edit) {
    changeText(dialect, kind, expected);
    if (kind === "requests" && !takeAppended(dialect, actual, expected)) return false;
  }
  return sameJson(actual, expected);
}

function measure(contender: RoundTripper, job: RoundTripJob, path: string, tally: FileCounts): void {
  const name = job.edit ? "edited" : "equal";
  const outcome = tally.attempt("threw", path, () => contender.run(job));
  if (outcome === undefined) return;
  const equal = isEqual(job, outcome);
  if (equal) tally.add(name);
  else tally.remember(path, job.edit ? "differs after the edit" : "differs");
  if (job.edit) return;
  if (!equal && outcome.losses + outcome.notes === 0) tally.add("silent");
  tally.add("losses", outcome.losses);
  tally.add("notes", outcome.notes);
}

/** Prints one table, and the files in which the contender named `listed` loses data. */
export function benchSameDialect(
  corpus: Corpus,
  kind: Kind,
  contenders: readonly RoundTripper[],
  listed?: string,
): void {
  const rows = DIALECTS.flatMap((dialect) => {
    const recordings = corpus(dialect, kind);
    return contenders.map((contender) => {
      const files = String(recordings.length);
      const gap = contender.gap({ dialect, kind, edit: false });
      if (gap !== undefined) return [dialect, contender.name, files, ...HEAD.slice(3, -1).map(() => ""), gap];
      const editGap = contender.gap({ dialect, kind, edit: true });
      const tally = new FileCounts();
      for (const { path, text } of recordings) {
        for (const edit of editGap === undefined ? [false, true] : [false]) {
          measure(contender, { dialect, kind, text, edit }, path, tally);
        }
      }
      if (contender.name === listed) tally.list();
      const edited = editGap === undefined ? tally.count("edited") : "";
      const counts = ["threw", "silent", "losses", "notes"].map((name) => tally.count(name));
      return [dialect, contender.name, files, tally.count("equal"), edited, ...counts, editGap ?? ""];
    });
  });
  table(`${kind}: the same dialect in and out`, HEAD, rows);
}
