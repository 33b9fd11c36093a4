// A campaign of kills against agents: first stories without kills, to find the points that they pass; then stories whose
// agents are killed at those points and at random moments, until there were enough kills.
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../../ledger/crash/campaign/databases.ts";
import { SeededRandom } from "../../ledger/crash/campaign/seeded-random.ts";
import { Findings, type Invariant, INVARIANTS } from "./findings.ts";
import type { Programs } from "./programs.ts";
import { type Death, type Lived, live } from "./run-story.ts";
import type { StoryName } from "./scripted-story.ts";

/** A point in an agent's execution, "phase/point", and a story that reaches it. */
export interface Point {
  story: StoryName;
  point: string;
  /** The number of parallel calls of that story; by default random. */
  maxParallel?: number;
}

export interface CampaignOptions {
  programs: Programs;
  /** The folder of the effect logs. */
  folder: string;
  /** Creates an unused database, and returns a function that removes it. */
  fresh: () => Promise<Database>;
  /** The minimum number of kills; more if there are more points. */
  kills: number;
  seed: number;
  /** The number of parallel stories. */
  parallel: number;
  stories: readonly [StoryName, ...StoryName[]];
  /** The points to die at. Default: all points that a survey finds. */
  points?: readonly Point[];
  progress?: (line: string) => void;
}

/** The maximum number of kills in one story. */
const MOST_LIVES = 6;
/** The maximum time from an agent's first work to its kill. */
const LATEST_MS = 400;
/** The maximum number of attempts to reach a point; some points need calls that wait for each other. */
const TRIES = 5;
/** Numbers of parallel calls: one, some, all. */
const PARALLEL = [1, 2, 8] as const;
/** Points after which the next process has much to resume. */
const IN_THE_MIDDLE = "tools/tool has begun";

export class Report {
  readonly findings = new Findings();
  kills = 0;
  stories = 0;
  /** Kills that left a partly started round. */
  mixed = 0;
  /** The points, and the number of kills at each. */
  readonly points = new Map<string, number>();
  readonly #started = performance.now();

  count(deaths: readonly Death[], lived: readonly Lived[]): void {
    this.stories++;
    for (const [index, { ending, isMixed }] of lived.entries()) {
      if (isMixed) this.mixed++;
      if (ending !== "completion") this.kills++;
      const death = deaths[index];
      if (ending === "point" && death?.by === "point") {
        this.points.set(death.at.point, (this.points.get(death.at.point) ?? 0) + 1);
      }
    }
  }

  get missed(): string[] {
    return [...this.points].flatMap(([point, times]) => (times === 0 ? [point] : []));
  }

  /** Invariants that the campaign never checked. */
  get gaps(): string[] {
    const unchecked = (Object.keys(INVARIANTS) as Invariant[]).filter((name) => !this.findings.checked.has(name));
    return [
      ...this.missed.map((point) => `No story reached ${point}.`),
      ...unchecked.map((name) => `No check of "${name}".`),
      ...(this.mixed === 0 ? ["No kill left a round of which only a part was started."] : []),
    ];
  }

