// Waits until nothing that a killed client began is still going on. SQLite's work dies with its process; PostgreSQL goes
// on with a statement, a commit even, until it notices that nobody listens any more.
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import type { Target } from "./target.ts";

const TRIES = 2000;

export async function quiet(target: Target): Promise<void> {
  if (target.engine === "sqlite") return;
  const application = new URL(target.url).searchParams.get("application_name");
  const own = new URL(target.url);
  own.searchParams.set("application_name", "campaign");
  const client = new Client({ connectionString: own.href });
  await client.connect();
  try {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const { rowCount } = await client.query("SELECT 1 FROM pg_stat_activity WHERE application_name = $1", [
        application,
      ]);
      if (rowCount === 0) return;
      await pause(5);
    }
    throw new Error("PostgreSQL keeps the sessions of clients that are gone.");
  } finally {
    await client.end();
  }
}
