// Stores the evidence of a violation: the writers' logs, next to the database.
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { AttackedDatabase } from "./attacked-database.ts";

export function writeEvidence(folder: string, { history, target }: AttackedDatabase): void {
  const name = target.engine === "sqlite" ? basename(target.path) : target.schema;
  const lines = history.attempts.map((attempt) => `${JSON.stringify(attempt)}\n`);
  writeFileSync(join(folder, `${name}.jsonl`), lines.join(""));
}
