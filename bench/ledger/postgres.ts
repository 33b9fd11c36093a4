// Measures Postgres: appends per second over 16 connections, compared with single inserts of the same JSON.
import { openLedger } from "../../src/ledger/index.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { median, table } from "../measure.ts";
import { createMessage } from "./conversation-store.ts";

const CONNECTIONS = 16;
const TURNS = 100;
const ROUNDS = 5;

/** Returns the turns per second of all parallel writers; each writer has its own conversation. */
async function rate(turn: (writer: number, number: number) => Promise<unknown>): Promise<number> {
  const start = performance.now();
  const writer = async (_: unknown, index: number): Promise<void> => {
    for (let i = 0; i < TURNS; i++) await turn(index, i);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, writer));
  return (CONNECTIONS * TURNS * 1000) / (performance.now() - start);
}

export async function measurePostgres(): Promise<void> {
  const server = await startPostgres({ fsync: true });
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({ connectionString: server.url, max: CONNECTIONS });
  const ledger = await openLedger(server.url, { connections: CONNECTIONS });
  try {
    await pool.query("CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL)");
    const threads = await Promise.all(Array.from({ length: CONNECTIONS }, () => ledger.createThread()));
    const bare: number[] = [];
    const koine: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      bare.push(
        await rate((_, number) => {
          const stored = {
            ...createMessage(number),
            createdAt: new Date().toISOString(),
            metadata: { schemaVersion: 2 },
          };
          return pool.query({
            name: "bare",
            text: "INSERT INTO bare (body) VALUES ($1)",
            values: [JSON.stringify(stored)],
          });
        }),
      );
      koine.push(await rate((writer, number) => ledger.append(threads[writer]?.id ?? "", [createMessage(number)])));
    }
    table(
      `PostgreSQL, ${CONNECTIONS} connections, messages of 1 kB, each acknowledged on disk`,
      ["", "turns a second", "× bare"],
      [
        ["bare pg", median(bare).toFixed(0), "1.00"],
        ["Koine, append", median(koine).toFixed(0), (median(bare) / median(koine)).toFixed(2)],
      ],
    );
  } finally {
    await ledger.close();
    await pool.end();
    await server.stop("fast");
  }
}
