// Mastra's message store on libSQL.
import { fileURLToPath } from "node:url";
import { loadPeer } from "../contenders/install.ts";
import type { ConversationStore } from "./conversation-store.ts";

/** The members of Mastra's memory store that the benchmark uses. */
interface Memory {
  saveThread(input: { thread: Record<string, unknown> }): Promise<unknown>;
  saveMessages(input: { messages: Record<string, unknown>[] }): Promise<unknown>;
  listMessages(input: { threadId: string; perPage: false }): Promise<{ messages: unknown[] }>;
}
interface Api {
  LibSQLStore: new (options: { id: string; url: string }) => {
    init(): Promise<void>;
    getStore(name: "memory"): Promise<Memory>;
  };
}

const name = "Mastra, @mastra/libsql";

export async function loadMastra(): Promise<ConversationStore> {
  const loaded = await loadPeer<Api>("@mastra/libsql", ["LibSQLStore"], fileURLToPath(new URL(".", import.meta.url)));
  const absent = (): never => {
    throw new Error("not installed");
  };
  if ("missing" in loaded) return { name, gap: loaded.missing, open: absent };
  return {
    name,
    async open(path) {
      const store = new loaded.api.LibSQLStore({ id: "bench", url: `file:${path}` });
      await store.init();
      const memory = await store.getStore("memory");
      const now = new Date();
      const ids = { threadId: "thread", resourceId: "resource" };
      await memory.saveThread({
        thread: { id: ids.threadId, ...ids, title: "", createdAt: now, updatedAt: now, metadata: {} },
      });
      let count = 0;
      return {
        append: ({ role, parts }) =>
          memory.saveMessages({
            messages: [
              { ...ids, id: `m${count++}`, role, createdAt: new Date(), type: "v2", content: { format: 2, parts } },
            ],
          }),
        load: async () => (await memory.listMessages({ threadId: ids.threadId, perPage: false })).messages.length,
        close: () => {},
      };
    },
  };
}
