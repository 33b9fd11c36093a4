// Measures two typical uses of the ledger: a client that resends its whole history with every call, and full-text
// search.
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Ledger } from "../../src/ledger/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { table } from "../measure.ts";
import { createMessage } from "./conversation-store.ts";

const CALLS = 200;

async function withLedger<T>(work: (ledger: Ledger, bytes: () => number) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "koine-bench-"));
  const ledger = await openLedger(`sqlite:${join(folder, "data.db")}`, { sync: "normal" });
  const bytes = (): number => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  try {
    return await work(ledger, bytes);
  } finally {
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures a client without a thread id: each call resends the history with one new question. */
export function measureResending(): Promise<void> {
  return withLedger(async (ledger, bytes) => {
    const history = [];
    let sent = 0;
    for (let call = 0; call < CALLS; call++) {
      history.push(createMessage(call * 2));
      sent += JSON.stringify(history).length;
      const found = await ledger.findThread(history);
      const threadId = found.threadId ?? (await ledger.createThread()).id;
      await ledger.append(threadId, history.slice(found.known), { parentMessageId: found.parentMessageId });
      const answer = createMessage(call * 2 + 1);
      await ledger.append(threadId, [answer]);
      history.push(answer);
    }
    const [thread, ...others] = await ledger.threads();
    const stored = thread === undefined ? 0 : (await ledger.tree(thread.id)).messages.length;
    await ledger.vacuum();
    table(
      `An agent that resends its whole history ${CALLS} times`,
      ["messages sent", "messages stored", "threads", "bytes sent", "bytes on disk"],
      [[`${CALLS * 2}`, `${stored}`, `${others.length + 1}`, `${sent}`, `${bytes()}`]],
    );
  });
}

/** Measures the cost of writing and using the search index, without other costs. */
export function measureSearch(): Promise<void> {
  return withLedger(async (ledger, bytes) => {
    const count = 5000;
    const { id } = await ledger.createThread();
    const messages = Array.from({ length: count }, (_, i) => createMessage(i));
    for (let i = 0; i < count; i += 500) await ledger.append(id, messages.slice(i, i + 500));
    await ledger.vacuum();
    const before = bytes();
    const start = performance.now();
    await ledger.search("signature12");
    const indexed = performance.now();
    const hits = await ledger.search("signature12");
    const found = performance.now();
    await ledger.vacuum();
    table(
      "The search index, written behind",
      ["messages", "µs a message to index", "bytes a message", "ms a query", "hits"],
      [
        [
          `${count}`,
          (((indexed - start) * 1000) / count).toFixed(0),
          ((bytes() - before) / count).toFixed(0),
          (found - indexed).toFixed(2),
          `${hits.length}`,
        ],
      ],
    );
  });
}
