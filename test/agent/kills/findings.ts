// The invariants of killed agents, and the collection of violations.

export const INVARIANTS = {
  foretold: "No tool begins before the ledger says that it was started.",
  once: "A call whose result was acknowledged never runs again, and its result stays what it was.",
  never: "A call that must not be repeated runs at most once; where it was interrupted, the model is told so.",
  safe: "A call that may be repeated has run to its end, and only as often as it was interrupted.",
  untouched: "A call that was not started when the agent died runs exactly once.",
  refused: "A call that cannot run does not run.",
  true: "A result tells of an execution that took place.",
  known: "Every execution belongs to a call of the thread.",
  told: "What the agent said to be recorded is recorded.",
  whole:
    "The thread holds the question, every round with its reasoning, calls and results in order, and the last word.",
  legal: "Every provider would take the history as it is, whenever the model is asked and at the end.",
  settled: "At the end no run of the ledger is left unfinished.",
  peace: "An agent that is not killed comes to its end.",
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
