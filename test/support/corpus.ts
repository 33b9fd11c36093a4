// Recorded provider payloads, which are third-party data and not part of this repository. Tests walk them where they
// are, and say loudly that they were left out where they are not.
import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "vitest";

const FOLDER = process.env["KOINE_CORPUS"] ?? fileURLToPath(new URL("../../../shared/corpus", import.meta.url));

export interface Recording {
  path: string;
  /** Whole files for JSON, one text per line for JSONL. */
  texts: string[];
}

/** Runs the tests over the recordings, or one that says why there are none. */
export function describeCorpus(pattern: string, tests: (recordings: Recording[]) => void): void {
  if (!existsSync(FOLDER)) {
    test("LEFT OUT: there are no recorded payloads here; set KOINE_CORPUS to a folder that has them", () => {
      console.warn("LEFT OUT: tests over recorded payloads; set KOINE_CORPUS to a folder that has them");
    });
    return;
  }
  tests(
    globSync(pattern, { cwd: FOLDER }).map((path) => {
      const content = readFileSync(`${FOLDER}/${path}`, "utf8");
      return { path, texts: path.endsWith(".jsonl") ? content.split("\n").filter((line) => line !== "") : [content] };
    }),
  );
}
