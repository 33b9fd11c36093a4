// A real PostgreSQL for tests. All test files of a run share one server, which starts on first use; a test that stops
// the server has its own. postgres-process.ts removes the files.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, Socket } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import type { PostgresProcessReply, PostgresProcessOptions } from "./postgres-process.ts";
import { BROKER } from "./postgres-setup.ts";
import { isQuickRun } from "./quick-run.ts";

/** A server that the test may stop and start again. */
export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  /** Of the server's first process. */
  readonly pid: number;
  /** "fast" ends sessions and writes everything down; "immediate" is as if the power went. */
  stop(mode: "fast" | "immediate"): Promise<void>;
  /** Again, on the same port and data. */
  start(): Promise<void>;
  /** Stops it for good and removes its folder. */
  end(): Promise<void>;
}
export interface ServerOptions {
  /** True if a commit waits for the disk. Default true; without it, the server is faster but loses data in a power cut. */
  fsync?: boolean;
  /** Further settings, as "name=value". */
  settings?: string[];
}

/** Starts a server in a private folder, on a free port of this machine. */
export async function startPostgres(options: ServerOptions = {}): Promise<PostgresServer> {
  const keeperOptions: PostgresProcessOptions = {
    fsync: options.fsync ?? true,
    user: "koine",
    password: randomBytes(8).toString("hex"),
    settings: options.settings ?? [],
  };
  const program = fileURLToPath(new URL("postgres-process.ts", import.meta.url));
  const keeper = spawn(process.execPath, [program, JSON.stringify(keeperOptions)], {
    stdio: ["pipe", "pipe", "inherit"],
    // A signal to this process's group must not reach the keeper: it has to clean up.
    detached: true,
  });
  const exited = once(keeper, "exit");
  const request = requestsTo(keeper);
  let { pid, port } = running(await request("start"));
  return {
    url: `postgres://${keeperOptions.user}:${keeperOptions.password}@127.0.0.1:${port}/postgres`,
    port,
    get pid() {
      return pid;
    },
    stop: async (mode) => void (await request(`stop ${mode}`)),
    start: async () => void ({ pid } = running(await request("start"))),
    async end() {
      keeper.ref();
      keeper.stdin.end();
      await exited;
    },
  };
}

/** Sends the keeper one line at a time. Between requests it does not keep this process alive. */
function requestsTo(keeper: ChildProcess): (line: string) => Promise<PostgresProcessReply> {
  const { stdin, stdout } = keeper;
  if (!(stdin instanceof Socket) || !(stdout instanceof Socket)) throw new Error("The keeper has no pipes.");
  const answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  keeper.unref();
  stdin.unref();
  return async (line) => {
    stdin.write(`${line}\n`);
    stdout.ref();
    const { value, done } = await answers.next();
    stdout.unref();
    if (done === true) throw new Error("The keeper process of PostgreSQL has exited.");
    // The keeper writes no other lines.
    const answer = JSON.parse(value) as PostgresProcessReply;
    if ("error" in answer) throw new Error(answer.error);
    return answer;
  };
}

function running(answer: PostgresProcessReply): { pid: number; port: number } {
  if (!("pid" in answer)) throw new Error("The keeper did not start PostgreSQL.");
  return answer;
}

let sharedUrl: Promise<string> | undefined;

/** The address of the shared server. Outside of vitest this process has one of its own, which ends with it. */
export function sharedPostgres(): Promise<string> {
  sharedUrl ??= askBroker();
  return sharedUrl;
}

async function askBroker(): Promise<string> {
  if (isQuickRun) throw new Error("A quick run has no PostgreSQL: quick-run.ts must leave out this test file.");
  const port = Number(process.env[BROKER]);
  if (!(port > 0)) return (await startPostgres({ fsync: false })).url;
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  if (!answer.startsWith("postgres://")) throw new Error(`There is no PostgreSQL for the tests: ${answer}`);
  return answer;
}

/** A name for a schema that no other test has; `drop` removes it with everything in it. */
export async function freshSchema(url?: string): Promise<{ url: string; schema: string; drop(): Promise<void> }> {
  const address = url ?? (await sharedPostgres());
  const schema = `test_${randomBytes(6).toString("hex")}`;
  return {
    url: address,
    schema,
    drop: () =>
      inPostgres(address, async (client) => void (await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`))),
  };
}

/** Creates a database that no other test uses: statistics and locks of a database are shared by its schemas. */
export async function freshDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = await sharedPostgres();
  const name = `test_${randomBytes(6).toString("hex")}`;
  await inPostgres(server, (client) => client.query(`CREATE DATABASE ${name}`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => inPostgres(server, async (client) => void (await client.query(`DROP DATABASE ${name} WITH (FORCE)`))),
  };
}

/** Runs something on a connection of its own. */
export async function inPostgres<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  // A server that is stopped meanwhile rejects the work; without a listener it would also end the process.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
