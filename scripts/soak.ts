// Soak test: many parallel streams for minutes, with slow and disconnecting readers. Fails if memory grows, an answer
// is wrong or an answer is missing in the ledger.
//   --streams 2000   the number of parallel streams
//   --minutes 3
//   --gap 1000       the time between two deltas of an answer, in milliseconds
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openLedger } from "../src/ledger/index.ts";
import { getText } from "../src/model/index.ts";
import { Readers } from "./soak/readers.ts";
import { createAnswer, readCallNumber } from "./soak/questions.ts";

const { values } = parseArgs({
  options: {
    streams: { type: "string", default: "2000" },
    minutes: { type: "string", default: "3" },
    gap: { type: "string", default: "1000" },
  },
});
const streams = Number(values.streams);
const runMs = Number(values.minutes) * 60_000;
/** The maximum ratio of the mean memory in the last third of the time to the mean memory in the second third. */
const MAX_GROWTH = 1.15;

const resolvePath = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "koine-soak-"));
const node = [...process.execArgv];
const upstream = spawn(process.execPath, [...node, resolvePath("soak/upstream.ts"), values.gap], {
  stdio: ["ignore", "pipe", "inherit"],
});
// The cast is safe, because the upstream prints its address as the first line.
const [address] = (await once(createInterface(upstream.stdout), "line")) as [string];
const config = join(folder, "koine.config.json");
writeFileSync(
  config,
  JSON.stringify({
    providers: { soak: { dialect: "anthropic", baseUrl: address, apiKey: "soak-key-0123456789" } },
    limits: { open: streams * 2 },
    log: { level: "warn" },
  }),
);
const serve = [resolvePath("../src/cli/main.ts"), "serve", "--port", "0", "--data", folder, "--config", config];
const koine = spawn(process.execPath, [...node, "--import", resolvePath("../bench/gateway/meter.ts"), ...serve], {
  stdio: ["ignore", "pipe", "inherit", "ipc"],
});
const url = await waitForAddress();

async function waitForAddress(): Promise<string> {
  if (koine.stdout === null) throw new Error("The server has no output.");
  for await (const line of createInterface(koine.stdout)) {
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
    if (address !== null) return address[0];
  }
  throw new Error("The server did not start.");
}

async function readMeter(): Promise<{ cpuMs: number; rssMb: number }> {
  const reply = once(koine, "message");
  koine.send("cpu");
  return ((await reply) as [{ cpuMs: number; rssMb: number }])[0];
}

const readers = new Readers(url, streams);
const startTime = performance.now();
const work = Promise.all(Array.from({ length: streams }, () => readers.work(startTime + runMs)));
const samples: { at: number; rssMb: number }[] = [];
const finished = new AbortController();
const watch = (async () => {
  for (;;) {
    await sleep(5000);
    if (finished.signal.aborted) return;
    const { cpuMs, rssMb } = await readMeter();
    const at = performance.now() - startTime;
    samples.push({ at, rssMb });
    const { complete, disconnected, errors } = readers.results;
    console.log(
      `${(at / 1000).toFixed(0)} s: ${readers.open} open, ${complete.length} complete, ${disconnected.length} disconnected, ${errors.length} errors; ` +
        `${rssMb.toFixed(0)} MB, ${(cpuMs / at).toFixed(2)} cores`,
    );
  }
})();
await work;
finished.abort();
await watch;
await readers.close();
koine.kill("SIGTERM");
const [code] = (await once(koine, "exit")) as [number | null];
upstream.kill();

/** Returns the numbers of the calls whose complete answer is in the ledger. */
async function readRecordedCalls(): Promise<Set<number>> {
  const ledger = await openLedger(`sqlite:${join(folder, "koine.db")}`);
  const calls = new Set<number>();
  for (let before: string | undefined; ;) {
    const page = await ledger.threads(before === undefined ? { limit: 500 } : { limit: 500, before });
    for (const { id } of page) {
      const [question, answer] = await ledger.transcript(id);
      const call = question === undefined ? Number.NaN : readCallNumber(getText(question));
      if (answer !== undefined && getText(answer) === createAnswer(call)) calls.add(call);
    }
    before = page.at(-1)?.id;
    if (before === undefined) break;
  }
  await ledger.close();
  return calls;
}

function mean(from: number, to: number): number {
  const within = samples.filter(({ at }) => at >= runMs * from && at <= runMs * to).map(({ rssMb }) => rssMb);
  return within.reduce((sum, mb) => sum + mb, 0) / Math.max(1, within.length);
}

const recordedCalls = await readRecordedCalls();
const { complete, disconnected, errors } = readers.results;
const lost = [...complete, ...disconnected].filter((call) => !recordedCalls.has(call));
const growth = mean(2 / 3, 1) / mean(1 / 3, 2 / 3);
console.log(
  `${complete.length} answers read completely, ${disconnected.length} disconnected by their readers, ${recordedCalls.size} in the ledger.`,
);
console.log(
  `Memory in the second and the last third: ${mean(1 / 3, 2 / 3).toFixed(0)} and ${mean(2 / 3, 1).toFixed(0)} MB.`,
);
for (const error of errors.slice(0, 10)) console.log(`error: ${error}`);
if (lost.length > 0) console.log(`lost: ${lost.slice(0, 20).join(", ")}`);
const hasPassed = lost.length === 0 && errors.length === 0 && complete.length > 0 && growth < MAX_GROWTH && code === 0;
console.log(
  hasPassed
    ? "soak passed"
    : `soak FAILED (${lost.length} lost, ${errors.length} errors, growth ${growth.toFixed(2)}, exit ${code})`,
);
rmSync(folder, { recursive: true, force: true });
process.exit(hasPassed ? 0 : 1);
