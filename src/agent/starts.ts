// The record of which calls were begun. Written before a tool runs, so that whoever goes on after a crash can tell a call
// that may have taken effect from one that cannot.
import type { Run } from "../ledger/index.ts";

export class Starts {
  private readonly run: Run;
  private readonly facts: Record<string, unknown>;
  private readonly ids: string[];
  private last: Promise<unknown> = Promise.resolve();
  private next: Promise<void> | undefined;

  /** `facts` are what else a successor must know; `begun` are calls of which an earlier process wrote it. */
  constructor(run: Run, facts: Record<string, unknown>, begun: Iterable<string>) {
    this.run = run;
    this.facts = facts;
    this.ids = [...begun];
  }

  /** Resolves once it is durable, with the whole answer. Calls that begin together share one write. */
  note(toolCallId: string): Promise<void> {
    if (!this.ids.includes(toolCallId)) this.ids.push(toolCallId);
    this.next ??= this.write(this.last);
    return this.next;
  }

  private async write(before: Promise<unknown>): Promise<void> {
    await before;
    // Those that are about to begin, too.
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.next = undefined;
    const written = this.run.note({ ...this.facts, started: [...this.ids] });
    this.last = written.catch(() => undefined);
    return written;
  }
}

/** The calls that a run says were begun. */
export function startedCalls(metadata: Readonly<Record<string, unknown>> | undefined): Set<string> {
  const started = metadata?.["started"];
  return new Set(Array.isArray(started) ? started.filter((id) => typeof id === "string") : []);
}
