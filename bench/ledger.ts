// Compares the ledger with raw inserts and other conversation stores in one run: cost of a turn and its growth, load
// time, bytes on disk, a client that resends its history, the search index, and Postgres with 16 connections.
//   --messages 5000       the length of the conversations
//   --only turns          one of: turns, resending, search, postgres
import { parseArgs } from "node:util";
import { measureResending, measureSearch } from "./ledger/resend-and-search.ts";
import { koine, koineStreamed } from "./ledger/koine.ts";
import { loadLangGraph } from "./ledger/langgraph.ts";
import { loadMastra } from "./ledger/mastra.ts";
import { measurePostgres } from "./ledger/postgres.ts";
import { raw } from "./ledger/raw.ts";
import { measureTurns } from "./ledger/turns.ts";

const { values } = parseArgs({
  options: { messages: { type: "string", default: "5000" }, only: { type: "string" } },
});
const most = Number(values.messages);

async function turns(): Promise<void> {
  const peers = [await loadMastra(), await loadLangGraph()];
  await measureTurns([raw, koine, koineStreamed, ...peers], "normal", most);
  // With "full", each commit waits for the disk, which dominates the cost, so fewer turns are enough.
  await measureTurns([raw, koine, koineStreamed], "full", Math.min(most, 1000));
}

const PARTS = { turns, resending: measureResending, search: measureSearch, postgres: measurePostgres };
for (const [name, measure] of Object.entries(PARTS)) {
  if (values.only === undefined || values.only === name) await measure();
}
