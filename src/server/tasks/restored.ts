// Tasks that came from elsewhere: nobody works on one here, whatever it was at there. It rests until something is said to
// it: tools that run by themselves, perhaps in two places, are not what somebody expects of a copy.
import type { Ledger } from "../../ledger/index.ts";
import { Journal } from "./journal.ts";
import { TASK_KIND } from "./task.ts";

/** Ends what was under way in those of these threads that are tasks. */
export async function settleRestored(ledger: Ledger, threadIds: readonly string[]): Promise<void> {
  for (const id of threadIds) {
    if ((await ledger.thread(id)).kind !== TASK_KIND) continue;
    await new Journal(ledger, id).change(({ running }) =>
      running ? { entries: [{ type: "ended", reason: "stopped" }] } : undefined,
    );
  }
}
