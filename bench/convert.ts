// Measures `koine convert` on a large file: throughput and peak memory, compared with a loop that only reads, parses
// and writes each line. Both run as separate processes on the same file.
//   --size 1GB            the size of the file (256MB)
//   --rounds 3            the number of runs of each program
//   --from, --to          the dialects (anthropic, gemini)
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { table } from "./measure.ts";
import { makeSketch } from "./payloads/sketch.ts";
import { WRITERS } from "./payloads/writers.ts";
import { DIALECTS } from "./wire/wire.ts";

const UNITS: Readonly<Record<string, number>> = { MB: 1e6, GB: 1e9 };
/** The text lengths of the conversations in the file; lines of all lengths are mixed. */
const LENGTHS = [80, 150, 300, 500, 800, 1300, 2100, 3400];
const SAMPLE_MS = 20;

function readSize(text: string): number {
  const [, number = "", unit = ""] = /^(\d+)(MB|GB)$/.exec(text) ?? [];
  const size = Number(number) * (UNITS[unit] ?? Number.NaN);
  if (!(size > 0)) throw new Error(`--size is a number of MB or GB, such as 256MB; got ${text}`);
  return size;
}

/** Writes requests of 2 to 60 kB, one per line, until the file has the given size in bytes. */
function makeFile(path: string, size: number, from: (typeof DIALECTS)[number]): void {
  const lines = LENGTHS.flatMap((length) =>
    [1, 4].map((turns) => {
      const plan = { bytes: 2000 + length * 4 * turns, length, tools: 2 };
      return `${JSON.stringify(WRITERS[from](makeSketch(plan, (sketch) => JSON.stringify(sketch).length)))}\n`;
    }),
  );
  const block = Buffer.from(
    Array.from({ length: 20 }, () => lines)
      .flat()
      .join(""),
  );
  const file = openSync(path, "w");
  for (let written = 0; written < size; written += block.length) writeSync(file, block);
  closeSync(file);
}

interface Run {
  seconds: number;
  /** The CPU time of all threads, which depends less on the load of the machine than the elapsed time. */
  cpuSeconds: number;
  megabytes: number;
}

const NOT_MEASURED: Run = { seconds: Number.NaN, cpuSeconds: Number.NaN, megabytes: Number.NaN };

/** Reads the peak memory and the CPU time (ticks of 10 ms) of a process from /proc; undefined outside Linux. */
function readUsage(pid: number): Omit<Run, "seconds"> | undefined {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    if (kilobytes === undefined) return undefined;
    return { megabytes: (Number(kilobytes) * 1024) / 1e6, cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100 };
  } catch {
    return undefined;
  }
}

function measure(args: readonly string[]): Promise<Run> {
  const started = performance.now();
  const child = spawn(process.execPath, [...process.execArgv, ...args], { stdio: ["ignore", "ignore", "inherit"] });
  let used: Omit<Run, "seconds"> = NOT_MEASURED;
  const timer = setInterval(() => {
    used = readUsage(child.pid ?? 0) ?? used;
  }, SAMPLE_MS);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => {
      clearInterval(timer);
      if (code === 0) resolve({ ...used, seconds: (performance.now() - started) / 1000 });
      else reject(new Error(`${args.join(" ")} ended with ${code}`));
    });
  });
}

/** Returns the shortest times and the peak memory of all runs. */
function selectBest(runs: readonly Run[]): Run {
  return {
    seconds: Math.min(...runs.map(({ seconds }) => seconds)),
    cpuSeconds: Math.min(...runs.map(({ cpuSeconds }) => cpuSeconds)),
    megabytes: Math.max(...runs.map(({ megabytes }) => megabytes)),
  };
}

const { values } = parseArgs({
  options: {
    size: { type: "string", default: "256MB" },
    rounds: { type: "string", default: "3" },
    from: { type: "string", default: "anthropic" },
    to: { type: "string", default: "gemini" },
  },
});
const from = DIALECTS.find((name) => name === values.from);
if (from === undefined) throw new Error(`--from is one of ${DIALECTS.join(", ")}`);
const size = readSize(values.size);
const folder = mkdtempSync(join(tmpdir(), "koine-bench-"));
const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
try {
  const input = join(folder, "in.jsonl");
  makeFile(input, size, from);
  const bytes = statSync(input).size;
  const output = join(folder, "out.jsonl");
  const koine = script("../src/cli/main.ts");
  const none = join(folder, "none.jsonl");
  writeFileSync(none, "");
  const lanes: [name: string, args: string[]][] = [
    ["parse + stringify", [script("convert/floor.ts"), input, output]],
    [`koine convert to ${values.to}`, [koine, "convert", "-q", "--from", from, "--to", values.to, "-o", output, input]],
    [`the same, dialect detected per record`, [koine, "convert", "-q", "--to", values.to, "-o", output, input]],
    ["the same, of an empty file", [koine, "convert", "-q", "--to", values.to, "-o", output, none]],
  ];
  const runs = lanes.map((): Run[] => []);
  // The runs alternate, because the load of the machine varies.
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [index, [, args]] of lanes.entries()) runs[index]?.push(await measure(args));
  }
  const best = runs.map(selectBest);
  const [floor = NOT_MEASURED] = best;
  const rows = best.map(({ seconds, cpuSeconds, megabytes }, index) => [
    lanes[index]?.[0] ?? "",
    seconds.toFixed(1),
    index === lanes.length - 1 ? "" : (bytes / 1e6 / seconds).toFixed(0),
    (seconds / floor.seconds).toFixed(2),
    cpuSeconds.toFixed(1),
    (cpuSeconds / floor.cpuSeconds).toFixed(2),
    megabytes.toFixed(0),
  ]);
  const title = `convert ${(bytes / 1e6).toFixed(0)} MB of ${from} requests (the best of ${values.rounds} rounds, starting included)`;
  table(title, ["", "s", "MB/s", "× floor", "CPU s", "× floor", "peak MB"], rows);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
