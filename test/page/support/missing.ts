// Whether there is a browser for the page's tests, and which of them need one.
import { globSync, readFileSync } from "node:fs";

const isThere = process.env["KOINE_CHROMIUM"] !== undefined || (process.platform === "linux" && process.arch === "x64");

/** Tests that cannot run here; says so loudly where there are some. */
export function leftOut(): string[] {
  if (isThere) return [];
  const needy = globSync("test/page/*.test.ts").filter((path) =>
    /support\/(open-page|chromium)\.ts/.test(readFileSync(path, "utf8")),
  );
  const why = "the packaged browser runs on Linux x64 only. Set KOINE_CHROMIUM to the path of a Chromium to run them";
  console.warn(`\n  LEFT OUT: ${needy.length} files of tests of the page in a real browser: ${why}.\n`);
  return needy;
}
