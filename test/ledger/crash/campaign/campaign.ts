// A campaign of kills against one engine: first finds every trace point of the operations, then runs rounds on several
// databases until there were enough kills and each point had one.
import type { Database } from "./databases.ts";
import { writeEvidence } from "./evidence.ts";
import { Findings } from "../checker/invariants.ts";
import type { WriterLogLine, OperationKind } from "../writer/writer-log.ts";
import { type Point, Report } from "./report.ts";
import { SeededRandom } from "./seeded-random.ts";
import { type PlannedEnd, type ActualEnd, type Layout, AttackedDatabase } from "./attacked-database.ts";
import type { Target } from "./target.ts";

export interface CampaignOptions {
  /** The path of the writer program. */
  program: string;
  /** Creates an unused database, and removes it. */
  fresh: () => Promise<Database>;
  /** The minimum number of kills; more if there are more points. */
  kills: number;
  seed: number;
  /** The number of databases attacked at the same time. */
  parallel: number;
  /** The number of kills per database. */
  perDatabase: number;
  /** A folder for the writers' logs of a database with a violation. */
  evidence?: string;
  /** The points to kill at; undefined: all points that the survey finds. */
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
/** Operations that happen only at the beginning of a database. */
const ONCE: ReadonlySet<OperationKind> = new Set(["open", "create"]);
/** The latest time of a kill after the writer's start. */
const LATEST_MS = 350;
/** The number of attempts per point. */
const TRIES = 3;
const SURVEY_STEPS = 400;

export async function campaign(options: CampaignOptions): Promise<Report> {
  const report = new Report(new Findings());
  const random = new SeededRandom(options.seed);
  const points = options.points ?? (await survey(options, report, random));
  for (const point of points) report.saw(point);
  const run = new CampaignRun(options, report, random, points);
  await Promise.all(Array.from({ length: options.parallel }, (_, number) => run.work(number === 0)));
  return report;
}

/** Runs an undisturbed writer that reports all points it passes. */
async function survey(options: CampaignOptions, report: Report, random: SeededRandom): Promise<Point[]> {
  const points: Point[] = [];
  const onLine = (line: WriterLogLine): void => {
    if (line.at === "survey") points.push(...line.points.map(([kind, point]) => ({ kind, point })));
  };
  const { target, remove } = await options.fresh();
  const site = new AttackedDatabase({
    program: options.program,
    target,
    layout: LAYOUTS[0],
    findings: report.findings,
    random,
    onLine,
  });
  await site.round([{ by: "peace", steps: SURVEY_STEPS }]);
  report.attempts += site.history.attempts.length;
  report.databases++;
  report.rounds++;
  if (report.findings.violations.length === 0) await remove();
  return points;
}

class CampaignRun {
  readonly #options: CampaignOptions;
  readonly #report: Report;
  readonly #random: SeededRandom;
  readonly #points: readonly Point[];
  /** Points without a kill, and the number of attempts for each. */
  readonly #waiting: { point: Point; sent: number }[];
  #layouts = 0;

  constructor(options: CampaignOptions, report: Report, random: SeededRandom, points: readonly Point[]) {
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

  /**
   * Attacks one database after the other. One worker kills at points; the others do so too when nothing else is left.
   */
  async work(sweeps: boolean): Promise<void> {
    while (!this.#isFailed && (!this.#isEnough || this.#waiting.length > 0)) {
      const { target, remove } = await this.#options.fresh();
      this.#report.databases++;
      if (this.#waiting.length > 0 && (sweeps || this.#isEnough)) await this.#sweep(target);
      else await this.#attack(target);
      // A database with a violation is not deleted, so that it can be inspected.
      if (!this.#isFailed) await remove();
    }
  }

  /** Starts one writer after the other, each for its point. */
  async #sweep(target: Target): Promise<void> {
    const site = this.#site(target, LAYOUTS[0]);
    for (let kills = 0; kills < this.#options.perDatabase && !this.#isFailed; kills++) {
      const at = this.#waiting.findIndex(({ point }) => kills === 0 || !ONCE.has(point.kind));
      const [next] = at < 0 ? [] : this.#waiting.splice(at, 1);
      if (next === undefined) break;
      const { point, sent } = next;
      const [ending] = await this.#round(site, [{ by: "point", at: { ...point, occurrence: 1 } }]);
      // A point that is hard to reach must not delay the campaign: the report lists it as missed.
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

  #site(target: Target, layout: Layout): AttackedDatabase {
    return new AttackedDatabase({
      program: this.#options.program,
      target,
      layout,
      findings: this.#report.findings,
      random: this.#random,
    });
  }

  async #round(site: AttackedDatabase, deaths: readonly PlannedEnd[]): Promise<ActualEnd[]> {
    const report = this.#report;
    const endings = await site.round(deaths);
    for (const [slot, death] of deaths.entries()) {
      if (endings[slot] !== "peace") report.kills++;
      if (death.by === "point" && endings[slot] === "point") report.killedAt(death.at);
    }
    report.rounds++;
    this.#options.progress?.(report.line);
    if (this.#isFailed && this.#options.evidence !== undefined) writeEvidence(this.#options.evidence, site);
    return endings;
  }

  /** Mostly at any moment; sometimes at a point, independent of the others. */
  #death(site: AttackedDatabase): PlannedEnd {
    const random = this.#random;
    const point = site.layout.lanes === 1 && random.chance(0.3) ? random.pick(this.#points) : undefined;
    if (point !== undefined) return { by: "point", at: { ...point, occurrence: 1 + random.below(3) } };
    if (random.chance(0.05)) return { by: "time", after: "start", ms: random.below(300) };
    return { by: "time", after: "ready", ms: random.below(LATEST_MS) };
  }
}
