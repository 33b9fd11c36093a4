// Koine's ledger as a library, with appended messages and with answers streamed as 64 deltas per turn. The search index
// is not written here, because another benchmark measures it.
import type { Ledger } from "../../src/ledger/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import type { Delta, Message } from "../../src/model/index.ts";
import type { ConversationStore, StoreSession } from "./conversation-store.ts";

const DELTAS = 64;

async function session(
  ledger: Ledger,
  append: (threadId: string, message: Message) => Promise<unknown>,
): Promise<StoreSession> {
  const { id } = await ledger.createThread();
  return {
    append: (message) => append(id, message),
    load: async () => (await ledger.transcript(id)).length,
    close: async () => {
      await ledger.compact();
      await ledger.close();
    },
  };
}

export const koine: ConversationStore = {
  name: "Koine, append",
  open: async (path, sync) => {
    const ledger = await openLedger(`sqlite:${path}`, { sync, indexMs: false });
    return session(ledger, (threadId, message) => ledger.append(threadId, [message]));
  },
};

/** Returns a message as the deltas of an answer. */
function toDeltas(message: Message): Delta[] {
  const [part] = message.parts;
  const text = part?.type === "text" ? part.text : "";
  const size = Math.ceil(text.length / (DELTAS - 2));
  const pieces = Array.from({ length: DELTAS - 2 }, (_, i) => text.slice(i * size, (i + 1) * size));
  return [
    { kind: "start", payload: { modelId: "m", requestId: "r" } },
    ...pieces.map((textDelta): Delta => ({ kind: "text", payload: { textDelta } })),
    { kind: "done", payload: { finishReason: "stop" } },
  ];
}

export const koineStreamed: ConversationStore = {
  name: `Koine, a run of ${DELTAS} deltas`,
  open: async (path, sync) => {
    const ledger = await openLedger(`sqlite:${path}`, { sync, indexMs: false, deltaRetentionMs: 0 });
    return session(ledger, async (threadId, message) => {
      const run = await ledger.beginRun({ threadId });
      for (const delta of toDeltas(message)) run.push([delta]);
      await run.commit();
    });
  },
};
