// The invariants that hold however often instances are killed, and the collection of violations.

export const INVARIANTS = {
  stored:
    "A conversation is one thread whose path has every question and the answer that its client read, each once and in order.",
  once: "A question that is repeated with the same key has one answer in all threads together.",
  restored: "The model receives all of its earlier answers with the thinking that the client has dropped.",
  delivered: "An acknowledged message to a task is on its path once; an unacknowledged one at most once.",
  ordered: "Queued messages of a task are delivered in the order of their acknowledgment.",
  ran: "A tool that must not be repeated runs at most once, and exactly once if it has a result.",
  true: "The result of a tool belongs to an execution that took place, and equals the one that readers received.",
  known: "Every execution belongs to a call on the path of its task.",
  resumed: "A reader that is cut off and resumes elsewhere receives everything once, in order.",
  drawn: "The deltas that readers received add up to the answer.",
  settled: "At the end no run is live, no message is queued, and every task is idle.",
  legal: "Every provider would accept the path of every thread.",
  served: "Every client is served in the end, and rejections are transient.",
  alive: "An instance stays alive unless the campaign ends it.",
} as const;
export type Invariant = keyof typeof INVARIANTS;

export interface Violation {
  invariant: Invariant;
  where: string;
  detail: string;
}

export class Findings {
  readonly violations: Violation[] = [];
  /** The number of checks per invariant. */
  readonly checked = new Map<Invariant, number>();

  /** Checks an invariant once. */
  expect(invariant: Invariant, holds: boolean, where: string, detail: () => string): void {
    this.checked.set(invariant, (this.checked.get(invariant) ?? 0) + 1);
    if (!holds) this.violations.push({ invariant, where, detail: detail() });
  }

  /** Invariants that were never checked. */
  get unchecked(): Invariant[] {
    // The keys of INVARIANTS.
    return (Object.keys(INVARIANTS) as Invariant[]).filter((name) => !this.checked.has(name));
  }

  get text(): string {
    const lines = Object.entries(INVARIANTS).map(([name, sentence]) => {
      // The keys of INVARIANTS.
      const times = this.checked.get(name as Invariant) ?? 0;
      return `  ${String(times).padStart(9)}  ${name}: ${sentence}`;
    });
    const faults = this.violations.map(({ invariant, where, detail }) => `  ${invariant}, ${where}: ${detail}`);
    return ["Checks by invariant:", ...lines, ...(faults.length > 0 ? ["Violations:", ...faults] : [])].join("\n");
  }
}
