// Reads back what a recorded call asked: its settings from the runs that said them, its history from the thread.
import { LedgerError } from "../../ledger/index.ts";
import type { Ledger, RunInfo } from "../../ledger/index.ts";
import type { Message, ModelRequest } from "../../model/index.ts";
import { leadingOf, saidBy } from "./said.ts";
import { withoutLedgerFields } from "./stored-answer.ts";

/** The request of a recorded call, with its whole history; undefined where the run is none. */
export async function requestOf(ledger: Ledger, run: RunInfo): Promise<ModelRequest | undefined> {
  const fields = await settingsOf(ledger, run);
  if (fields === undefined) return undefined;
  const { instructions, ...settings } = fields;
  return { ...settings, messages: await historyOf(ledger, run, instructions) };
}

type Settings = Omit<ModelRequest, "messages"> & { instructions?: readonly Message[] };

/** What a recorded call said beside its history; `instructions` only where they are not those of the thread. */
async function settingsOf(ledger: Ledger, { metadata }: RunInfo): Promise<Settings | undefined> {
  const said = saidBy(metadata);
  if (said === undefined) return undefined;
  const fields: Record<string, unknown> = { ...said.request };
  for (const [field, { run }] of Object.entries(said.same ?? {})) {
    if (run !== undefined) fields[field] = await fieldOf(ledger, run, field);
  }
  return fields;
}

async function fieldOf(ledger: Ledger, runId: string, field: string): Promise<unknown> {
  const value = saidBy((await ledger.run(runId)).metadata)?.request[field];
  if (value !== undefined) return value;
  throw new LedgerError(
    "unknown-run",
    `Run ${runId}, which said the "${field}" of this call, does not say it any more.`,
  );
}

/** The messages that a run answered. */
async function historyOf(
  ledger: Ledger,
  { threadId, forkFromMessageId }: RunInfo,
  instructions: readonly Message[] | undefined,
): Promise<Message[]> {
  const branch = forkFromMessageId ?? undefined;
  const path = branch === undefined ? [] : (await ledger.transcript(threadId, { branch })).map(withoutLedgerFields);
  return instructions === undefined ? path : [...instructions, ...path.slice(leadingOf(path).length)];
}
