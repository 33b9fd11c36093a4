// A campaign of kills against one engine: first a look at every point that operations pass through, then rounds on several
// databases side by side until there were enough kills and each point had its own.
import type { Database } from "./databases.ts";
import { Findings } from "./invariants.ts";
import type { Line } from "./journal.ts";
import { type Point, Report } from "./report.ts";
import { Seeded } from "./seeded.ts";
import { type Death, type Layout, Site } from "./site.ts";
import type { Target } from "./target.ts";

export interface CampaignOptions {
  /** The writers' program. */
  program: string;
  /** A database that nobody has used, and what removes it. */
  fresh: () => Promise<Database>;
  kills: number;
  seed: number;
  /** Databases at the same time. */
  parallel: number;
  /** Kills that one database lives through. */
  perDatabase: number;
  /** Points to die at; undefined: all that a survey finds. */
  points?: readonly Point[];
  progress?: (line: string) => void;
}

const LAYOUTS: readonly [Layout, ...Layout[]] = [
  { writers: 1, lanes: 1, threads: "many" },
  { writers: 2, lanes: 1, threads: "many" },
  { writers: 1, lanes: 3, threads: "many" },
  { writers: 4, lanes: 1, threads: "one" },
  { writers: 1, lanes: 1, threads: "one" },
  { writers: 4, lanes: 2, threads: "many" },
  { writers: 2, lanes: 2, threads: "one" },
];
/** How far into its work a writer is killed, at most. */
const LATEST_MS = 350;
/** Kills beyond those that were asked for, for the sake of points that are hard to reach. */
const MOST_MORE = 400;
const SURVEY_STEPS = 400;

export async function campaign(options: CampaignOptions): Promise<Report> {
  const report = new Report(new Findings());
  const random = new Seeded(options.seed);
  const points = options.points ?? (await survey(options, report, random));
  for (const point of points) report.saw(point);
  const run = new Run(options, report, random, points);
  await Promise.all(Array.from({ length: options.parallel }, () => run.work()));
  return report;
}

/** A writer that is left in peace passes through everything and tells. */
async function survey(options: CampaignOptions, report: Report, random: Seeded): Promise<Point[]> {
  const points: Point[] = [];
  const hear = (line: Line): void => {
    if (line.at === "survey") points.push(...line.points.map(([kind, point]) => ({ kind, point })));
  };
  const { target, remove } = await options.fresh();
  const site = new Site({
    program: options.program,
    target,
    layout: LAYOUTS[0],
    findings: report.findings,
    random,
    hear,
  });
  await site.round([{ by: "peace", steps: SURVEY_STEPS }]);
  report.attempts += site.history.attempts.length;
  report.databases++;
  report.rounds++;
  if (report.findings.violations.length === 0) await remove();
  return points;
}

class Run {
  private readonly options: CampaignOptions;
  private readonly report: Report;
  private readonly random: Seeded;
  /** Points that nobody was sent to yet; "open" ones need a fresh database. */
  private readonly waiting: Point[];
  private readonly opening: Point[];
  private layouts = 0;

  constructor(options: CampaignOptions, report: Report, random: Seeded, points: readonly Point[]) {
    this.options = options;
    this.report = report;
    this.random = random;
    const shuffled = points.map((point) => ({ point, place: random.next() })).sort((a, b) => a.place - b.place);
    this.waiting = shuffled.flatMap(({ point }) => (point.kind === "open" ? [] : [point]));
    this.opening = shuffled.flatMap(({ point }) => (point.kind === "open" ? [point] : []));
  }

  /** After enough kills, once every point had one; a point that is never reached does not hold it up for ever. */
  private get isOver(): boolean {
    const { kills, findings, missed } = this.report;
    if (findings.violations.length > 0) return true;
    return kills >= this.options.kills && (missed.length === 0 || kills >= this.options.kills + MOST_MORE);
  }

  /** Databases one after the other. */
  async work(): Promise<void> {
    while (!this.isOver) {
      // The list is not empty.
      const layout = LAYOUTS[this.layouts++ % LAYOUTS.length] ?? LAYOUTS[0];
      const { target, remove } = await this.options.fresh();
      this.report.databases++;
      await this.attack(target, layout);
      // A database that shows a violation stays for whoever wants to see it.
      if (this.report.findings.violations.length === 0) await remove();
    }
  }

  private async attack(target: Target, layout: Layout): Promise<void> {
    const { report, options } = this;
    const site = new Site({ program: options.program, target, layout, findings: report.findings, random: this.random });
    const opening = this.opening.pop();
    if (opening !== undefined) await this.round(site, [{ by: "point", at: { ...opening, occurrence: 1 } }]);
    const enough = report.kills + options.perDatabase;
    while (!this.isOver && report.kills < enough) {
      const deaths = Array.from({ length: layout.writers }, () => this.death(site));
      await this.round(site, deaths);
    }
    report.attempts += site.history.attempts.length;
  }

  private async round(site: Site, deaths: readonly Death[]): Promise<void> {
    const { report } = this;
    const endings = await site.round(deaths);
    for (const [slot, death] of deaths.entries()) {
      if (endings[slot] !== "peace") report.kills++;
      if (death.by !== "point") continue;
      if (endings[slot] === "point") report.killedAt(death.at);
      // It did not come there: somebody else is sent.
      else (death.at.kind === "open" ? this.opening : this.waiting).unshift(death.at);
    }
    report.rounds++;
    this.options.progress?.(report.line);
  }

  private death(site: Site): Death {
    const { random } = this;
    if (site.layout.lanes === 1 && random.chance(site.alone ? 0.9 : 0.6)) {
      const at = this.waiting.findLastIndex(({ kind }) => site.alone || kind !== "recover");
      const [point] = at < 0 ? [] : this.waiting.splice(at, 1);
      if (point !== undefined) return { by: "point", at: { ...point, occurrence: 1 + random.below(2) } };
    }
    if (random.chance(0.05)) return { by: "time", after: "start", ms: random.below(300) };
    return { by: "time", after: "ready", ms: random.below(LATEST_MS) };
  }
}
