// A campaign of kills against one engine: first a look at every point that operations pass through, then rounds on several
// databases side by side until there were enough kills and each point had its own.
import type { Database } from "./databases.ts";
import { keepEvidence } from "./evidence.ts";
import { Findings } from "./invariants.ts";
import type { Line, OperationKind } from "./journal.ts";
import { type Point, Report } from "./report.ts";
import { Seeded } from "./seeded.ts";
import { type Death, type Ending, type Layout, Site } from "./site.ts";
import type { Target } from "./target.ts";

export interface CampaignOptions {
  /** The writers' program. */
  program: string;
  /** A database that nobody has used, and what removes it. */
  fresh: () => Promise<Database>;
  /** At least so many; more where there are more points. */
  kills: number;
  seed: number;
  /** Databases at the same time. */
  parallel: number;
  /** Kills that one database lives through. */
  perDatabase: number;
  /** A folder for what the writers of a database said, should it show a violation. */
  evidence?: string;
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
/** What happens to a database only in the beginning. */
const ONCE: ReadonlySet<OperationKind> = new Set(["open", "create"]);
/** How far into its work a writer is killed, at most. */
const LATEST_MS = 350;
/** How often somebody is sent to a point. */
const TRIES = 3;
const SURVEY_STEPS = 400;

export async function campaign(options: CampaignOptions): Promise<Report> {
  const report = new Report(new Findings());
  const random = new Seeded(options.seed);
  const points = options.points ?? (await survey(options, report, random));
  for (const point of points) report.saw(point);
  const run = new Run(options, report, random, points);
  await Promise.all(Array.from({ length: options.parallel }, (_, number) => run.work(number === 0)));
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
  readonly #options: CampaignOptions;
  readonly #report: Report;
  readonly #random: Seeded;
  readonly #points: readonly Point[];
  /** Points where nobody has died yet, and how often somebody was sent there. */
  readonly #waiting: { point: Point; sent: number }[];
  #layouts = 0;

  constructor(options: CampaignOptions, report: Report, random: Seeded, points: readonly Point[]) {
    this.#options = options;
    this.#report = report;
    this.#random = random;
    this.#points = points.filter(({ kind }) => !ONCE.has(kind) && kind !== "recover");
    const shuffled = points.map((point) => ({ point, place: random.next() })).sort((a, b) => a.place - b.place);
    this.#waiting = shuffled.map(({ point }) => ({ point, sent: 0 }));
  }

  get #isEnough(): boolean {
    return this.#report.kills >= this.#options.kills;
  }

  get #isFailed(): boolean {
    return this.#report.findings.violations.length > 0;
  }

  /** Databases one after the other. One worker sees to the points; the others do so too when nothing else is left to do. */
  async work(sweeps: boolean): Promise<void> {
    while (!this.#isFailed && (!this.#isEnough || this.#waiting.length > 0)) {
      const { target, remove } = await this.#options.fresh();
      this.#report.databases++;
      if (this.#waiting.length > 0 && (sweeps || this.#isEnough)) await this.#sweep(target);
      else await this.#attack(target);
      // A database that shows a violation stays for whoever wants to see it.
      if (!this.#isFailed) await remove();
    }
  }

  /** One writer after the other, each to its point. */
  async #sweep(target: Target): Promise<void> {
    const site = this.#site(target, LAYOUTS[0]);
    for (let kills = 0; kills < this.#options.perDatabase && !this.#isFailed; kills++) {
      const at = this.#waiting.findIndex(({ point }) => kills === 0 || !ONCE.has(point.kind));
      const [next] = at < 0 ? [] : this.#waiting.splice(at, 1);
      if (next === undefined) break;
      const { point, sent } = next;
      const [ending] = await this.#round(site, [{ by: "point", at: { ...point, occurrence: 1 } }]);
      // A point that is hard to come to must not hold up the campaign: the report says that it was missed.
      if (ending !== "point" && sent + 1 < TRIES) this.#waiting.push({ point, sent: sent + 1 });
    }
    this.#report.attempts += site.history.attempts.length;
  }

  async #attack(target: Target): Promise<void> {
    // The list is not empty.
    const layout = LAYOUTS[this.#layouts++ % LAYOUTS.length] ?? LAYOUTS[0];
    const site = this.#site(target, layout);
    for (
      let kills = 0;
      kills < this.#options.perDatabase && !this.#isFailed && !this.#isEnough;
      kills += layout.writers
    ) {
      const deaths = Array.from({ length: layout.writers }, () => this.#death(site));
      await this.#round(site, deaths);
    }
    this.#report.attempts += site.history.attempts.length;
  }

  #site(target: Target, layout: Layout): Site {
    return new Site({
      program: this.#options.program,
      target,
      layout,
      findings: this.#report.findings,
      random: this.#random,
    });
  }

  async #round(site: Site, deaths: readonly Death[]): Promise<Ending[]> {
    const report = this.#report;
    const endings = await site.round(deaths);
    for (const [slot, death] of deaths.entries()) {
      if (endings[slot] !== "peace") report.kills++;
      if (death.by === "point" && endings[slot] === "point") report.killedAt(death.at);
    }
    report.rounds++;
    this.#options.progress?.(report.line);
    if (this.#isFailed && this.#options.evidence !== undefined) keepEvidence(this.#options.evidence, site);
    return endings;
  }

  /** Mostly at any moment; now and then at a point, whatever the others do meanwhile. */
  #death(site: Site): Death {
    const random = this.#random;
    const point = site.layout.lanes === 1 && random.chance(0.3) ? random.pick(this.#points) : undefined;
    if (point !== undefined) return { by: "point", at: { ...point, occurrence: 1 + random.below(3) } };
    if (random.chance(0.05)) return { by: "time", after: "start", ms: random.below(300) };
    return { by: "time", after: "ready", ms: random.below(LATEST_MS) };
  }
}
