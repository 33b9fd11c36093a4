// What must hold however often instances are killed, and the collection of what was found not to.

export const INVARIANTS = {
  kept: "A conversation is one thread, whose path is every question and the answer that its client read, each once and in order.",
  once: "A question that was asked again with the same key has one answer, in all threads together.",
  restored: "The model is told every answer of its own with the thinking that the client has dropped.",
  said: "What a task was told and acknowledged is on its path once; what nobody acknowledged, at most once.",
  ordered: "Messages to a task that wait are said in the order in which they were acknowledged.",
  ran: "A tool that must not be repeated ran at most once, and once where its result is told.",
  true: "The result of a tool tells of an execution that took place, and is the one that readers were told.",
  known: "Every execution belongs to a call on the path of its task.",
  resumed: "A reader that is cut off and goes on elsewhere is told everything once, in order.",
  drawn: "The pieces of an answer that readers were told come to the answer.",
  settled: "At the end no run is alive, nothing waits, and every task rests.",
  legal: "Every provider would take the path of every thread as it is.",
  served: "Nobody is refused without a reason that passes, and everybody is served in the end.",
  alive: "An instance that nobody ends lives.",
} as const;
export type Invariant = keyof typeof INVARIANTS;

export interface Violation {
  invariant: Invariant;
  where: string;
  detail: string;
}

export class Findings {
  readonly violations: Violation[] = [];
  /** How often each was looked at. */
  readonly checked = new Map<Invariant, number>();

  /** Holds an invariant against one thing. */
  expect(invariant: Invariant, holds: boolean, where: string, detail: () => string): void {
    this.checked.set(invariant, (this.checked.get(invariant) ?? 0) + 1);
    if (!holds) this.violations.push({ invariant, where, detail: detail() });
  }

  /** Those that nobody looked at. */
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
    const found = this.violations.map(({ invariant, where, detail }) => `  ${invariant}, ${where}: ${detail}`);
    return ["Checks by invariant:", ...lines, ...(found.length > 0 ? ["Violations:", ...found] : [])].join("\n");
  }
}
