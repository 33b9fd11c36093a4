// A campaign of kills against agents: first stories that are left in peace, to find the points that they pass; then
// stories whose agents are killed, at those points and at any moment, until there were enough kills.
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../../ledger/crash/campaign/databases.ts";
import { SeededRandom } from "../../ledger/crash/campaign/seeded-random.ts";
import { Findings, type Invariant, INVARIANTS } from "./findings.ts";
import type { Programs } from "./programs.ts";
import { type Death, type Lived, live } from "./run-story.ts";
import type { StoryName } from "./scripted-story.ts";

/** A place in an agent's life, "phase/point", and a story that leads there. */
export interface Point {
  story: StoryName;
  point: string;
  /** How many calls that story runs at the same time; else it is drawn. */
  maxParallel?: number;
}

export interface CampaignOptions {
  programs: Programs;
  /** For the files of effects. */
  folder: string;
  /** A database that nobody has used, and what removes it. */
  fresh: () => Promise<Database>;
  /** At least so many; more where there are more points. */
  kills: number;
  seed: number;
  /** Stories at the same time. */
  parallel: number;
  stories: readonly [StoryName, ...StoryName[]];
  /** Points to die at; undefined: all that a survey finds. */
  points?: readonly Point[];
  progress?: (line: string) => void;
}

/** How often an agent is killed in one story, at most. */
const MOST_LIVES = 6;
/** How long after it began to work an agent is killed, at most. */
const LATEST_MS = 400;
/** How often somebody is sent to a point; some are passed only where calls wait for each other. */
const TRIES = 5;
/** How many calls run at the same time: one, some, all. */
const PARALLEL = [1, 2, 8] as const;
/** Where a life ends so that the next one has much to resume. */
const IN_THE_MIDDLE = "tools/tool has begun";

export class Report {
  readonly findings = new Findings();
  kills = 0;
  stories = 0;
  /** Kills that left a round of which only a part was started. */
  mixed = 0;
  /** Points that there are, and how often an agent died there. */
  readonly points = new Map<string, number>();
  readonly #started = performance.now();

  count(deaths: readonly Death[], lived: readonly Lived[]): void {
    this.stories++;
    for (const [index, { ending, isMixed }] of lived.entries()) {
      if (isMixed) this.mixed++;
      if (ending !== "peace") this.kills++;
      const death = deaths[index];
      if (ending === "point" && death?.by === "point") {
        this.points.set(death.at.point, (this.points.get(death.at.point) ?? 0) + 1);
      }
    }
  }

  get missed(): string[] {
    return [...this.points].flatMap(([point, times]) => (times === 0 ? [point] : []));
  }

  /** What the campaign says nothing about, though nothing was violated. */
  get gaps(): string[] {
    // The keys of INVARIANTS.
    const unchecked = (Object.keys(INVARIANTS) as Invariant[]).filter((name) => !this.findings.checked.has(name));
    return [
      ...this.missed.map((point) => `Nobody came to ${point}.`),
      ...unchecked.map((name) => `Nobody checked "${name}".`),
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
  /** Points where nobody has died yet, and how often somebody was sent there. */
  readonly waiting: (Point & { sent: number })[] = [];
  readonly #options: CampaignOptions;
  readonly #random: SeededRandom;
  #begun = 0;

  constructor(options: CampaignOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
  }

  /** The points of a story that is left in peace, and of one that is gone on with. Opening a database is the ledger's campaign. */
  async survey(): Promise<Point[]> {
    const points = new Map<string, Point>();
    for (const story of this.#options.stories) {
      const died: Death = { by: "point", at: { point: IN_THE_MIDDLE, occurrence: 1 } };
      for (const deaths of [[], [died]]) {
        const lived = await this.#tell(story, deaths);
        for (const point of lived.flatMap((life) => life.points)) {
          if (!point.startsWith("open/") && !points.has(point)) points.set(point, { story, point });
        }
      }
    }
    return [...points.values()];
  }

  /** Stories one after the other. */
  async work(): Promise<void> {
    const { report, waiting } = this;
    const options = this.#options;
    const random = this.#random;
    const isFailed = (): boolean => report.findings.violations.length > 0;
    while (!isFailed() && (report.kills < options.kills || waiting.length > 0)) {
      const lives = 1 + random.below(MOST_LIVES);
      const [next] = waiting.splice(random.below(waiting.length), 1);
      // Most points are on the way of every story.
      const story = next !== undefined && next.sent > 0 ? next.story : random.pick(options.stories);
      const deaths = next === undefined ? [] : this.#deathsAt(next.point);
      while (deaths.length < lives) deaths.push(this.#death());
      const lived = await this.#tell(story, deaths, next?.maxParallel);
      const isHit = next === undefined || (report.points.get(next.point) ?? 0) > 0;
      // A point that is hard to come to must not hold up the campaign: the report says that it was missed.
      if (!isHit && next.sent + 1 < TRIES) waiting.push({ ...next, sent: next.sent + 1 });
      options.progress?.(`${report.line}; the last story had ${lived.length} lives`);
    }
  }

  /** What is passed only when a story is gone on with needs somebody to leave one. */
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

  async #tell(
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
    const lived = await live(site, (life) => deaths[life] ?? { by: "peace" });
    report.count(deaths, lived);
    // A database that shows a violation stays for whoever wants to see it.
    if (report.findings.violations.length > 0) return lived;
    await database.remove();
    rmSync(record, { force: true });
    return lived;
  }
}
