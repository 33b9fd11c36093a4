// Determines whether a browser is available, and which test files need one.
import { globSync, readFileSync } from "node:fs";

const hasBrowser =
  process.env["KOINE_CHROMIUM"] !== undefined || (process.platform === "linux" && process.arch === "x64");

/** Returns the test files that cannot run here, and prints a warning if there are any. */
export function listUnavailableTests(): string[] {
  if (hasBrowser) return [];
  const paths = globSync("test/page/**/*.test.ts").filter((path) =>
    /support\/(open-page|chromium)\.ts/.test(readFileSync(path, "utf8")),
  );
  const reason =
    "the packaged browser runs on Linux x64 only. Set KOINE_CHROMIUM to the path of a Chromium to run them";
  console.warn(`\n  SKIPPED: ${paths.length} test files of the page need a real browser: ${reason}.\n`);
  return paths;
}
