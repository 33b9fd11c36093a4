// Reads the request of a recorded call: the settings from the run's metadata, and the history from the thread.
import { LedgerError } from "../../ledger/index.ts";
import type { Ledger, RunInfo } from "../../ledger/index.ts";
import type { Message, ModelRequest } from "../../model/index.ts";
import { leadingInstructions, readRunRequestFields } from "./request-facts.ts";
import { withoutLedgerFields } from "./stored-answer.ts";

/** Returns the request of a run with its whole history; undefined if the run is not a recorded call. */
export async function readStoredRequest(ledger: Ledger, run: RunInfo): Promise<ModelRequest | undefined> {
  const fields = await readStoredSettings(ledger, run);
  if (fields === undefined) return undefined;
  const { instructions, ...settings } = fields;
  return { ...settings, messages: await readStoredHistory(ledger, run, instructions) };
}

type StoredSettings = Omit<ModelRequest, "messages"> & { instructions?: readonly Message[] };

/**
 * Returns the fields of a run's request except the history, with `instructions` only if they differ from those of the
 * thread. Returns undefined if the run is not a recorded call.
 */
async function readStoredSettings(ledger: Ledger, { metadata }: RunInfo): Promise<StoredSettings | undefined> {
  const runFields = readRunRequestFields(metadata);
  if (runFields === undefined) return undefined;
  const fields: Record<string, unknown> = { ...runFields.request };
  for (const [field, { run }] of Object.entries(runFields.same ?? {})) {
    if (run !== undefined) fields[field] = await readFieldOfRun(ledger, run, field);
  }
  return fields;
}

async function readFieldOfRun(ledger: Ledger, runId: string, field: string): Promise<unknown> {
  const value = readRunRequestFields((await ledger.run(runId)).metadata)?.request[field];
  if (value !== undefined) return value;
  throw new LedgerError("unknown-run", `Run ${runId}, which stores the "${field}" of this call, no longer has it.`);
}

/** Returns the messages that a run answered. If `instructions` is set, it replaces the instructions of the thread. */
async function readStoredHistory(
  ledger: Ledger,
  { threadId, forkFromMessageId }: RunInfo,
  instructions: readonly Message[] | undefined,
): Promise<Message[]> {
  const branch = forkFromMessageId ?? undefined;
  const path = branch === undefined ? [] : (await ledger.transcript(threadId, { branch })).map(withoutLedgerFields);
  return instructions === undefined ? path : [...instructions, ...path.slice(leadingInstructions(path).length)];
}
