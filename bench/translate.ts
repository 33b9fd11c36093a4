// How long a request takes from one dialect to another, text to text, beside the floor: reading and writing the same
// JSON, and the arguments of tool calls where they are texts in it. Koine's losses are reported on the way.
//   --no-peers                          Koine and the floor only
//   --profile anthropic:gemini 200B     Koine only, in a loop, for `node --cpu-prof`
import { parseArgs } from "node:util";
import type { JsonObject } from "../src/index.ts";
import { parseJson } from "../src/index.ts";
import type { Translator } from "./contenders/contender.ts";
import { loadContenders } from "./contenders/index.ts";
import { koine, translateWithKoine } from "./contenders/koine.ts";
import { interleave, table } from "./measure.ts";
import type { Payload } from "./payloads.ts";
import { makePayload, SIZES } from "./payloads.ts";
import { FACTS, factsOf, keptFacts } from "./wire/facts.ts";
import { WIRES } from "./wire/index.ts";
import type { DialectName } from "./wire/wire.ts";
import { DIRECTIONS } from "./wire/wire.ts";

const BUDGET_MS = 900;
const PROFILE_MS = 5000;
/** A translation that is not what the conversation says in the target's own words. */
const LOSSY = "*";

// Our own payloads are JSON objects.
const read = (text: string): JsonObject => parseJson(text) as JsonObject;

/** The least that a translation can do. */
function floor(dialect: DialectName, text: string): () => unknown {
  const wire = WIRES[dialect];
  const calls = wire.turns(read(text), "requests").flatMap((turn) => wire.calls(turn));
  const embedded = calls.flatMap(({ input }) => (typeof input === "string" ? [input] : []));
  const again = (json: string): string => JSON.stringify(JSON.parse(json));
  return () => [again(text), embedded.map(again)];
}

interface Lane {
  name: string;
  run?: () => unknown;
  /** Whether something of the conversation is missing or changed. */
  lossy: boolean;
  losses: number;
  /** Why there is no run. */
  remark: string;
}

function lane(translator: Translator, from: DialectName, to: DialectName, payload: Payload): Lane {
  const { name } = translator;
  const gap = translator.gap({ from, to });
  if (gap !== undefined) return { name, lossy: false, losses: 0, remark: `${name}: ${gap}` };
  // Gemini says its model in the URL.
  const model = from === "gemini" ? payload.model : undefined;
  const run = (): ReturnType<Translator["run"]> => translator.run({ from, to, text: payload.texts[from], model });
  try {
    const { text, losses, notes } = run();
    const kept = keptFacts(factsOf(to, read(payload.texts[to])), factsOf(to, read(text)));
    return { name, run, lossy: kept.length < FACTS.length, losses: losses + notes, remark: "" };
  } catch (error) {
    const remark = `${name} threw: ${error instanceof Error ? error.message : String(error)}`;
    return { name, lossy: false, losses: 0, remark };
  }
}

function row(
  payload: Payload,
  [from, to]: readonly [DialectName, DialectName],
  rivals: readonly Translator[],
): string[] {
  const lanes = rivals.map((translator) => lane(translator, from, to, payload));
  const base = floor(from, payload.texts[from]);
  const runs = lanes.flatMap(({ run }) => run ?? []);
  const [floorMs = Number.NaN, ...times] = interleave([base, ...runs], payload.repeat, BUDGET_MS);
  const ratios = lanes.map(({ run }) => (run === undefined ? undefined : (times.shift() ?? Number.NaN) / floorMs));
  const cells = lanes.map(({ lossy }, index) => `${ratios[index]?.toFixed(2) ?? ""}${lossy ? LOSSY : ""}`);
  const remarks = lanes.map(({ remark }) => remark).filter((remark) => remark !== "");
  const ours = lanes.findIndex(({ name }) => name === koine.translator.name);
  if ((ratios[ours] ?? 0) > payload.goal) remarks.unshift("MISSED");
  const kilobytes = (payload.texts[from].length / 1000).toFixed(1);
  const losses = lanes[ours]?.run === undefined ? "" : String(lanes[ours].losses);
  return [`${from} → ${to}`, kilobytes, floorMs.toFixed(4), ...cells, losses, `≤ ${payload.goal}`, remarks.join("; ")];
}

function benchTranslate(rivals: readonly Translator[]): void {
  const names = rivals.map(({ name }) => `${name} ×`);
  for (const size of SIZES) {
    const payload = makePayload(size);
    table(
      `translate a request: ${payload.name} (${LOSSY} texts, tool calls or results are lost or changed)`,
      ["direction", "kB", "floor ms", ...names, "losses reported", "goal for koine", "remark"],
      DIRECTIONS.map((direction) => row(payload, direction, rivals)),
    );
  }
}

function profile(direction: string, wanted: string | undefined): void {
  const found = DIRECTIONS.find((it) => it.join(":") === direction);
  const size = SIZES.find((it) => it === wanted);
  if (found === undefined || size === undefined) {
    const directions = DIRECTIONS.map((it) => it.join(":")).join(", ");
    throw new Error(`--profile takes a direction (${directions}) and a size (${SIZES.join(", ")})`);
  }
  const [from, to] = found;
  const { texts, model } = makePayload(size);
  const job = { from, to, text: texts[from], model: from === "gemini" ? model : undefined };
  const end = performance.now() + PROFILE_MS;
  let runs = 0;
  for (; performance.now() < end; runs++) translateWithKoine(job);
  console.log(`${direction}, ${size}: ${runs} runs, ${(PROFILE_MS / runs).toFixed(4)} ms each`);
}

const { values, positionals } = parseArgs({
  options: { profile: { type: "string" }, "no-peers": { type: "boolean" } },
  allowPositionals: true,
});
if (values.profile !== undefined) profile(values.profile, positionals[0]);
else {
  const contenders = values["no-peers"] === true ? [koine] : await loadContenders();
  benchTranslate(contenders.map(({ translator }) => translator));
}
