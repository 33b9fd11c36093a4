// Measures the CPU of a client process per streamed answer: Koine and the official SDKs, with the same local server in
// another process. The goal is that Koine needs no more CPU than the fastest SDK for the same work.
//   --count 100   the number of deltas of an answer
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createCallers, type Caller } from "./client/callers.ts";
import { median, table } from "./measure.ts";
import { DIALECTS } from "./wire/wire.ts";

const ROUNDS = 25;
const WARM_UP = 8;
/** The number of answers per round, because a single answer is too short to measure. */
const ANSWERS = 24;
/** The number of parallel answers. */
const AT_ONCE = 4;

const { values } = parseArgs({ options: { count: { type: "string", multiple: true, default: ["30", "300"] } } });

async function round(caller: Caller): Promise<{ cpu: number; wall: number }> {
  const before = process.cpuUsage();
  const start = performance.now();
  let left = ANSWERS;
  const work = async (): Promise<void> => {
    while (left-- > 0) if ((await caller.ask()) === 0) throw new Error(`${caller.name} read nothing.`);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000 / ANSWERS, wall: (performance.now() - start) / ANSWERS };
}

async function measure(url: string, count: number): Promise<void> {
  const rows: string[][] = [];
  for (const dialect of DIALECTS) {
    const callers = createCallers(url, dialect);
    const times = callers.map((): { cpu: number; wall: number }[] => []);
    for (let turn = -WARM_UP; turn < ROUNDS; turn++) {
      for (const at of callers.keys()) {
        const which = (Math.abs(turn) + at) % callers.length;
        const caller = callers[which];
        if (caller === undefined) continue;
        const time = await round(caller);
        if (turn >= 0) times[which]?.push(time);
      }
    }
    const cpu = times.map((each) => median(each.map((time) => time.cpu)));
    const wall = times.map((each) => median(each.map((time) => time.wall)));
    callers.forEach(({ name, what }, at) => {
      const peers = cpu.filter(
        (_, other) => callers[other]?.what === what && !callers[other]?.name.startsWith("Koine"),
      );
      const ratio =
        name.startsWith("Koine") && peers.length > 0 ? ((cpu[at] ?? 0) / Math.min(...peers)).toFixed(2) : "";
      rows.push([
        dialect,
        name,
        ((cpu[at] ?? 0) * 1000).toFixed(0),
        ((wall[at] ?? 0) * 1000).toFixed(0),
        ((cpu[at] ?? 0) / (cpu[0] ?? 1)).toFixed(2),
        ratio,
      ]);
    });
  }
  const head = ["dialect", "client", "CPU µs", "wall µs", "× floor", "× SDK"];
  table(`A streamed answer of ${count} deltas, per answer, ${AT_ONCE} at once (goal: × SDK ≤ 1)`, head, rows);
}

for (const count of values.count) {
  const file = fileURLToPath(new URL("client/server.ts", import.meta.url));
  const server = spawn(process.execPath, [...process.execArgv, file, count], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [url] = (await once(createInterface(server.stdout), "line")) as [string];
    await measure(url, Number(count));
  } finally {
    server.kill();
  }
}
// The SDKs keep their connections open, so the process must exit explicitly.
process.exit(process.exitCode ?? 0);
