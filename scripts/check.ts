// Runs all checks except the tests, prints the output of failed checks, and lists the names of failed checks at the
// end.

import { spawnSync } from "node:child_process";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";

const STEPS: [name: string, command: string][] = [
  ["format", "oxfmt --check ."],
  ["lint", "oxlint --deny-warnings ."],
  ["types", "tsc -p tsconfig.json"],
  ["types of the page", "tsc -p ui"],
  ["unused code", "knip --no-progress --no-config-hints"],
  ["build", "npm run build"],
  ["package", "publint --strict"],
  ["package types", "attw --pack . --profile esm-only"],
  ["schema up to date", "node --conditions=koine-source scripts/schema.ts --check"],
  ["docs up to date", "node --conditions=koine-source scripts/losses.ts --check"],
  ["matrix up to date", "node --conditions=koine-source scripts/compatibility.ts --check"],
  ["size", "node scripts/size.ts"],
];

const root = fileURLToPath(new URL("..", import.meta.url));
// The project's own tools are first in PATH, as with `npm run`, so that the script can also be called directly.
const path = [`${root}node_modules/.bin`, process.env["PATH"]].join(delimiter);

const failed: string[] = [];
for (const [name, command] of STEPS) {
  const start = performance.now();
  const run = spawnSync(command, { shell: true, cwd: root, encoding: "utf8", env: { ...process.env, PATH: path } });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${run.status === 0 ? "ok    " : "FAILED"} ${name} (${seconds} s)`);
  if (run.status === 0) continue;
  failed.push(name);
  console.log(`$ ${command}\n${run.stdout}${run.stderr}${run.error?.message ?? ""}`);
}

if (failed.length > 0) {
  console.log(`check failed: ${failed.join(", ")}`);
  process.exitCode = 1;
} else {
  console.log(`check passed: ${STEPS.length} steps`);
}
