// LangGraph's SQLite checkpointer, used as in LangGraph's graphs: after every turn it writes a checkpoint of the state,
// which contains all messages. The checkpointer gets node:sqlite as its database, the same engine as the other stores,
// because its own driver must be compiled during the installation, which fails on some machines.
import { randomUUID } from "node:crypto";
import type { SQLInputValue } from "node:sqlite";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { Message } from "../../src/model/index.ts";
import { loadPeer } from "../contenders/install.ts";
import type { ConversationStore } from "./conversation-store.ts";

interface Config {
  configurable: { thread_id: string; checkpoint_ns: string; checkpoint_id?: string };
}
interface Checkpoint {
  v: number;
  id: string;
  ts: string;
  channel_values: { messages: unknown[] };
  channel_versions: Record<string, number>;
  versions_seen: Record<string, never>;
}
interface Saver {
  put(config: Config, checkpoint: Checkpoint, metadata: Record<string, unknown>): Promise<Config>;
  getTuple(config: Config): Promise<{ checkpoint: Checkpoint } | undefined>;
}
interface Api {
  SqliteSaver: new (database: unknown) => Saver;
}

const name = "LangGraph, SqliteSaver";

/** Returns a database with the part of the driver interface that the checkpointer uses. */
function driver(path: string, sync: string): { database: unknown; close: () => void } {
  const sqlite = new DatabaseSync(path);
  sqlite.exec(`PRAGMA synchronous = ${sync}`);
  const database = {
    exec: (sql: string) => sqlite.exec(sql),
    pragma: (sql: string) => sqlite.exec(`PRAGMA ${sql}`),
    prepare: (sql: string) => {
      const statement = sqlite.prepare(sql);
      const given = (values: unknown[]): SQLInputValue[] => values.map((value) => (value ?? null) as SQLInputValue);
      return {
        run: (...values: unknown[]) => statement.run(...given(values)),
        get: (...values: unknown[]) => statement.get(...given(values)),
        all: (...values: unknown[]) => statement.all(...given(values)),
      };
    },
  };
  return { database, close: () => sqlite.close() };
}

export async function loadLangGraph(): Promise<ConversationStore> {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const loaded = await loadPeer<Api>("@langchain/langgraph-checkpoint-sqlite", ["SqliteSaver"], folder);
  const absent = (): never => {
    throw new Error("not installed");
  };
  if ("missing" in loaded) return { name, gap: loaded.missing, open: absent };
  return {
    name,
    maxMessages: 1000,
    open(path, sync) {
      const { database, close } = driver(path, sync);
      const saver = new loaded.api.SqliteSaver(database);
      let config: Config = { configurable: { thread_id: "thread", checkpoint_ns: "" } };
      const messages: Message[] = [];
      return {
        async append(message) {
          messages.push(message);
          const step = messages.length;
          const checkpoint: Checkpoint = {
            v: 4,
            // Checkpoint ids sort by time.
            id: `${String(step).padStart(8, "0")}-${randomUUID()}`,
            ts: new Date().toISOString(),
            channel_values: { messages: [...messages] },
            channel_versions: { messages: step },
            versions_seen: {},
          };
          config = await saver.put(config, checkpoint, { source: "loop", step, parents: {} });
        },
        load: async () => (await saver.getTuple(config))?.checkpoint.channel_values.messages.length ?? 0,
        close,
      };
    },
  };
}
