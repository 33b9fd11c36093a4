// Ends instances in every way that there is, one after the other, and starts them again.
import { setTimeout as pause } from "node:timers/promises";
import type { Seeded } from "../../ledger/crash/seeded.ts";
import type { Instance } from "./instance.ts";

export const WAYS = ["kill", "kill all", "freeze", "freeze and kill", "end"] as const;
export type Way = (typeof WAYS)[number];

export interface KillerOptions {
  instances: readonly [Instance, ...Instance[]];
  random: Seeded;
  leaseMs: number;
  /** Between two of them: at least, and so much more at most. */
  pauseMs: readonly [least: number, more: number];
  /** What is done, in this order. */
  plan: readonly Way[];
  onDone: (way: Way) => void;
}

const LONGEST_DEATH_MS = 700;

/** A plan of so many ends; each way is in it where there are enough. */
export function planOf(random: Seeded, ends: number, instances: number): Way[] {
  const weights: [Way, number][] = [
    ["kill", 6],
    ["kill all", 1],
    // Alone, it has nobody who would take over meanwhile.
    ["freeze", instances > 1 ? 2 : 0.5],
    ["freeze and kill", instances > 1 ? 1 : 0],
    ["end", 2],
  ];
  const plan: Way[] = weights.flatMap(([way, weight]) => (weight > 0 ? way : [])).slice(0, ends);
  while (plan.length < ends) plan.push(random.weighted(weights) ?? "kill");
  return plan
    .map((way) => ({ way, place: random.next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ way }) => way);
}

export async function killAlong({ instances, random, leaseMs, pauseMs, plan, onDone }: KillerOptions): Promise<void> {
  const [least, more] = pauseMs;
  for (const way of plan) {
    await pause(least + random.below(more));
    const one = random.pick(instances);
    const late = leaseMs * (1.2 + random.next());
    if (way === "kill" || way === "kill all") {
      const all = way === "kill" ? [one] : instances;
      await Promise.all(all.map((each) => each.kill()));
    } else if (way === "end") await one.end();
    else if (way === "freeze") await one.freeze(late);
    else {
      // It is killed in the moment in which it moves again.
      await one.freeze(late);
      await pause(random.below(20));
      await one.kill();
    }
    onDone(way);
    if (way === "freeze") continue;
    await pause(random.below(LONGEST_DEATH_MS));
    await Promise.all((way === "kill all" ? instances : [one]).map((each) => each.start()));
  }
}
