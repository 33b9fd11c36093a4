// What the ledger holds of an agent's calls at one moment, read past Koine's ledger and agent.
import { decodeBatch } from "../../../src/ledger/runs/log-bodies.ts";
import type { Part, ToolResultPart } from "../../../src/index.ts";
import { copyDatabase, type DatabaseRows, readDatabaseRows, removeDatabase } from "../../ledger/crash/checker/database-rows.ts";
import type { Target } from "../../ledger/crash/campaign/target.ts";
import { type Effect, readEffects } from "./effect-log.ts";

export interface Snapshot {
  /** Calls that a run says were started. */
  started: ReadonlySet<string>;
  /** Results that are recorded, by call. */
  results: ReadonlyMap<string, ToolResultPart>;
  /** Runs that are not at their end. */
  unfinished: readonly string[];
  /** What the tools had done. */
  effects: readonly Effect[];
}

/** Leaves the database as the kill left it. */
export async function takeSnapshot(target: Target, record: string): Promise<Snapshot> {
  // Before the database is read: what is seen here was begun before.
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
    // Bodies are messages as they were appended; results are short and never apart.
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
