// Measures the translation of a request from one dialect to another, text to text, compared with the minimum: parsing
// and writing the same JSON, including tool call arguments that are JSON text. Koine also reports losses.
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
import { CONTENT_KINDS, readContent, listEqualContent } from "./wire/conversation-content.ts";
import { WIRES } from "./wire/index.ts";
import type { DialectName } from "./wire/wire.ts";
import { DIRECTIONS } from "./wire/wire.ts";

const BUDGET_MS = 900;
const PROFILE_MS = 5000;
/** The mark of a translation in which content of the conversation is missing or changed. */
const LOSSY = "*";

// The cast is safe, because the generated payloads are JSON objects.
const read = (text: string): JsonObject => parseJson(text) as JsonObject;

/** Returns a run of the minimum work of a translation: parsing and writing the JSON of the request. */
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
  /** True if content of the conversation is missing or changed. */
  lossy: boolean;
  losses: number;
  /** The reason why the contender cannot run; empty if it can. */
  remark: string;
}

function lane(translator: Translator, from: DialectName, to: DialectName, payload: Payload): Lane {
  const { name } = translator;
  const gap = translator.gap({ from, to });
  if (gap !== undefined) return { name, lossy: false, losses: 0, remark: `${name}: ${gap}` };
  // Gemini requests have the model in the URL, not in the body.
  const model = from === "gemini" ? payload.model : undefined;
  const run = (): ReturnType<Translator["run"]> => translator.run({ from, to, text: payload.texts[from], model });
  try {
    const { text, losses, notes } = run();
    const equalContent = listEqualContent(readContent(to, read(payload.texts[to])), readContent(to, read(text)));
    return { name, run, lossy: equalContent.length < CONTENT_KINDS.length, losses: losses + notes, remark: "" };
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
