// What a list shows of a thread beside its name: how much it holds, what it cost, who answered, and how it begins.
import { decodeTime } from "ulid";
import { parseJson } from "../../model/json.ts";
import { isObject } from "../../model/kind.ts";
import type { Part, Usage } from "../../model/index.ts";
import { COUNTS } from "../../model/usage.ts";
import { isId } from "../ids.ts";
import type { RunRow, ThreadHead } from "../rows.ts";
import { factsOf } from "../runs/info.ts";
import type { Scope } from "../scope.ts";
import { isoTime } from "../times.ts";
import { previewOf } from "./preview.ts";
import type { ThreadSummary } from "./types.ts";

/** Runs that are looked at for who answered: what they say of themselves can be long. */
const LAST_RUNS = 10;
const MOST_MODELS = 5;
const PREVIEW = 120;

export async function summaryOf(scope: Scope, head: ThreadHead): Promise<ThreadSummary> {
  const key = { tenant: head.tenant, threadId: head.id };
  const { reads } = scope.store;
  const [tally, usages, runs] = await Promise.all([reads.tally(key), reads.usages(key), reads.runs(key, LAST_RUNS)]);
  const summary: ThreadSummary = {
    updatedAt: updatedAt(head),
    messages: tally.messages,
    models: modelsOf(scope, runs),
    live: tally.liveRuns,
    preview: tally.firstUserBody === null ? "" : beginningOf(tally.firstUserBody),
  };
  const usage = sumOf(usages);
  if (usage !== undefined) summary.usage = usage;
  return summary;
}

/** Ids tell the time of what they name. */
function updatedAt({ lastId, createdAt }: ThreadHead): string {
  if (!isId(lastId)) return createdAt;
  const last = isoTime(decodeTime(lastId));
  return last > createdAt ? last : createdAt;
}

/** The last first, each once. */
function modelsOf(scope: Scope, runs: readonly RunRow[]): string[] {
  const models = new Set<string>();
  for (const run of runs.toReversed()) {
    const { model } = factsOf(run, scope.report);
    if (typeof model === "string" && model !== "") models.add(model);
  }
  return [...models].slice(0, MOST_MODELS);
}

/** What cannot be read is left out: whoever looks at the run is told. */
function sumOf(usages: readonly string[]): Usage | undefined {
  if (usages.length === 0) return undefined;
  const sum: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  for (const text of usages) {
    const usage = readable(text);
    for (const count of COUNTS) {
      const value = usage[count];
      if (typeof value === "number") sum[count] = (sum[count] ?? 0) + value;
    }
  }
  return sum;
}

/** How the text of a message's body begins. */
function beginningOf(body: string): string {
  const { parts } = readable(body);
  if (!Array.isArray(parts)) return "";
  // What previews look at is looked at here.
  const texts: Part[] = parts.filter((part) => isObject(part) && typeof part["text"] === "string");
  return previewOf(texts, PREVIEW);
}

function readable(text: string): Record<string, unknown> {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