  get line(): string {
    const seconds = Math.round((performance.now() - this.#started) / 1000);
    const hit = this.points.size - this.missed.length;
    const checks = [...this.findings.checked.values()].reduce((sum, times) => sum + times, 0);
    return [
      `${this.kills} kills in ${this.stories} stories (${this.mixed} in a round half started), ${hit} of ${this.points.size} points`,
      `${checks} checks, ${this.findings.violations.length} violations, ${seconds} s`,
    ].join("; ");
  }

  get text(): string {
    const points = [...this.points].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const lines = points.map(([point, times]) => `  ${String(times).padStart(9)}  ${point}`);
    return ["Kills by point:", ...lines, ...this.gaps, this.findings.text, this.line].join("\n");
  }
}

export async function campaign(options: CampaignOptions): Promise<Report> {
  const run = new Run(options);
  const points = options.points ?? (await run.survey());
  for (const { point } of points) run.report.points.set(point, 0);
  run.waiting.push(...points.map((point) => ({ ...point, sent: 0 })));
  await Promise.all(Array.from({ length: options.parallel }, () => run.work()));
  return run.report;
}

class Run {
  readonly report = new Report();
  /** Points without a kill, and the attempts to reach them. */
  readonly waiting: (Point & { sent: number })[] = [];
  readonly #options: CampaignOptions;
  readonly #random: SeededRandom;
  #begun = 0;

  constructor(options: CampaignOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
  }

  /** Surveys the points of a story without kills, and of a resumed one. Opening a database belongs to the ledger's campaign. */
  async survey(): Promise<Point[]> {
    const points = new Map<string, Point>();
    for (const story of this.#options.stories) {
      const died: Death = { by: "point", at: { point: IN_THE_MIDDLE, occurrence: 1 } };
      for (const deaths of [[], [died]]) {
        const lived = await this.#runStory(story, deaths);
        for (const point of lived.flatMap((life) => life.points)) {
          if (!point.startsWith("open/") && !points.has(point)) points.set(point, { story, point });
        }
      }
    }
    return [...points.values()];
  }

  /** Runs stories one after the other. */
  async work(): Promise<void> {
    const { report, waiting } = this;
    const options = this.#options;
    const random = this.#random;
    const isFailed = (): boolean => report.findings.violations.length > 0;
    while (!isFailed() && (report.kills < options.kills || waiting.length > 0)) {
      const lives = 1 + random.below(MOST_LIVES);
      const [next] = waiting.splice(random.below(waiting.length), 1);
      // Most points are passed by every story.
      const story = next !== undefined && next.sent > 0 ? next.story : random.pick(options.stories);
      const deaths = next === undefined ? [] : this.#deathsAt(next.point);
      while (deaths.length < lives) deaths.push(this.#death());
      const lived = await this.#runStory(story, deaths, next?.maxParallel);
      const isHit = next === undefined || (report.points.get(next.point) ?? 0) > 0;
      // A point that is hard to reach must not block the campaign: the report lists it as missed.
      if (!isHit && next.sent + 1 < TRIES) waiting.push({ ...next, sent: next.sent + 1 });
      options.progress?.(`${report.line}; the last story had ${lived.length} lives`);
    }
  }

  /** Points of resuming need an earlier kill. */
  #deathsAt(point: string): Death[] {
    const middle: Death = { by: "point", at: { point: IN_THE_MIDDLE, occurrence: 1 } };
    const there: Death = { by: "point", at: { point, occurrence: 1 } };
    return point.startsWith("resume/") ? [middle, there] : [there];
  }

  #death(): Death {
    const { report } = this;
    const random = this.#random;
    const point = random.chance(0.5) ? random.pick([...report.points.keys()]) : undefined;
    if (point !== undefined) return { by: "point", at: { point, occurrence: 1 + random.below(3) } };
    return { by: "time", ms: random.below(LATEST_MS) };
  }

  async #runStory(
    story: StoryName,
    deaths: readonly Death[],
    maxParallel: number = this.#random.pick(PARALLEL),
  ): Promise<Lived[]> {
    const { report } = this;
    const options = this.#options;
    const name = `${story} ${this.#begun++}`;
    const database = await options.fresh();
    // Campaigns may share a folder.
    const record = join(options.folder, `${name.replace(" ", "-")}-${randomUUID()}.jsonl`);
    const { programs } = options;
    const site = { name, programs, database, record, story, findings: report.findings, maxParallel };
    const lived = await live(site, (life) => deaths[life] ?? { by: "completion" });
    report.count(deaths, lived);
    // A database with a violation is not deleted, so that it can be inspected.
    if (report.findings.violations.length > 0) return lived;
    await database.remove();
    rmSync(record, { force: true });
    return lived;
  }
}
