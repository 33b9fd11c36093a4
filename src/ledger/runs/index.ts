// Exports the operations on runs: begin, record, read, resume, recover and compact.
export { deleteAlias, findRunByAlias } from "./aliases.ts";
export { beginRun } from "./begin.ts";
export { compactTenant } from "./compact.ts";
export { LiveRuns } from "./live-runs.ts";
export { readRunInfo, listRuns } from "./read-runs.ts";
export { recordCall } from "./record.ts";
export { recoverRuns } from "./recover.ts";
export { resumeRun } from "./resume.ts";
