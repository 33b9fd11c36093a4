// Global setup of vitest: gives the workers the URL of the PostgreSQL server of the test run. The server starts with the
// first request, so that a run without Postgres tests never waits for it.
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import type { PostgresServer } from "./postgres.ts";

/** The variable with the address at which the workers of a test run request the server. */
export const BROKER = "KOINE_TEST_POSTGRES";

export default async function setup(): Promise<() => Promise<void>> {
  let shared: Promise<PostgresServer> | undefined;
  const start = async (): Promise<PostgresServer> => {
    const { startPostgres } = await import("./postgres.ts");
    return startPostgres({ fsync: false, settings: ["max_connections=300"] });
  };
  const answer = async (socket: Socket): Promise<void> => {
    // A worker that ends while it waits is not a failure.
    socket.on("error", () => undefined);
    shared ??= start();
    const reply = await shared.then(
      ({ url }) => url,
      (error: unknown) => `error: ${String(error)}`,
    );
    socket.end(reply);
  };
  const broker = createServer((socket) => void answer(socket)).listen(0, "127.0.0.1");
  await once(broker, "listening");
  const address = broker.address();
  if (address !== null && typeof address === "object") process.env[BROKER] = String(address.port);
  broker.unref();
  return async () => {
    broker.close();
    await (await shared?.catch(() => undefined))?.end();
  };
}
