// Chooses the next operation of a lane: by weights, among those that are possible now.
import { createDrafts, isCommittable } from "./content.ts";
import type { Lane } from "./lane.ts";
import type { Operation, OperationKind } from "./writer-log.ts";
import type { LiveLaneRun, ThreadView } from "./lane-view.ts";

/** An operation with its name. */
export interface ChosenOperation {
  name: string;
  what: Operation;
}

type Roles = readonly ("user" | "assistant")[];

/** The operations that each kind needs before it, so that a lane with a focus reaches it. */
const NEEDS: Partial<Record<OperationKind, readonly OperationKind[]>> = {
  deltas: ["begin"],
  commit: ["begin", "deltas"],
  fail: ["begin", "deltas"],
  cancel: ["begin", "deltas"],
  recover: ["begin", "deltas"],
  compact: ["begin", "deltas", "commit"],
  purge: ["append", "select"],
  findThread: ["append"],
  misuse: ["append"],
};

const MOST_RUNS = 2;
const ROLES: readonly [Roles, ...Roles[]] = [["user"], ["user", "assistant"], ["user", "assistant"], ["assistant"]];

export function chooseOperation(lane: Lane): ChosenOperation | undefined {
  const { random, nextName } = lane.tools;
  const view = random.pick(lane.views);
  if (view === undefined) return undefined;
  const run = random.pick(view.liveRuns);
  const kind = random.weighted(weigh(lane, view, run));
  const name = nextName();
  const what = kind === undefined ? undefined : createOperation(lane, view, run, kind, name);
  return what === undefined ? undefined : { name, what };
}

function weigh({ plan, tools }: Lane, view: ThreadView, run: LiveLaneRun | undefined): [OperationKind, number][] {
  const own = view.kind === "own";
  const left = run === undefined ? 0 : run.script.length - run.given;
  const whole = run !== undefined && isCommittable(run.script, run.given);
  const weights: [OperationKind, number][] = [
    ["append", 14],
    ["misuse", view.keys.length > 0 ? 0.7 : 0],
    ["begin", view.liveRuns.length < MOST_RUNS ? 6 : 0],
    ["deltas", left > 0 ? 14 : 0],
    ["commit", run === undefined ? 0 : whole ? 10 : 0.7],
    ["fail", run === undefined ? 0 : 1.2],
    ["cancel", run === undefined ? 0 : 1.2],
    ["select", own && view.ids.length > 0 ? 3 : 0],
    ["purge", own && plan.purge ? 1 : 0],
    ["findThread", own ? 1.5 : 0],
    ["blob", 0.7],
    ["recover", tools.late === undefined ? 0.5 : 1],
    ["compact", 1],
  ];
  const { focus } = plan;
  if (focus === undefined) return weights;
  return weights.map(([kind, weight]) => {
    if (kind === focus) return [kind, weight * 40];
    return [kind, NEEDS[focus]?.includes(kind) === true ? weight * 10 : weight];
  });
}

function createOperation(
  lane: Lane,
  view: ThreadView,
  run: LiveLaneRun | undefined,
  kind: OperationKind,
  name: string,
): Operation | undefined {
  const { random } = lane.tools;
  const threadId = view.id;
  const liveRun = run === undefined ? undefined : { threadId, runId: run.run.id };
  if (kind === "append") return chooseAppend(lane, view, name);
  if (kind === "begin") return chooseRun(lane, view, name);
  if (kind === "misuse")
    return { kind, threadId, drafts: createDrafts(random, name, ["user"]), key: random.pick(view.keys) ?? "" };
  if (kind === "select") return { kind, threadId, messageId: random.pick(view.ids) ?? null };
  if (kind === "blob") return { kind, seed: random.seed(), size: random.below(200_000) };
  if (kind === "recover" || kind === "compact") return { kind };
  if (kind === "purge" || kind === "findThread") return { kind, threadId };
  if (run === undefined || liveRun === undefined) return undefined;
  if (kind === "deltas") {
    const to = Math.min(run.given + 1 + random.below(5), run.script.length);
    return { kind, ...liveRun, from: run.given, to };
  }
  if (kind === "commit" && !isCommittable(run.script, run.given)) {
    return { kind, ...liveRun, drafts: createDrafts(random, name, ["assistant"]) };
  }
  return kind === "commit" || kind === "fail" || kind === "cancel" ? { kind, ...liveRun } : undefined;
}

function chooseAppend({ tools }: Lane, view: ThreadView, name: string): Operation {
  const { random } = tools;
  const roles = random.pick(ROLES);
  const what: Extract<Operation, { kind: "append" }> = {
    kind: "append",
    threadId: view.id,
    drafts: createDrafts(random, name, roles),
  };
  const position = random.next();
  if (position < 0.2 && view.kind !== "chain")
    what.parent = random.chance(0.05) ? null : (random.pick(view.ids) ?? null);
  else if (position < 0.45) what.expectedLeaf = view.leaf;
  if (random.chance(0.3)) what.key = name;
  return what;
}

function chooseRun({ tools }: Lane, view: ThreadView, name: string): Operation {
  const { random } = tools;
  const what: Extract<Operation, { kind: "begin" }> = {
    kind: "begin",
    threadId: view.id,
    mode: view.kind !== "chain" && random.chance(0.3) ? "branch" : "replace",
    script: random.seed(),
  };
  if (view.kind !== "chain" && random.chance(0.5))
    what.fork = random.chance(0.05) ? null : (random.pick(view.ids) ?? null);
  if (random.chance(0.3)) what.key = name;
  return what;
}
