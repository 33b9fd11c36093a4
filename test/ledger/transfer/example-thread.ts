// A thread with records of every kind, for export and import.
import type { Ledger } from "../../../src/ledger/types.ts";
import { image, text, user } from "../../../src/model/index.ts";
import { commitAnswer, startDelta, textDelta } from "../support/runs.ts";

/** A thread with records of every kind. */
export async function createExampleThread(ledger: Ledger): Promise<string> {
  const { id } = await ledger.createThread({ title: "Ships", scope: "token-1", metadata: { colour: "blue" } });
  const data = Buffer.from("a picture".repeat(20)).toString("base64");
  const [question] = await ledger.append(id, [user([text("How many ships?"), image({ data })])]);
  const fork = { threadId: id, forkFromMessageId: question?.id ?? null };
  await commitAnswer(ledger, fork, "Three", " ships.");
  await commitAnswer(ledger, fork, "Four ships.");
  await commitAnswer(ledger, { ...fork, mode: "branch" }, "Five ships.");
  const broken = await ledger.beginRun(fork);
  await broken.append([startDelta, textDelta("Six sh")]);
  await broken.fail("The line is dead.");
  const cancelled = await ledger.beginRun({ threadId: id });
  await cancelled.cancel();
  return id;
}
