// Ends the work of imported tasks. An imported task is idle until a message is posted to it, because the original task
// may still run on another server, and its tools must not run twice.
import type { Ledger } from "../../ledger/index.ts";
import { TaskJournal } from "./journal.ts";
import { TASK_KIND } from "./task.ts";

/** Ends the work of all running tasks among the given threads. */
export async function endImportedTasks(ledger: Ledger, threadIds: readonly string[]): Promise<void> {
  for (const id of threadIds) {
    if ((await ledger.thread(id)).kind !== TASK_KIND) continue;
    await new TaskJournal(ledger, id).change(({ running }) =>
      running ? { entries: [{ type: "ended", reason: "stopped" }] } : undefined,
    );
  }
}
