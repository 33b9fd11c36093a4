// A writer process: opens the database, works in its lanes until it is killed, and kills itself at the point of its
// plan.
import { writeSync } from "node:fs";
import { Lane, type LanePlan } from "./lane.ts";
import type { WriterLogLine, OperationKind } from "./writer-log.ts";
import { SeededRandom } from "../campaign/seeded-random.ts";
import { openAfterLeases, openCampaignLedger, openStore, type Target } from "../campaign/target.ts";

/** The point at which a writer kills itself: at its n-th pass in a kind of operation. */
export interface KillPoint {
  kind: OperationKind;
  point: string;
  occurrence: number;
}

export interface WorkerPlan {
  target: Target;
  /** The number of the worker, which is part of the names of its operations. */
  worker: number;
  seed: number;
  lanes: LanePlan[];
  /** True if there are no other writers, so that their runs may be recovered. */
  alone: boolean;
  kill?: KillPoint;
  /** Ends normally after this many steps of each lane. */
  steps?: number;
}

// Passed by the campaign.
const plan = JSON.parse(process.argv[2] ?? "") as WorkerPlan;
const seen = new Map<string, number>();
let current: OperationKind | undefined = "open";

function writeLogLine(line: WriterLogLine): void {
  // Written synchronously, so that lines before a kill arrive.
  writeSync(1, `${JSON.stringify(line)}\n`);
}

function trace(point: string): void {
  if (current === undefined) return;
  const name = `${current} ${point}`;
  const times = (seen.get(name) ?? 0) + 1;
  seen.set(name, times);
  const { kill } = plan;
  if (kill === undefined || kill.kind !== current || kill.point !== point || kill.occurrence !== times) return;
  writeLogLine({ at: "kill", kind: current, point });
  process.kill(process.pid, "SIGKILL");
}

const store = await openStore(plan.target, trace);
const ledger = openCampaignLedger(store);
current = undefined;
const random = new SeededRandom(plan.seed);
let names = 0;
const lanes = plan.lanes.map(
  (lane, number) =>
    new Lane(number, lane, {
      ledger,
      late: plan.alone ? openAfterLeases(store) : undefined,
      random: new SeededRandom(random.seed()),
      log: writeLogLine,
      nextName: () => `w${plan.worker}.${names++}`,
      enter: (kind) => (current = kind),
    }),
);
writeLogLine({ at: "ready" });
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
writeLogLine({ at: "survey", points });
await ledger.close();
writeLogLine({ at: "end" });
