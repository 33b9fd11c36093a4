// Measures the cost of transcoding a stream, bytes to bytes, per event of the source, compared with the minimum:
// parsing and writing the JSON of each event. Then measures the memory of a long stream. Each direction runs in its own
// process, because the JIT state of one direction would affect the next direction.
//   --no-peers                   Koine and the floor only
//   --direction anthropic:gemini one direction only
//   --profile anthropic:gemini   Koine only, in a loop, for `node --cpu-prof`
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { transcode } from "../src/index.ts";
import type { Streamer } from "./contenders/contender.ts";
import { loadContenders } from "./contenders/index.ts";
import { koine } from "./contenders/koine.ts";
import { median, table } from "./measure.ts";
import type { StreamEvent } from "./payloads/streams.ts";
import { lines, createScript, STREAM_WRITERS } from "./payloads/streams.ts";
import { readStreamContent } from "./wire/stream-content.ts";
import type { DialectName } from "./wire/wire.ts";
import { DIALECTS } from "./wire/wire.ts";

const EVENTS = 2000;
const ROUNDS = 40;
const WARM_UP = 60;
const GOAL = 2;
const PROFILE_MS = 5000;
/** The number of bytes in one network read. */
const READ = 1400;
/** The mark of a stream in which text or arguments are missing or changed. */
const LOSSY = "*";

const ALL_PAIRS = DIALECTS.flatMap((from) => DIALECTS.map((to) => [from, to] as const));

interface Stream {
  events: StreamEvent[];
  chunks: Uint8Array[];
}

function makeStream(dialect: DialectName, count: number): Stream {
  const events = [...STREAM_WRITERS[dialect](createScript(count))];
  const bytes = new TextEncoder().encode(events.map(lines).join(""));
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += READ) chunks.push(bytes.subarray(at, at + READ));
  return { events, chunks };
}

/** Returns a run of the minimum work of a transcoder: parsing and writing the JSON of each event. */
function floor({ events }: Stream): () => number {
  return () => {
    let length = 0;
    for (const { data } of events) if (data !== "[DONE]") length += JSON.stringify(JSON.parse(data)).length;
    return length;
  };
}

type Run = () => unknown;

/** Returns the median time of each run in milliseconds. The runs alternate, and the run that goes first changes. */
async function alternate(runs: readonly Run[]): Promise<number[]> {
  const times = runs.map((): number[] => []);
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const turn of runs.keys()) {
      const which = (Math.abs(round) + turn) % runs.length;
      const start = performance.now();
      await runs[which]?.();
      if (round >= 0) times[which]?.push(performance.now() - start);
    }
  }
  return times.map(median);
}

interface Lane {
  name: string;
  run?: Run;
  lossy: boolean;
  remark: string;
}

async function lane(streamer: Streamer, from: DialectName, to: DialectName, stream: Stream): Promise<Lane> {
  const { name } = streamer;
  const gap = streamer.gap({ from, to });
  if (gap !== undefined) return { name, lossy: false, remark: `${name}: ${gap}` };
  const run = (): string | Promise<string> => streamer.run({ from, to, ...stream });
  try {
    const meant = readStreamContent(from, stream.events.map(lines).join(""));
    const output = readStreamContent(to, await run());
    return { name, run, lossy: output.text !== meant.text || output.args !== meant.args, remark: "" };
  } catch (error) {
    return { name, lossy: true, remark: `${name} threw: ${error instanceof Error ? error.message : String(error)}` };
  }
}

async function row(
  [from, to]: readonly [DialectName, DialectName],
  rivals: readonly Streamer[],
): Promise<readonly string[]> {
  const stream = makeStream(from, EVENTS);
  const lanes: Lane[] = [];
  for (const rival of rivals) lanes.push(await lane(rival, from, to, stream));
  const [least = Number.NaN, ...times] = await alternate([floor(stream), ...lanes.flatMap(({ run }) => run ?? [])]);
  const ratios = lanes.map(({ run }) => (run === undefined ? undefined : (times.shift() ?? Number.NaN) / least));
  const cells = lanes.map(({ lossy }, index) => `${ratios[index]?.toFixed(2) ?? ""}${lossy ? LOSSY : ""}`);
  const remarks = lanes.map(({ remark }) => remark).filter((remark) => remark !== "");
  if ((ratios[0] ?? 0) > GOAL) remarks.unshift("MISSED");
  const perEvent = ((least * 1e6) / stream.events.length).toFixed(0);
  return [`${from} → ${to}`, perEvent, ...cells, `≤ ${GOAL}`, remarks.join("; ")];
}

