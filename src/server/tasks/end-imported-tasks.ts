// Ends the work of imported tasks. An imported task stays idle until a message is posted to it, because the original
// task may still run its tools elsewhere, and they must not run twice.
import type { Ledger } from "../../ledger/index.ts";
import { TaskJournal } from "./journal.ts";
import { TASK_KIND } from "./task.ts";

/** Ends the work of those threads that are running tasks. */
export async function endImportedTasks(ledger: Ledger, threadIds: readonly string[]): Promise<void> {
  for (const id of threadIds) {
    if ((await ledger.thread(id)).kind !== TASK_KIND) continue;
    await new TaskJournal(ledger, id).change(({ running }) =>
      running ? { entries: [{ type: "ended", reason: "stopped" }] } : undefined,
    );
  }
}
