// Prints readability metrics of a repository: names, comments, folders, documentation and duplicates.
//
// node scripts/readability.ts [root] [--json]
// node scripts/readability.ts [root] --list <metric>    prints each counted place as `file:line name`
import { parseArgs } from "node:util";
import type { Measurement, Metric } from "./readability/metrics.ts";
import { METRICS } from "./readability/metrics.ts";

const { values: flags, positionals } = parseArgs({
  options: { json: { type: "boolean", default: false }, list: { type: "string" } },
  allowPositionals: true,
});
const root = positionals[0] ?? ".";

function report({ id, title }: Metric, { value, details }: Measurement, milliseconds: number): string {
  const parts = Object.entries(details).map(([name, count]) => `${name} ${count}`);
  return `${id}: ${value}  (${Math.round(milliseconds)} ms)\n  ${title}\n  ${parts.join(", ")}`;
}

function printList(id: string): void {
  const metric = METRICS.find((each) => each.id === id);
  if (metric === undefined) {
    const known = METRICS.map((each) => each.id).join(", ");
    throw new Error(`There is no metric "${id}"; the metrics are ${known}.`);
  }
  for (const { file, line, name } of metric.measure(root).positions) console.log(`${file}:${line} ${name}`);
}

function printAll(): void {
  const results: Record<string, Omit<Measurement, "positions">> = {};
  for (const metric of METRICS) {
    const startedAt = performance.now();
    const measurement = metric.measure(root);
    const { value, details } = measurement;
    results[metric.id] = { value, details };
    if (!flags.json) console.log(report(metric, measurement, performance.now() - startedAt));
  }
  if (flags.json) console.log(JSON.stringify(results, null, 2));
}

if (flags.list === undefined) printAll();
else printList(flags.list);
