// The report of a campaign: kills by kind and point, and the number of checks per invariant.
import { describe, type Findings, INVARIANTS, type Invariant } from "../checker/invariants.ts";
import type { OperationKind } from "../writer/writer-log.ts";

/** A trace point in a kind of operation. */
export interface Point {
  kind: OperationKind;
  point: string;
}
const pointName = ({ kind, point }: Point): string => `${kind}: ${point}`;

export class Report {
  readonly findings: Findings;
  kills = 0;
  rounds = 0;
  attempts = 0;
  databases = 0;
  stops = 0;
  /** The known points, and the number of kills at each. */
  readonly points = new Map<string, number>();
  readonly #started = performance.now();

  constructor(findings: Findings) {
    this.findings = findings;
  }

  saw(point: Point): void {
    const name = pointName(point);
    this.points.set(name, this.points.get(name) ?? 0);
  }

  killedAt(point: Point): void {
    const name = pointName(point);
    this.points.set(name, (this.points.get(name) ?? 0) + 1);
  }

  get missed(): string[] {
    return [...this.points].flatMap(([name, times]) => (times === 0 ? [name] : []));
  }

  get line(): string {
    const seconds = Math.round((performance.now() - this.#started) / 1000);
    const hit = this.points.size - this.missed.length;
    const checks = [...this.findings.checked.values()].reduce((sum, times) => sum + times, 0);
    return [
      `${this.kills} kills, ${this.stops} stops of the server, ${hit} of ${this.points.size} points`,
      `${this.rounds} rounds on ${this.databases} databases, ${this.attempts} operations, ${checks} checks`,
      `${this.findings.violations.length} violations, ${seconds} s`,
    ].join("; ");
  }

  get text(): string {
    const invariants = Object.entries(INVARIANTS).map(([name, sentence]) => {
      // The keys of INVARIANTS.
      const times = this.findings.checked.get(name as Invariant) ?? 0;
      return `  ${String(times).padStart(9)}  ${name}: ${sentence}`;
    });
    const points = [...this.points]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, times]) => `  ${String(times).padStart(9)}  ${name}`);
    const { violations } = this.findings;
    const lines = ["Checks by invariant:", ...invariants, "Kills by point:", ...points];
    if (this.missed.length > 0) lines.push(`No writer reached: ${this.missed.join(", ")}`);
    lines.push(this.line);
    return [...lines, ...(violations.length > 0 ? ["Violations:", describe(violations)] : [])].join("\n");
  }
}
