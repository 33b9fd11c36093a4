// A writer process: opens the database, works in its lanes until it is killed, and kills itself where its plan says so.
import { writeSync } from "node:fs";
import { Lane, type LanePlan } from "./lane.ts";
import type { Line, OperationKind } from "./journal.ts";
import { Seeded } from "./seeded.ts";
import { openLate, openOn, openStore, type Target } from "./target.ts";

/** Where a writer ends itself: at the n-th time that a point is passed in a kind of operation. */
export interface KillPoint {
  kind: OperationKind;
  point: string;
  occurrence: number;
}

export interface WorkerPlan {
  target: Target;
  /** Which of the campaign's workers; part of the names of its operations. */
  worker: number;
  seed: number;
  lanes: LanePlan[];
  /** Whether other writers' runs may be ended: where there are none. */
  alone: boolean;
  kill?: KillPoint;
  /** Ends in peace after so many steps of each lane. */
  steps?: number;
}

// Written by the campaign.
const plan = JSON.parse(process.argv[2] ?? "") as WorkerPlan;
const seen = new Map<string, number>();
let current: OperationKind | undefined = "open";

function say(line: Line): void {
  // Straight into the pipe: what was said before a kill arrives.
  writeSync(1, `${JSON.stringify(line)}\n`);
}

function trace(point: string): void {
  if (current === undefined) return;
  const name = `${current} ${point}`;
  const times = (seen.get(name) ?? 0) + 1;
  seen.set(name, times);
  const { kill } = plan;
  if (kill === undefined || kill.kind !== current || kill.point !== point || kill.occurrence !== times) return;
  say({ at: "kill", kind: current, point });
  process.kill(process.pid, "SIGKILL");
}

const store = await openStore(plan.target, trace);
const ledger = openOn(store);
current = undefined;
const random = new Seeded(plan.seed);
let names = 0;
const lanes = plan.lanes.map(
  (lane, number) =>
    new Lane(number, lane, {
      ledger,
      late: plan.alone ? openLate(store) : undefined,
      random: new Seeded(random.seed()),
      say,
      nextName: () => `w${plan.worker}.${names++}`,
      enter: (kind) => (current = kind),
    }),
);
say({ at: "ready" });
await Promise.all(
  lanes.map(async (lane) => {
    await lane.begin();
    for (let step = 0; step !== plan.steps; step++) await lane.step();
  }),
);
const points = [...seen].map(([name, times]): [OperationKind, string, number] => {
  const space = name.indexOf(" ");
  // Named above, from a kind and a point.
  return [name.slice(0, space) as OperationKind, name.slice(space + 1), times];
});
say({ at: "survey", points });
await ledger.close();
say({ at: "end" });
