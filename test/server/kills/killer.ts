// Ends instances in every way, one after the other, and restarts them.
import { setTimeout as pause } from "node:timers/promises";
import type { SeededRandom } from "../../ledger/crash/campaign/seeded-random.ts";
import type { Instance } from "./instance.ts";

export type Way = "kill" | "kill all" | "freeze" | "freeze and kill" | "end";

export interface KillerOptions {
  instances: readonly [Instance, ...Instance[]];
  random: SeededRandom;
  leaseMs: number;
  /** The pause between two kills: minimum, and random addition. */
  pauseMs: readonly [least: number, more: number];
  /** The actions, in order. */
  plan: readonly Way[];
  onDone: (way: Way) => void;
}

const LONGEST_DEATH_MS = 700;

const WEIGHTS: readonly (readonly [Way, alone: number, among: number])[] = [
  ["kill", 6, 6],
  ["kill all", 0, 1],
  // A single instance has no other that could take over.
  ["freeze", 0.5, 2],
  ["freeze and kill", 0, 1],
  ["end", 2, 2],
];

/** Plans a number of kills for a number of instances. */
export function planOf(random: SeededRandom, ends: number, instances: number): Way[] {
  const weights = WEIGHTS.map(([way, alone, among]) => [way, instances === 1 ? alone : among] as const);
  return Array.from({ length: ends }, () => random.weighted(weights) ?? "kill");
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
      // Killed at the moment when it continues.
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
