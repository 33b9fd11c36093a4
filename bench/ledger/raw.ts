// The minimum work of a conversation store: node:sqlite with one INSERT of the message's JSON per transaction; loading
// reads and parses the messages.
import { DatabaseSync } from "node:sqlite";
import type { ConversationStore } from "./conversation-store.ts";

export const raw: ConversationStore = {
  name: "raw node:sqlite",
  open(path, sync) {
    const database = new DatabaseSync(path);
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${sync}`);
    database.exec("CREATE TABLE messages (id INTEGER PRIMARY KEY, body TEXT NOT NULL)");
    const insert = database.prepare("INSERT INTO messages (body) VALUES (?)");
    const select = database.prepare("SELECT body FROM messages ORDER BY id");
    return {
      append(message) {
        const stored = { ...message, createdAt: new Date().toISOString(), metadata: { schemaVersion: 2 } };
        insert.run(JSON.stringify(stored));
      },
      load: () => select.all().map((row) => JSON.parse(String(row["body"])) as unknown).length,
      close: () => database.close(),
    };
  },
};
