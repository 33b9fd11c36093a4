// Runs: begun, streamed, committed or ended, taken over, recovered, compacted.
export { dropAlias, runByAlias } from "./aliases.ts";
export { beginRun } from "./begin.ts";
export { compact } from "./compact.ts";
export { LiveRuns } from "./leases.ts";
export { runInfo, runsOf } from "./reads.ts";
export { record } from "./record.ts";
export { recover } from "./recover.ts";
export { resumeRun } from "./resume.ts";
