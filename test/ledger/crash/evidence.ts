// What a campaign leaves behind of a database that shows a violation: what its writers said, beside the database itself.
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Site } from "./site.ts";

export function keepEvidence(folder: string, { history, target }: Site): void {
  const name = target.engine === "sqlite" ? basename(target.path) : target.schema;
  const lines = history.attempts.map((attempt) => `${JSON.stringify(attempt)}\n`);
  writeFileSync(join(folder, `${name}.jsonl`), lines.join(""));
}
