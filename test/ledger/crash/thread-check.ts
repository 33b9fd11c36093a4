// Holds the facts of one thread against its model: messages, leaf and keys. Runs have their own file.
import { sameJson } from "../../../src/model/index.ts";
import type { StoredMessage } from "../../../src/model/index.ts";
import { effectsOf, takeRuns, type ThreadCheck } from "./effects.ts";
import type { MessageFact } from "./facts.ts";
import { isKind, outcomeOf } from "./history.ts";
import type { ModelMessage } from "./model.ts";
import { replay } from "./replay.ts";
import { checkRuns } from "./run-check.ts";

export function checkThread(check: ThreadCheck): void {
  takeRuns(check);
  replay(check, effectsOf(check));
  checkMessages(check);
  checkLeaf(check);
  checkRuns(check);
  checkKeys(check);
}

function checkMessages({ model, facts, findings }: ThreadCheck): void {
  for (const message of model.messages.values()) {
    const fact = facts.messages.get(message.id);
    const there = findings.expect("kept", fact !== undefined, message.id, () => `is lost (${show(message)})`);
    if (!there || fact === undefined) continue;
    checkPlace({ model, facts, findings }, message, fact);
    const read = facts.fresh.get(message.id);
    if (message.body !== undefined) {
      findings.expect(
        "kept",
        message.body === fact.body,
        message.id,
        () => `changed from ${message.body} to ${fact.body}`,
      );
      continue;
    }
    message.body = fact.body;
    const same = read !== undefined && sameContent(read, message);
    findings.expect("kept", same, message.id, () => `should be ${show(message)}, is ${JSON.stringify(read)}`);
  }
  for (const fact of facts.messages.values()) {
    findings.expect(
      "meant",
      model.messages.has(fact.id),
      fact.id,
      () => `nobody's: ${JSON.stringify(fact).slice(0, 300)}`,
    );
  }
}

function checkPlace(
  { facts, findings }: Pick<ThreadCheck, "model" | "facts" | "findings">,
  message: ModelMessage,
  { id, parentId, runId }: MessageFact,
): void {
  const placed = parentId === message.parentId && runId === message.runId;
  findings.expect("kept", placed, id, () => {
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

/** A key is there exactly where its operation is, and names what that wrote. */
function checkKeys({ model, attempts, facts, findings }: ThreadCheck): void {
  for (const attempt of attempts) {
    if (!isKind(attempt, "append", "begin") || attempt.what.key === undefined) continue;
    const { name, what } = attempt;
    const wrote = isKind(attempt, "append")
      ? model.written.get(name)?.map(([id]) => id)
      : [model.begun.get(name)].filter((id) => id !== undefined);
    const result = facts.keys.get(attempt.what.key)?.result;
    const names =
      wrote === undefined || wrote.length === 0 ? result === undefined : wrote.every((id) => result?.includes(id));
    findings.expect("keys", names, name, () => {
      return `the key ${what.key} says ${result} of ${outcomeOf(attempt)} ${JSON.stringify(wrote)}`;
    });
  }
}
