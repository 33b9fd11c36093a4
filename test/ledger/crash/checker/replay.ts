// Replays the effects of a thread's operations on its model, and checks every parent, leaf and superseded run.
import type { Effect, ThreadCheck } from "./effects.ts";
import { readThreadKind, type WrittenMessage } from "../writer/writer-log.ts";

export function replay(check: ThreadCheck, effects: readonly Effect[]): void {
  for (const effect of effects) {
    if ("written" in effect) checkWritten(check, effect);
    if (effect.kind === "append") replayAppend(check, effect);
    else if (effect.kind === "commit") replayCommit(check, effect);
    else if (effect.kind === "partial") replayPartial(check, effect);
    else if (effect.kind === "purge") replayPurge(check, effect);
    else replayLeaf(check, effect);
  }
}

type Of<Kind extends Effect["kind"]> = Extract<Effect, { kind: Kind }>;

/** Checks that all intended messages were written, each following the previous one. */
function checkWritten({ model, findings }: ThreadCheck, effect: Of<"append" | "commit" | "partial">): void {
  const { written, content, attempt } = effect;
  const where = "run" in effect ? effect.run.name : effect.attempt.name;
  findings.expect("whole", written.length === content.length, where, () => {
    return `${written.length} of its ${content.length} messages are there (${effect.kind})`;
  });
  // A run that another ledger ended has no defined position among the writer's operations.
  const inOrder = attempt !== undefined && attempt.what.kind !== "recover";
  const given = model.give(
    written.map(([id]) => id),
    inOrder,
  );
  findings.expect("once", given, where, () => `its ids were given before: ${JSON.stringify(written)}`);
  const chained = written.every(([id, parent], at) => at === 0 || (parent === written[at - 1]?.[0] && id > parent));
  findings.expect("order", chained, where, () => `its messages do not follow each other: ${JSON.stringify(written)}`);
}

function replayAppend({ model, findings }: ThreadCheck, { attempt, written, content }: Of<"append">): void {
  const { parent, expectedLeaf } = attempt.what;
  follows({ model, findings }, attempt.name, written, parent);
  if (expectedLeaf !== undefined) {
    findings.expect("order", model.leaves.has(expectedLeaf), attempt.name, () => {
      return `took place although the leaf was not ${expectedLeaf} but ${show(model.leaves)}`;
    });
  }
  model.add(written, content, null, false);
  model.leaves = new Set([written.at(-1)?.[0] ?? null]);
}

function replayCommit({ model, findings }: ThreadCheck, { attempt, run, written, content }: Of<"commit">): void {
  const { name } = run;
  follows({ model, findings }, name, written, run.fork);
  const before = model.leaf === undefined ? (written[0]?.[1] ?? null) : model.leaf;
  model.add(written, content, run.id, false);
  run.state = "committed";
  const last = written.at(-1)?.[0];
  const superseded = run.mode === "branch" || last === undefined ? [] : model.replace(before, last);
  const reported = attempt.result?.superseded;
  findings.expect("superseded", reported === undefined || sameSet(reported, superseded), name, () => {
    return `reported that it superseded ${JSON.stringify(reported)}, should have ${JSON.stringify(superseded)}`;
  });
}

/** The active leaf does not move. If another ledger ended the run, the leaf at that moment may be unknown. */
function replayPartial({ model, findings }: ThreadCheck, { attempt, run, written, content }: Of<"partial">): void {
  const isElsewhere = attempt === undefined || attempt.what.kind === "recover";
  if (!isElsewhere || readThreadKind(model.id) !== "own" || run.fork !== undefined) {
    follows({ model, findings }, run.name, written, run.fork);
  }
  model.add(written, content, run.id, true);
  run.state = attempt?.what.kind === "cancel" ? "cancelled" : "failed";
}

function replayPurge({ model, facts, findings }: ThreadCheck, { attempt, certain }: Of<"purge">): void {
  const leaf = model.leaf === undefined ? null : model.leaf;
  const replaced = model.replaced(leaf);
  const existing = replaced.messageIds.filter((id) => model.isOnPath(leaf, id));
  findings.expect(
    "stored",
    existing.length === 0,
    attempt.name,
    () => `purges what is active or committed: ${existing.join()}`,
  );
  const reported = attempt.result?.deleted;
  const counts = [replaced.messageIds.length, replaced.runIds.length];
  findings.expect(
    "whole",
    reported === undefined || sameList([reported.messages, reported.runs], counts),
    attempt.name,
    () => {
      return `purged ${reported?.messages} messages and ${reported?.runs} runs, should have ${counts.join(" and ")}`;
    },
  );
  // Without a response, the purge took place if any of its messages is gone; the comparison then finds the rest.
  if (certain || replaced.messageIds.some((id) => !facts.messages.has(id))) model.purge(replaced);
}

function replayLeaf({ model, findings }: ThreadCheck, effect: Of<"select" | "observe">): void {
  if (effect.kind === "select") {
    const { messageId } = effect.attempt.what;
    model.leaves = new Set(effect.certain ? [messageId] : [...model.leaves, messageId]);
    return;
  }
  findings.expect("leaf", model.leaves.has(effect.leaf), effect.attempt.name, () => {
    return `a reader saw ${effect.leaf}, should be ${show(model.leaves)}`;
  });
  model.leaves = new Set([effect.leaf]);
}

/** Checks that the first message follows the named parent or the active leaf. */
function follows(
  { model, findings }: Pick<ThreadCheck, "model" | "findings">,
  where: string,
  written: readonly WrittenMessage[],
  named: string | null | undefined,
): void {
  const [first] = written;
  if (first === undefined) return;
  const allowed = named === undefined ? model.leaves : new Set([named]);
  findings.expect("order", allowed.has(first[1]), where, () => `follows ${first[1]}, should follow ${show(allowed)}`);
}

const show = (leaves: ReadonlySet<string | null>): string => [...leaves].join(" or ");

function sameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}

/** True if both lists contain the same, in any order. */
function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return sameList(a.toSorted(), b.toSorted());
}
