// Runs one story on one database: processes of an agent, each killed except the last, with a check after each.
import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { createInterface } from "node:readline";
import { openLedger } from "../../../src/ledger/index.ts";
import type { Message } from "../../../src/index.ts";
import type { Database } from "../../ledger/crash/campaign/databases.ts";
import { waitForIdle } from "../../ledger/crash/campaign/wait-for-idle.ts";
import { startMcpHttp } from "../support/mcp-http.ts";
import { checkEnding, checkLife, isMixed, type Life } from "./checker.ts";
import { effectServer } from "./effect-server.ts";
import type { Findings } from "./findings.ts";
import type { KillPoint, Line, WorkerPlan } from "./journal.ts";
import type { Programs } from "./programs.ts";
import { takeSnapshot } from "./snapshot.ts";
import { STORIES, type StoryName } from "./scripted-story.ts";

/** The end of a process: at a point, some time after its first work, or on its own. */
export type Death = { by: "point"; at: KillPoint } | { by: "time"; ms: number } | { by: "completion" };
export interface Lived {
  /** The reason of the end. A process that was to be killed may have finished earlier. */
  ending: Death["by"];
  /** The points that it passed, if it finished. */
  points: readonly string[];
  /** True if it left a partly started round. */
  isMixed: boolean;
}

export interface SiteOptions {
  name: string;
  programs: Programs;
  database: Database;
  /** The path of the effect log. */
  record: string;
  story: StoryName;
  findings: Findings;
  maxParallel: number;
  /** The time limit of a process that is not killed from outside. */
  patienceMs?: number;
}

const THREAD = "story";
/** Longer than any process needs; a slower one hangs. */
const PATIENCE_MS = 60_000;

/** Runs processes one after the other, each with its planned end, until one finishes. */
export async function live(options: SiteOptions, nextDeath: (lived: number) => Death): Promise<Lived[]> {
  const { record, story, findings, database, name } = options;
  const http = await startMcpHttp({ makeServer: () => effectServer(record, "http_") });
  const lives: Life[] = [];
  const lived: Lived[] = [];
  try {
    do {
      const { life, ...ended } = await one(options, http.url, lives.length, nextDeath(lives.length));
      checkLife(life, `${name} life ${lives.length}`, findings);
      lives.push(life);
      lived.push(ended);
    } while (lived.at(-1)?.ending !== "completion" && findings.violations.length === 0);
  } finally {
    await http.stop();
  }
  if (findings.violations.length > 0) return lived;
  const transcript = await readTranscript(database);
  checkEnding({ name, story: STORIES[story], lives, transcript }, findings);
  return lived;
}

async function one(options: SiteOptions, url: string, life: number, death: Death): Promise<Lived & { life: Life }> {
  const { programs, database, record, story, findings, name, maxParallel, patienceMs = PATIENCE_MS } = options;
  const plan: WorkerPlan = { target: database.target, story, threadId: THREAD, record, life, maxParallel };
  if (story === "remote") plan.servers = { program: programs.mcp, url };
  if (death.by === "point") plan.kill = death.at;
  const lines: Line[] = [];
  const { killed, trouble } = await runWorker({ program: programs.worker, plan, death, patienceMs }, (line) =>
    lines.push(line),
  );
  findings.expect("completion", trouble === undefined, `${name} life ${life}`, () => trouble ?? "");
  await waitForIdle(database.target);
  const end = lines.find((line) => line.at === "end");
  if (end !== undefined) {
    findings.expect("completion", end.reason === "done", `${name} life ${life}`, () => `ended with ${end.reason}`);
  }
  const left = await takeSnapshot(database.target, record);
  const isAtPoint = lines.some((line) => line.at === "kill");
  return {
    ending: killed ? (isAtPoint ? "point" : "time") : "completion",
    points: end?.points ?? [],
    isMixed: killed && isMixed(STORIES[story], left),
    life: {
      acknowledged: lines.flatMap((line) => (line.at === "acknowledged" ? [line.toolCallId] : [])),
      faults: lines.flatMap((line) => (line.at === "fault" ? [line.what] : [])),
      left,
    },
  };
}

interface Work {
  program: string;
  plan: WorkerPlan;
  death: Death;
  patienceMs: number;
}
interface Exit {
  /** The planned end. */
  killed: boolean;
  /** The fault of a process that neither finished nor ended as planned: a hang, or its standard error. */
  trouble?: string;
}

async function runWorker({ program, plan, death, patienceMs }: Work, onLine: (line: Line) => void): Promise<Exit> {
  const child = spawn(process.execPath, [program, JSON.stringify(plan)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
  });
  const { promise: exit, resolve } = Promise.withResolvers<Exit>();
  const { promise: ready, resolve: getReady } = Promise.withResolvers<void>();
  let [trouble, isEnded, isLate] = ["", false, false];
  createInterface({ input: child.stdout }).on("line", (text) => {
    // A malformed line throws and stops the campaign.
    const line = JSON.parse(text) as Line;
    if (line.at === "ready") getReady();
    if (line.at === "end") isEnded = true;
    onLine(line);
  });
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (trouble += piece));
  // "close" is emitted after the pipes have ended.
  child.on("close", (code, signal) => {
    const killed = signal === "SIGKILL" && !isLate;
    getReady();
    if (isLate) trouble += `did not end within ${patienceMs / 1000} s`;
    resolve(
      killed || (code === 0 && isEnded) ? { killed } : { killed, trouble: `${trouble} (exit ${code ?? signal})` },
    );
  });
  const late = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, patienceMs);
  if (death.by === "time") {
    await ready;
    await Promise.race([exit, pause(death.ms, undefined, { ref: false })]);
    clearTimeout(late);
    child.kill("SIGKILL");
  }
  return exit.finally(() => clearTimeout(late));
}

async function readTranscript({ target }: Database): Promise<Message[]> {
  const ledger =
    target.engine === "sqlite"
      ? await openLedger(`sqlite:${target.path}`)
      : await openLedger(target.url, { schema: target.schema });
  try {
    return await ledger.transcript(THREAD);
  } finally {
    await ledger.close();
  }
}
