// Threads with a history that somebody might have had: turns, branches, replaced and broken answers, long strings.
import fc from "fast-check";
import type { Ledger } from "../../../src/ledger/types.ts";
import { assistant, image, text, user } from "../../../src/model/index.ts";
import { answerOf, begin, piece } from "./runs.ts";
import { codePoint } from "../../support/code-points.ts";

export interface Happening {
  what: "append" | "branch-off" | "replace" | "branch" | "commit" | "fail" | "cancel" | "select";
  /** Picks a message of the thread. */
  pick: number;
  words: string;
}

/** Longer than the tests' threshold for blobs now and then. */
const words = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.string({ unit: codePoint, minLength: 90, maxLength: 200 }),
  fc.base64String({ minLength: 100, maxLength: 160 }),
);

export const happenings: fc.Arbitrary<Happening[]> = fc.array(
  fc.record({
    what: fc.constantFrom<Happening["what"][]>(
      "append",
      "append",
      "branch-off",
      "replace",
      "branch",
      "commit",
      "fail",
      "cancel",
      "select",
    ),
    pick: fc.nat(),
    words,
  }),
  { minLength: 1, maxLength: 10 },
);

/** Lets it happen in a new thread, and gives its id. */
export async function live(ledger: Ledger, all: readonly Happening[]): Promise<string> {
  const { id } = await ledger.createThread({ title: "Random", scope: "somebody", metadata: { n: all.length } });
  for (const each of all) await happen(ledger, id, each);
  return id;
}

async function happen(ledger: Ledger, threadId: string, { what, pick, words: said }: Happening): Promise<void> {
  const { messages } = await ledger.tree(threadId);
  const picked = messages[pick % Math.max(1, messages.length)]?.id ?? null;
  const fork = { threadId, forkFromMessageId: picked };
  if (what === "append") await ledger.append(threadId, [user([text(said), image({ data: said })]), assistant(said)]);
  else if (what === "branch-off") await ledger.append(threadId, [user(said)], { parentMessageId: picked });
  else if (what === "select") await ledger.select(threadId, picked);
  else {
    const isBroken = what === "fail" || what === "cancel";
    const input = what === "commit" ? { threadId } : what === "branch" ? { ...fork, mode: "branch" as const } : fork;
    const run = await ledger.beginRun({ ...input, metadata: { said } });
    await run.append(isBroken ? [begin, piece(`${said}.`)] : answerOf(`${said}.`));
    if (what === "fail") await run.fail(said);
    else if (what === "cancel") await run.cancel();
    else await run.commit();
  }
}