const head = (rivals: readonly Streamer[]): string[] => [
  "direction",
  "floor ns per event",
  ...rivals.map(({ name }) => `${name} ×`),
  "goal for koine",
  "remark",
];

const TITLE = `transcode a stream of about ${EVENTS} events (${LOSSY} its text or arguments are lost or changed)`;
/** The prefix of the output line in which a child process returns its row. */
const ROW = "row: ";

function childRow(direction: string, options: readonly string[]): string[] {
  const file = fileURLToPath(import.meta.url);
  const args = [...process.execArgv, file, "--direction", direction, "--row", ...options];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const line = stdout.split("\n").find((each) => each.startsWith(ROW));
  // The cast is safe, because the child process runs this file and writes the row as a list of strings.
  return line === undefined ? [direction, stderr.trim()] : (JSON.parse(line.slice(ROW.length)) as string[]);
}

const MEGABYTE = 1e6;
const LONG = 100 * MEGABYTE;

/** Yields the chunks of one long answer lazily. */
function* longStream(bytes: number): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  const events = [...STREAM_WRITERS.anthropic({ thoughts: [], texts: [" a few words, "], args: ["{}"] })];
  const at = events.findIndex(({ data }) => data.includes("text_delta"));
  const delta = events[at] === undefined ? "" : lines(events[at]);
  const chunk = encoder.encode(delta.repeat(Math.ceil(READ / delta.length)));
  yield encoder.encode(events.slice(0, at).map(lines).join(""));
  for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
  yield encoder.encode(events.slice(at).map(lines).join(""));
}

function liveHeap(collect: () => void): number {
  collect();
  return process.memoryUsage().heapUsed / MEGABYTE;
}

function benchMemory(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const rows = DIALECTS.map((to) => {
    const coder = transcode("anthropic", to);
    const marks: number[] = [];
    let [read, written] = [0, 0];
    for (const chunk of longStream(LONG)) {
      read += chunk.length;
      written += coder.push(chunk).length;
      if (read >= (LONG / 4) * (marks.length + 1)) marks.push(liveHeap(collect));
    }
    written += coder.end().length;
    return [`anthropic → ${to}`, (written / MEGABYTE).toFixed(0), ...marks.slice(0, 4).map((mark) => mark.toFixed(1))];
  });
  table(
    "one answer of 100 MB: live heap in MB (what grows is the answer's text, about 11 MB of it)",
    ["direction", "MB out", "25 MB", "50 MB", "75 MB", "100 MB"],
    rows,
  );
}

function pairOf(direction: string): readonly [DialectName, DialectName] {
  const pair = ALL_PAIRS.find((it) => it.join(":") === direction);
  if (pair !== undefined) return pair;
  throw new Error(`There is no direction ${direction}; there are ${ALL_PAIRS.map((it) => it.join(":")).join(", ")}`);
}

function profile(direction: string): void {
  const [from, to] = pairOf(direction);
  const stream = makeStream(from, EVENTS);
  const end = performance.now() + PROFILE_MS;
  let runs = 0;
  for (; performance.now() < end; runs++) void koine.streamer.run({ from, to, ...stream });
  console.log(`${direction}: ${((PROFILE_MS * 1e6) / runs / stream.events.length).toFixed(0)} ns per event`);
}

const { values } = parseArgs({
  options: {
    profile: { type: "string" },
    direction: { type: "string" },
    row: { type: "boolean" },
    "no-peers": { type: "boolean" },
  },
});
if (values.profile !== undefined) profile(values.profile);
else {
  const isAlone = values["no-peers"] === true;
  const rivals = (isAlone ? [koine] : await loadContenders()).map(({ streamer }) => streamer);
  if (values.direction === undefined) {
    const options = isAlone ? ["--no-peers"] : [];
    table(
      TITLE,
      head(rivals),
      ALL_PAIRS.map((pair) => childRow(pair.join(":"), options)),
    );
    benchMemory();
  } else {
    const cells = await row(pairOf(values.direction), rivals);
    if (values.row === true) console.log(ROW + JSON.stringify(cells));
    else table(TITLE, head(rivals), [cells]);
  }
}
