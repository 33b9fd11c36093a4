// Runs a campaign of episodes until instances were killed often enough, and reports its figures.
import { SeededRandom } from "../../ledger/crash/campaign/seeded-random.ts";
import { checkEvidence, isPartial } from "./checker.ts";
import type { Evidence } from "./evidence.ts";
import { type EpisodeOptions, type Figures, playEpisode } from "./episode.ts";
import { Findings } from "./findings.ts";
import type { Way } from "./killer.ts";

export interface CampaignOptions extends Omit<EpisodeOptions, "database" | "onEnd" | "plan"> {
  /** Returns an unused database and the function that removes it. */
  fresh: () => Promise<{ url: string; remove: () => Promise<void> }>;
  /** How instances are ended: in total, and per episode. */
  plan: readonly Way[];
  endsPerEpisode: number;
  /**
   * Maximum number of additional episodes while an invariant was never checked, because slow machines do less per
   * episode.
   */
  more?: number;
  progress?: (line: string) => void;
}

export class Report {
  readonly findings = new Findings();
  readonly ways = new Map<string, number>();
  readonly refusals = new Map<string, number>();
  readonly logged = new Map<string, number>();
  /** Figures by name. */
  readonly sums = new Map<string, number>();
  readonly #begun = performance.now();

  get ends(): number {
    return [...this.ways.values()].reduce((sum, times) => sum + times, 0);
  }

  add(evidence: Evidence, figures: Figures): void {
    const { conversations, tasks, threads, effects, readings } = evidence;
    const runs = threads.flatMap((thread) => thread.runs);
    const count = (name: string, times: number): void => void this.sums.set(name, (this.sums.get(name) ?? 0) + times);
    count("episodes", 1);
    count("calls served", figures.calls);
    count("attempts broken off", figures.broken);
    count("conversations", conversations.length);
    count(
      "answers acknowledged",
      conversations.reduce((sum, { turns }) => sum + turns.length, 0),
    );
    count("tasks", tasks.length);
    const orders = tasks.flatMap((task) => task.orders);
    count("orders acknowledged", orders.filter(({ acknowledged }) => acknowledged !== undefined).length);
    count("of them queued", orders.filter(({ acknowledged }) => acknowledged?.queued === true).length);
    count("tools begun", effects.filter(({ phase }) => phase === "begin").length);
    count("questions to the model", figures.callCount);
    count("runs", runs.length);
    count("runs taken over or salvaged", runs.filter(({ epoch }) => epoch > 1).length);
    count("runs recovered, by the log", figures.recovered);
    count(
      "partial answers stored",
      threads.reduce((sum, { tree }) => sum + tree.filter(isPartial).length, 0),
    );
    count("readers", readings.length);
    count(
      "events read",
      readings.reduce((sum, { received }) => sum + received.length, 0),
    );
    count("readers cut off and resumed", figures.resumed);
    count("of them on another instance", figures.moved);
    for (const [sum, more] of [
      [this.ways, figures.ways],
      [this.refusals, figures.refusals],
      [this.logged, figures.logged],
    ] as const) {
      for (const [name, times] of more) sum.set(name, (sum.get(name) ?? 0) + times);
    }
  }

  get line(): string {
    const seconds = Math.round((performance.now() - this.#begun) / 1000);
    const checks = [...this.findings.checked.values()].reduce((sum, times) => sum + times, 0);
    return `${this.ends} ends in ${this.sums.get("episodes") ?? 0} episodes, ${checks} checks, ${this.findings.violations.length} violations, ${seconds} s`;
  }

  get text(): string {
    const list = (title: string, figures: ReadonlyMap<string, number>): string[] => [
      title,
      ...[...figures].map(([name, times]) => `  ${String(times).padStart(9)}  ${name}`),
    ];
    return [
      ...list("Ends of instances:", this.ways),
      ...list("Figures:", this.sums),
      ...list("Attempts refused:", this.refusals),
      ...list("Lines of the servers' logs:", this.logged),
      this.findings.text,
      this.line,
    ].join("\n");
  }
}

/** Ends early after a violation. */
export async function campaign(options: CampaignOptions): Promise<Report> {
  const { fresh, plan, endsPerEpisode, more = 0, progress, ...common } = options;
  const report = new Report();
  const random = new SeededRandom(options.seed);
  let left = more;
  const goesOn = (): boolean => report.ends < plan.length || (report.findings.unchecked.length > 0 && left-- > 0);
  while (report.findings.violations.length === 0 && goesOn()) {
    const rest = plan.slice(report.ends, report.ends + endsPerEpisode);
    const { url: database, remove } = await fresh();
    let done = 0;
    const { evidence, figures } = await playEpisode({
      ...common,
      database,
      seed: random.seed(),
      plan: rest.length > 0 ? rest : plan.slice(0, endsPerEpisode),
      onEnd: (way) => progress?.(`${report.line}; and ${++done} in this episode, the last one: ${way}`),
    });
    report.add(evidence, figures);
    checkEvidence(evidence, report.findings);
    // A database with a violation is not deleted, so that it can be inspected.
    if (report.findings.violations.length === 0) await remove();
  }
  return report;
}
