// The invariants that must hold after any kill, and the collection of their violations.

export const INVARIANTS = {
  intact: "The engine finds no damage in its own file.",
  readable: "Every record can be read.",
  stored: "Acknowledged data exists, with the same content at the same position.",
  once: "Nothing is there twice, however often it was tried with the same key.",
  whole: "An operation shows wholly or not at all.",
  expected: "Only data that a writer wrote exists.",
  tree: "Every parent is there and is older than its child; every leaf is there.",
  order: "Every message follows what was active when it was written.",
  leaf: "The active leaf is where the last operation left it.",
  states: "Every run is in a legal state, which what was done to it explains.",
  superseded: "Exactly those committed runs are superseded whose messages a replacing commit took off the path.",
  deltas: "The deltas of a run are those that were given, in order, without a gap, up to what was acknowledged.",
  recovered: "A run whose writer died can be ended after its lease, and leaves its partial turn, marked interrupted.",
  keys: "An idempotency key names what came of its operation.",
  blobs: "Every blob that a message holds is there, all of it.",
  errors: "A caller gets typed errors only, and only those that the operation may have.",
} as const;
export type Invariant = keyof typeof INVARIANTS;

export interface Violation {
  invariant: Invariant;
  /** A thread, run, message or operation. */
  where: string;
  detail: string;
}

export class Findings {
  readonly violations: Violation[] = [];
  /** The number of checks per invariant. */
  readonly checked = new Map<Invariant, number>();

  /** Checks an invariant; the detail is created only if it fails. */
  expect(invariant: Invariant, holds: boolean, where: string, detail: () => string): boolean {
    this.checked.set(invariant, (this.checked.get(invariant) ?? 0) + 1);
    if (!holds) this.violations.push({ invariant, where, detail: detail() });
    return holds;
  }
}

export function describe(violations: readonly Violation[]): string {
  const lines = violations.slice(0, 20).map(({ invariant, where, detail }) => `  ${invariant}, ${where}: ${detail}`);
  if (violations.length > lines.length) lines.push(`  … and ${violations.length - lines.length} more`);
  return lines.join("\n");
}
