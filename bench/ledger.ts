// The ledger beside raw inserts and beside other stores of conversations, in one run: what a turn costs, how that grows,
// loads, bytes on disk, an agent that resends its history, the search index, and Postgres at 16 connections.
//   --messages 5000       how long the conversations get
//   --only turns          one of: turns, resending, search, postgres
import { parseArgs } from "node:util";
import { measureResending, measureSearch } from "./ledger/habits.ts";
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
  // A commit waits for the disk here, so that the others' ways are the same story; fewer turns tell it.
  await measureTurns([raw, koine, koineStreamed], "full", Math.min(most, 1000));
}

const PARTS = { turns, resending: measureResending, search: measureSearch, postgres: measurePostgres };
for (const [name, measure] of Object.entries(PARTS)) {
  if (values.only === undefined || values.only === name) await measure();
}
