// A Koine that changes its process during a conversation: one server that is restarted, or two on one database that
// alternate. Clients use one URL.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import { inPostgres, sharedPostgres } from "../../support/postgres.ts";
import { startKoine } from "../support/start-koine.ts";

export interface MovingKoine extends AsyncDisposable {
  /** The URL stays the same. */
  readonly url: string;
  /** The next request is served by a process that has not seen the conversation. */
  move(): Promise<void>;
}

/** A server on SQLite; moving restarts it on the same file and port. */
export async function restartingKoine(config: ConfigInput): Promise<MovingKoine> {
  const folder = await mkdtemp(join(tmpdir(), "koine-matrix-"));
  const settings = { ...config, ledger: { url: `sqlite:${join(folder, "koine.db")}` } };
  let koine = await startKoine(settings);
  const { url } = koine;
  return {
    url,
    async move() {
      await koine.close();
      koine = await startKoine({ ...settings, port: Number(new URL(url).port) });
    },
    async [Symbol.asyncDispose]() {
      await koine.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Two servers on one PostgreSQL behind a proxy; moving switches to the other one. */
export async function alternatingKoine(config: ConfigInput): Promise<MovingKoine> {
  const database = await freshDatabase();
  const settings = { ...config, ledger: { url: database.url, connections: 2 } };
  const both = [await startKoine(settings), await startKoine(settings)];
  let turn = 0;
  const front = createServer((incoming, outgoing) => {
    const target = both[turn % both.length];
    const { method, url, headers } = incoming;
    const onward = request(`${target?.url}${url}`, { method, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  // A listening server has a port.
  const { port } = front.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    move() {
      turn++;
      return Promise.resolve();
    },
    async [Symbol.asyncDispose]() {
      front.closeAllConnections();
      front.close();
      for (const koine of both) await koine.close();
      await database.drop();
    },
  };
}

async function freshDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = await sharedPostgres();
  const name = `matrix_${randomBytes(6).toString("hex")}`;
  await inPostgres(server, (client) => client.query(`CREATE DATABASE ${name}`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => inPostgres(server, async (client) => void (await client.query(`DROP DATABASE ${name} WITH (FORCE)`))),
  };
}
