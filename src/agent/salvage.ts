// Steps whose run was ended after tools had begun: by `ledger.recover()`, or by an agent whose ledger failed under it.
// What they had recorded stands beside the path. It is taken up in a new run, so that no tool runs again that need not.
import { disassemble } from "../assembly/index.ts";
import type { RunInfo } from "../ledger/index.ts";
import type { Delta, Message, Metadata, Response, StoredMessage, ToolResultPart } from "../model/index.ts";
import { beginExclusiveRun, isLeafConflict } from "./busy.ts";
import { clientCalls, resultsOf } from "./record.ts";
import type { PendingAnswer } from "./round.ts";
import { startedCalls } from "./starts.ts";
import { orGiveUp, type RunContext } from "./work.ts";

/** Those of a thread's runs that are such steps, and that no run has taken up and brought to its end. */
export function givenUpRuns(runs: readonly RunInfo[]): RunInfo[] {
  const settled = new Set<unknown>();
  // A run comes after the one that it continues.
  for (const { id, state, metadata } of runs.toReversed()) {
    if (state === "committed" || state === "superseded" || settled.has(id)) settled.add(metadata?.["continues"]);
  }
  return runs.filter((run) => isGivenUp(run) && !settled.has(run.id));
}

/** Calls begin after the answer is whole and recorded, so that an answer with one that began is whole. */
function isGivenUp({ state, metadata }: RunInfo): boolean {
  return state === "failed" && metadata?.["agent"] === true && startedCalls(metadata).size > 0;
}

/**
 * The newest of them that this branch goes on from, in a new run at the active leaf: what somebody has said since stays
 * before it, and the calls that ran are not forgotten. Undefined where there is none.
 */
export async function salvage(work: RunContext, givenUp: readonly RunInfo[]): Promise<PendingAnswer | undefined> {
  while (givenUp.length > 0) {
    const { messages, activeLeafId } = await work.ledger.tree(work.threadId);
    const path = pathTo(activeLeafId, messages);
    const found = givenUp.toReversed().flatMap((run) => restOf(run, messages));
    const newest = found.find(({ answer }) => path.has(answer.parentMessageId));
    if (newest === undefined) return undefined;
    try {
      return await takeUp(work, newest, activeLeafId);
    } catch (error) {
      // Somebody has said something in this moment.
      if (!isLeafConflict(error)) throw error;
    }
  }
  return undefined;
}

/** What a run has left, and the results that it had recorded. */
interface Rest {
  run: RunInfo;
  answer: StoredMessage;
  results: ReadonlyMap<string, ToolResultPart>;
}

/** None where somebody has gone on from it as it is. */
function restOf(run: RunInfo, messages: readonly StoredMessage[]): Rest[] {
  const rest = messages.filter(({ metadata }) => metadata.runId === run.id);
  const [answer] = rest;
  if (answer?.role !== "assistant") return [];
  const ids = new Set<string | null>(rest.map(({ id }) => id));
  const isGoneOnFrom = messages.some(
    ({ parentMessageId, metadata }) => ids.has(parentMessageId) && metadata.runId !== run.id,
  );
  return isGoneOnFrom ? [] : [{ run, answer, results: resultsOf(rest) }];
}

/** The ids from a leaf up to the root, and null for what is above that. */
function pathTo(leafId: string | null, messages: readonly StoredMessage[]): ReadonlySet<string | null> {
  const parents = new Map(messages.map(({ id, parentMessageId }) => [id, parentMessageId]));
  const path = new Set<string | null>([null]);
  for (let id = leafId; id !== null; id = parents.get(id) ?? null) path.add(id);
  return path;
}

async function takeUp(work: RunContext, rest: Rest, expectedLeaf: string | null): Promise<PendingAnswer> {
  const { answer, results } = rest;
  const { id, metadata = {} } = rest.run;
  const begun = startedCalls(metadata);
  const facts = { ...metadata, continues: id };
  const run = await beginExclusiveRun(work.ledger, { threadId: work.threadId, expectedLeaf, metadata: facts });
  const message = withoutTraces(answer);
  const known = new Map(clientCalls(message).flatMap(({ toolCallId }) => entryOf(results, toolCallId)));
  const deltas = disassemble(responseOf(message));
  const acknowledged = [...known.values()].map((value): Delta => ({ kind: "part", payload: { value, role: "tool" } }));
  // In one batch: whoever takes this run over finds all of it, or nothing and begins again.
  await orGiveUp(run, run.append([...deltas, ...acknowledged]));
  return { run, message, facts: {}, begun, known };
}

function entryOf<Value>(map: ReadonlyMap<string, Value>, key: string): [string, Value][] {
  const value = map.get(key);
  return value === undefined ? [] : [[key, value]];
}

/** The message as it was before it was stored as the rest of an interrupted turn. */
function withoutTraces({ role, parts, name, extra, metadata }: StoredMessage): Message {
  const { interrupted: _, runId: __, schemaVersion: ___, ...facts } = metadata;
  const message: Message = { role, parts, metadata: facts };
  if (name !== undefined) message.name = name;
  if (extra !== undefined) message.extra = extra;
  return message;
}

/** The response that a recorded message tells of. */
function responseOf(message: Message): Response {
  const {
    model = "",
    finishReason = { unified: "other" },
    usage,
    response = {},
  } = message.metadata as Metadata & {
    response?: Partial<Response>; // as `recorded` and the ledger describe answers
  };
  const told: Response = { id: "", model, message, finishReason, ...response };
  return usage === undefined ? told : { ...told, usage };
}
