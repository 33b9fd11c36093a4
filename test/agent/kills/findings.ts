// The invariants of killed agents, and the collection of violations.

export const INVARIANTS = {
  started: "No tool starts before the ledger has recorded its start.",
  once: "A call whose result was acknowledged never runs again, and its result stays what it was.",
  never: "A call that must not be repeated runs at most once; if it was interrupted, its result states that.",
  safe: "A call that may be repeated has run to its end, and only as often as it was interrupted.",
  untouched: "A call that was not started when the agent died runs exactly once.",
  refused: "A call that cannot run does not run.",
  true: "A result belongs to an execution that took place.",
  known: "Every execution belongs to a call of the thread.",
  recorded: "A result that the agent reported as recorded is in the ledger.",
  whole: "The thread has the question, every round with its reasoning, calls and results in order, and the final text.",
  legal: "Every provider would accept the history without repairs, in each request and at the end.",
  settled: "At the end no run of the ledger is left unfinished.",
  completion: "An agent that is not killed finishes.",
} as const;
export type Invariant = keyof typeof INVARIANTS;

export interface Violation {
  invariant: Invariant;
  where: string;
  detail: string;
}

export class Findings {
  readonly violations: Violation[] = [];
  /** The number of checks of each invariant. */
  readonly checked = new Map<Invariant, number>();

  /** Checks an invariant once. */
  expect(invariant: Invariant, holds: boolean, where: string, detail: () => string): void {
    this.checked.set(invariant, (this.checked.get(invariant) ?? 0) + 1);
    if (!holds) this.violations.push({ invariant, where, detail: detail() });
  }

  get text(): string {
    const lines = Object.entries(INVARIANTS).map(([name, sentence]) => {
      const times = this.checked.get(name as Invariant) ?? 0;
      return `  ${String(times).padStart(9)}  ${name}: ${sentence}`;
    });
    const found = this.violations.map(({ invariant, where, detail }) => `  ${invariant}, ${where}: ${detail}`);
    return ["Checks by invariant:", ...lines, ...(found.length > 0 ? ["Violations:", ...found] : [])].join("\n");
  }
}
