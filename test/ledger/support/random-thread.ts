// Threads with random histories: turns, branches, replaced and interrupted answers, long strings.
import fc from "fast-check";
import type { Ledger } from "../../../src/ledger/types.ts";
import { assistant, image, text, user } from "../../../src/model/index.ts";
import { createAnswer, startDelta, textDelta } from "./runs.ts";
import { codePoint } from "../../support/code-points.ts";

export interface ThreadAction {
  what: "append" | "branch-off" | "replace" | "branch" | "commit" | "fail" | "cancel" | "select";
  /** Selects a message of the thread. */
  pick: number;
  content: string;
}

/** Sometimes longer than the tests' threshold for blobs. */
const texts = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.string({ unit: codePoint, minLength: 90, maxLength: 200 }),
  fc.base64String({ minLength: 100, maxLength: 160 }),
);

export const threadActions: fc.Arbitrary<ThreadAction[]> = fc.array(
  fc.record({
    what: fc.constantFrom<ThreadAction["what"][]>(
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
    content: texts,
  }),
  { minLength: 1, maxLength: 10 },
);

/** Performs the actions in a new thread, and returns its id. */
export async function performActions(ledger: Ledger, all: readonly ThreadAction[]): Promise<string> {
  const { id } = await ledger.createThread({ title: "Random", scope: "user", metadata: { n: all.length } });
  for (const each of all) await performAction(ledger, id, each);
  return id;
}

async function performAction(ledger: Ledger, threadId: string, { what, pick, content }: ThreadAction): Promise<void> {
  const { messages } = await ledger.tree(threadId);
  const picked = messages[pick % Math.max(1, messages.length)]?.id ?? null;
  const fork = { threadId, forkFromMessageId: picked };
  if (what === "append")
    await ledger.append(threadId, [user([text(content), image({ data: content })]), assistant(content)]);
  else if (what === "branch-off") await ledger.append(threadId, [user(content)], { parentMessageId: picked });
  else if (what === "select") await ledger.select(threadId, picked);
  else {
    const isBroken = what === "fail" || what === "cancel";
    const input = what === "commit" ? { threadId } : what === "branch" ? { ...fork, mode: "branch" as const } : fork;
    const run = await ledger.beginRun({ ...input, metadata: { content } });
    await run.append(isBroken ? [startDelta, textDelta(`${content}.`)] : createAnswer(`${content}.`));
    if (what === "fail") await run.fail(content);
    else if (what === "cancel") await run.cancel();
    else await run.commit();
  }
}
