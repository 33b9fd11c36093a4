// A snapshot of the calls in a database, read without Koine's ledger and agent.
import { decodeBatch } from "../../../src/ledger/runs/log-bodies.ts";
import type { Part, ToolResultPart } from "../../../src/index.ts";
import {
  copyDatabase,
  type DatabaseRows,
  readDatabaseRows,
  removeDatabase,
} from "../../ledger/crash/checker/database-rows.ts";
import type { Target } from "../../ledger/crash/campaign/target.ts";
import { type Effect, readEffects } from "./effect-log.ts";

export interface Snapshot {
  /** Calls that runs record as started. */
  started: ReadonlySet<string>;
  /** Recorded results, by call. */
  results: ReadonlyMap<string, ToolResultPart>;
  /** Runs that have not ended. */
  unfinished: readonly string[];
  /** The effect log. */
  effects: readonly Effect[];
}

/** Reads without changing the database. */
export async function takeSnapshot(target: Target, record: string): Promise<Snapshot> {
  // Read before the database: effects in it started earlier.
  const effects = readEffects(record);
  if (target.engine === "postgres") return snapshotOf(await readDatabaseRows(target), effects);
  const copy = copyDatabase(target.path);
  try {
    return snapshotOf(await readDatabaseRows({ ...target, path: copy }), effects);
  } finally {
    removeDatabase(copy);
  }
}

function snapshotOf(facts: DatabaseRows, effects: readonly Effect[]): Snapshot {
  const results = new Map<string, ToolResultPart>();
  const take = (part: Part): void => {
    if (part.type === "tool-result") results.set(part.toolCallId, part);
  };
  for (const { runId, kind, body } of facts.log) {
    if (kind !== "delta") continue;
    for (const delta of decodeBatch(runId, body)) if (delta.kind === "part") take(delta.payload.value);
  }
  for (const { body } of facts.messages) {
    // Bodies are messages as appended; results are short and therefore stored inline.
    const { parts } = JSON.parse(body) as { parts: Part[] };
    parts.forEach(take);
  }
  const started = facts.runs.flatMap(({ metadata }) => {
    const { started = [] } = JSON.parse(metadata ?? "{}") as { started?: string[] };
    return started;
  });
  const unfinished = facts.runs.flatMap(({ id, state }) => (["created", "streaming"].includes(state) ? [id] : []));
  return { started: new Set(started), results, unfinished, effects };
}
