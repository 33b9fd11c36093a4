// Checks the rows of one thread against its model: messages, leaf and idempotency keys. Runs are checked in
// check-runs.ts.
import { sameJson } from "../../../../src/model/index.ts";
import type { StoredMessage } from "../../../../src/model/index.ts";
import { findEffects, addRuns, type ThreadCheck } from "./effects.ts";
import type { MessageDatabaseRow } from "./database-rows.ts";
import { isOperationKind, readOutcome } from "./writer-history.ts";
import type { ModelMessage } from "./thread-model.ts";
import { replay } from "./replay.ts";
import { checkRuns } from "./check-runs.ts";

export function checkThread(check: ThreadCheck): void {
  addRuns(check);
  replay(check, findEffects(check));
  checkMessages(check);
  checkLeaf(check);
  checkRuns(check);
  checkKeys(check);
}

function checkMessages({ model, facts, findings }: ThreadCheck): void {
  for (const message of model.messages.values()) {
    const fact = facts.messages.get(message.id);
    const there = findings.expect("stored", fact !== undefined, message.id, () => `is lost (${show(message)})`);
    if (!there || fact === undefined) continue;
    checkParent({ model, facts, findings }, message, fact);
    const read = facts.fresh.get(message.id);
    if (message.body !== undefined) {
      findings.expect(
        "stored",
        message.body === fact.body,
        message.id,
        () => `changed from ${message.body} to ${fact.body}`,
      );
      continue;
    }
    message.body = fact.body;
    const same = read !== undefined && sameContent(read, message);
    findings.expect("stored", same, message.id, () => `should be ${show(message)}, is ${JSON.stringify(read)}`);
  }
  for (const fact of facts.messages.values()) {
    findings.expect(
      "expected",
      model.messages.has(fact.id),
      fact.id,
      () => `no writer's: ${JSON.stringify(fact).slice(0, 300)}`,
    );
  }
}

function checkParent(
  { facts, findings }: Pick<ThreadCheck, "model" | "facts" | "findings">,
  message: ModelMessage,
  { id, parentId, runId }: MessageDatabaseRow,
): void {
  const placed = parentId === message.parentId && runId === message.runId;
  findings.expect("stored", placed, id, () => {
    return `follows ${parentId} in run ${runId}, should follow ${message.parentId} in run ${message.runId}`;
  });
  const rooted = parentId === null || (parentId < id && facts.messages.has(parentId));
  findings.expect("tree", rooted, id, () => `its parent ${parentId} is not there, or not older`);
}

function sameContent(read: StoredMessage, { content, interrupted, runId }: ModelMessage): boolean {
  const { role, parts, metadata } = read;
  const marked = (metadata.interrupted === true) === interrupted && (runId === null || metadata.runId === runId);
  return marked && role === content.role && sameJson(parts, content.parts);
}

const show = (message: ModelMessage): string => JSON.stringify(message).slice(0, 300);

function checkLeaf({ model, facts, findings }: ThreadCheck): void {
  if (facts.thread === undefined) return;
  const newest = [...facts.messages.keys()].reduce<string | null>((a, b) => (a === null || b > a ? b : a), null);
  const leaf = facts.thread.pinned ? facts.thread.leafId : newest;
  findings.expect("tree", leaf === null || facts.messages.has(leaf), model.id, () => `its leaf ${leaf} is not there`);
  findings.expect(
    "leaf",
    model.leaves.has(leaf),
    model.id,
    () => `is ${leaf}, should be ${[...model.leaves].join(" or ")}`,
  );
  model.leaves = new Set([leaf]);
}

/** A key exists exactly if its operation took place, and contains the ids of its rows. */
function checkKeys({ model, attempts, facts, findings }: ThreadCheck): void {
  for (const attempt of attempts) {
    if (!isOperationKind(attempt, "append", "begin") || attempt.what.key === undefined) continue;
    const { name, what } = attempt;
    const wrote = isOperationKind(attempt, "append")
      ? model.written.get(name)?.map(([id]) => id)
      : [model.begun.get(name)].filter((id) => id !== undefined);
    const result = facts.keys.get(attempt.what.key)?.result;
    const names =
      wrote === undefined || wrote.length === 0 ? result === undefined : wrote.every((id) => result?.includes(id));
    findings.expect("keys", names, name, () => {
      return `the key ${what.key} has ${result} of ${readOutcome(attempt)} ${JSON.stringify(wrote)}`;
    });
  }
}
