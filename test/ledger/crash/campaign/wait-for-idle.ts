// Waits until all work of killed clients has ended. SQLite's work ends with its process; PostgreSQL continues a
// statement, even a commit, until it notices the lost connection.
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import type { Target } from "./target.ts";

const TRIES = 2000;

export async function waitForIdle(target: Target): Promise<void> {
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
    throw new Error("PostgreSQL still has sessions of disconnected clients.");
  } finally {
    await client.end();
  }
}
