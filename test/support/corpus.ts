// Recorded provider payloads: third-party data outside of this repository. If they are absent, one test prints a warning
// in place of the tests that use them.
import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "vitest";
import { parseJson } from "../../src/index.ts";
import type { StreamSample, WireSample } from "../../src/testkit/index.ts";
import { sampleInQuickRun } from "./quick-run.ts";

const FOLDER = process.env["KOINE_CORPUS"] ?? fileURLToPath(new URL("../../../shared/corpus", import.meta.url));

export interface Recording {
  path: string;
  /** Whole files for JSON, one text per line for JSONL. */
  texts: string[];
}

/** Declares tests with the recordings, or one test that warns of their absence. */
export function describeCorpus(pattern: string, tests: (recordings: Recording[]) => void): void {
  if (!existsSync(FOLDER)) {
    test("SKIPPED: no recorded payloads were found; set KOINE_CORPUS to a folder that has them", () => {
      console.warn("LEFT OUT: tests over recorded payloads; set KOINE_CORPUS to a folder that has them");
    });
    return;
  }
  tests(
    sampleInQuickRun(globSync(pattern, { cwd: FOLDER })).map((path) => {
      const content = readFileSync(`${FOLDER}/${path}`, "utf8");
      return { path, texts: path.endsWith(".jsonl") ? content.split("\n").filter((line) => line !== "") : [content] };
    }),
  );
}

/** The fields of a manifest row that are used here. */
interface Row {
  path: string;
  dialect: string;
  kind: string;
  rejected?: unknown;
  handWritten?: unknown;
  unterminated?: unknown;
  features?: string[];
  status?: number;
  model?: string;
  note?: string;
}
export type SampleKind = "requests" | "responses" | "errors";
export type SamplesOf = (dialect: string, kind: SampleKind) => WireSample[];

/**
 * Declares tests with the bodies of each dialect, including those of compatible vendors. Rejected requests, hand-written
 * bodies and SDK error strings are left out.
 */
export function describeBodies(tests: (samplesOf: SamplesOf) => void): void {
  describeCorpus("manifest.json", ([manifest]) => {
    // The manifest of the corpus is a list of such rows.
    const rows = parseJson(manifest?.texts[0] ?? "[]") as unknown as Row[];
    const read = (dialect: string, kind: SampleKind): WireSample[] => {
      const meant = rows.filter((row) => {
        const isMeant = row.kind === kind && (row.dialect === dialect || row.dialect === `${dialect}-compat`);
        return isMeant && !row.rejected && !row.handWritten && row.note?.startsWith("SDK error string") !== true;
      });
      return sampleInQuickRun(meant).map((row) => readSample(row, dialect));
    };
    const known = new Map<string, WireSample[]>();
    tests((dialect, kind) => {
      const samples = known.get(`${dialect} ${kind}`) ?? read(dialect, kind);
      known.set(`${dialect} ${kind}`, samples);
      return samples;
    });
  });
}

function readSample({ path, status, model }: Row, dialect: string): WireSample {
  const wire = parseJson(readFileSync(`${FOLDER}/${path}`, "utf8"));
  const sample: WireSample = { name: path, wire };
  if (status !== undefined) sample.status = status;
  // The model of Gemini is in the URL; some recordings have it in the body as well.
  const isInUrl = dialect === "gemini" && path.includes("/requests/") && !Object.hasOwn(Object(wire), "model");
  if (isInUrl && model !== undefined) sample.address = { model };
  return sample;
}

/** A stream as it was recorded: the data of its events. */
export interface RecordedStream extends StreamSample {
  /** The dialect; streams of compatible vendors have the dialect they are compatible with. */
  dialect: string;
  /** True if the stream was written by hand, not recorded. */
  isHandWritten: boolean;
}

/** Declares tests with the recorded streams, by dialect. */
export function describeStreams(tests: (streams: ReadonlyMap<string, RecordedStream[]>) => void): void {
  describeCorpus("manifest.json", ([manifest]) => {
    const rows = parseJson(manifest?.texts[0] ?? "[]") as unknown as Row[];
    const streams = sampleInQuickRun(rows.filter(({ kind }) => kind === "streams")).map(readStream);
    tests(Map.groupBy(streams, ({ dialect }) => dialect));
  });
}

function readStream({ path, dialect, unterminated, handWritten, features = [] }: Row): RecordedStream {
  const lines = readFileSync(`${FOLDER}/${path}`, "utf8").split("\n");
  const hasFailed = features.includes("error");
  return {
    name: path,
    dialect: dialect.replace(/-compat$/, ""),
    events: lines.filter((line) => line !== "").map((line) => parseJson(line)),
    ends: unterminated === undefined ? (hasFailed ? "error" : "done") : "truncated",
    isHandWritten: handWritten !== undefined,
  };
}

const SHOWN = 4;

/** Runs a check over all samples, and throws the first few that fail, with their number. */
export function checkAll<S extends { name: string }>(samples: readonly S[], check: (sample: S) => void): void {
  if (samples.length === 0) throw new Error("There are no samples to check.");
  const failures = samples.flatMap((sample) => {
    try {
      check(sample);
      return [];
    } catch (error) {
      return [`${sample.name}: ${error instanceof Error ? error.message.slice(0, 1200) : String(error)}`];
    }
  });
  if (failures.length === 0) return;
  const more = failures.length > SHOWN ? [`… and ${failures.length - SHOWN} more.`] : [];
  const shown = [...failures.slice(0, SHOWN), ...more].join("\n\n");
  throw new Error(`${failures.length} of ${samples.length} fail.\n\n${shown}`);
}
