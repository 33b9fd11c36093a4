// Very many streams at once, for minutes, with readers that are slow and readers that vanish: memory must stay flat, and
// nothing may be lost. Prints its figures, and fails where they are not what they must be.
//   --streams 2000   at once
//   --minutes 3
//   --gap 1000       milliseconds between two pieces of an answer
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
import { answerOf, callIn } from "./soak/talk.ts";

const { values } = parseArgs({
  options: {
    streams: { type: "string", default: "2000" },
    minutes: { type: "string", default: "3" },
    gap: { type: "string", default: "1000" },
  },
});
const streams = Number(values.streams);
const runMs = Number(values.minutes) * 60_000;
/** How much more memory the last third of the time may take than the second. */
const FLAT = 1.15;

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "koine-soak-"));
const node = [...process.execArgv];
const upstream = spawn(process.execPath, [...node, here("soak/upstream.ts"), values.gap], {
  stdio: ["ignore", "pipe", "inherit"],
});
// The line that is waited for.
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
const serve = [here("../src/cli/main.ts"), "serve", "--port", "0", "--data", folder, "--config", config];
const koine = spawn(process.execPath, [...node, "--import", here("../bench/gateway/meter.ts"), ...serve], {
  stdio: ["ignore", "pipe", "inherit", "ipc"],
});
const url = await listening();

async function listening(): Promise<string> {
  if (koine.stdout === null) throw new Error("The server has no output.");
  for await (const line of createInterface(koine.stdout)) {
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
    if (found !== null) return found[0];
  }
  throw new Error("The server did not start.");
}

async function meter(): Promise<{ cpuMs: number; rssMb: number }> {
  const told = once(koine, "message");
  koine.send("cpu");
  // What meter.ts sends.
  return ((await told) as [{ cpuMs: number; rssMb: number }])[0];
}

const readers = new Readers(url, streams);
const begun = performance.now();
const work = Promise.all(Array.from({ length: streams }, () => readers.work(begun + runMs)));
const samples: { at: number; rssMb: number }[] = [];
const over = new AbortController();
const watch = (async () => {
  for (;;) {
    await sleep(5000);
    if (over.signal.aborted) return;
    const { cpuMs, rssMb } = await meter();
    const at = performance.now() - begun;
    samples.push({ at, rssMb });
    const { whole, left, wrong } = readers.tally;
    console.log(
      `${(at / 1000).toFixed(0)} s: ${readers.open} open, ${whole.length} whole, ${left.length} left, ${wrong.length} wrong; ` +
        `${rssMb.toFixed(0)} MB, ${(cpuMs / at).toFixed(2)} cores`,
    );
  }
})();
await work;
over.abort();
await watch;
await readers.close();
koine.kill("SIGTERM");
const [code] = (await once(koine, "exit")) as [number | null];
upstream.kill();

/** The numbers of the calls whose whole answer is in the ledger. */
async function recorded(): Promise<Set<number>> {
  const ledger = await openLedger(`sqlite:${join(folder, "koine.db")}`);
  const calls = new Set<number>();
  for (let before: string | undefined; ;) {
    const page = await ledger.threads(before === undefined ? { limit: 500 } : { limit: 500, before });
    for (const { id } of page) {
      const [question, answer] = await ledger.transcript(id);
      const call = question === undefined ? Number.NaN : callIn(getText(question));
      if (answer !== undefined && getText(answer) === answerOf(call)) calls.add(call);
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

const kept = await recorded();
const { whole, left, wrong } = readers.tally;
const lost = [...whole, ...left].filter((call) => !kept.has(call));
const growth = mean(2 / 3, 1) / mean(1 / 3, 2 / 3);
console.log(
  `${whole.length} answers read to the end, ${left.length} left by their readers, ${kept.size} in the ledger.`,
);
console.log(
  `Memory in the second and the last third: ${mean(1 / 3, 2 / 3).toFixed(0)} and ${mean(2 / 3, 1).toFixed(0)} MB.`,
);
for (const each of wrong.slice(0, 10)) console.log(`wrong: ${each}`);
if (lost.length > 0) console.log(`lost: ${lost.slice(0, 20).join(", ")}`);
const isGood = lost.length === 0 && wrong.length === 0 && whole.length > 0 && growth < FLAT && code === 0;
console.log(
  isGood
    ? "soak passed"
    : `soak FAILED (${lost.length} lost, ${wrong.length} wrong, growth ${growth.toFixed(2)}, exit ${code})`,
);
rmSync(folder, { recursive: true, force: true });
process.exit(isGood ? 0 : 1);
