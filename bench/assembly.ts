// Measures how the cost of assembly grows with the number of deltas: the cost per delta must stay constant (B79).
import { assemble, stampDeltas } from "../src/index.ts";
import type { MessageDelta } from "../src/index.ts";
import { median, table } from "./measure.ts";

const SIZES = [10_000, 100_000, 1_000_000];
/** The maximum ratio between the costs per delta of the longest and the shortest stream. */
const GOAL = 2;

/**
 * Yields a typical agent stream: reasoning, text, and tool calls with arguments in small deltas. The deltas are
 * generated lazily, because a million deltas in memory would measure the garbage collector.
 */
function* stream(count: number): Generator<MessageDelta> {
  const inRun = stampDeltas("run", () => 0);
  yield inRun({ kind: "start", payload: { modelId: "m", requestId: "r", contractVersion: 1 } });
  for (let sent = 2; sent < count; sent++) {
    const step = sent % 104;
    const toolCallId = `call_${(sent - step) / 104}`;
    if (step < 40) yield inRun({ kind: "thinking", payload: { textDelta: "a thought " } });
    else if (step < 80) yield inRun({ kind: "text", payload: { textDelta: "some text " } });
    else if (step === 80) yield inRun({ kind: "tool_call_start", payload: { toolCallId, toolName: "tool" } });
    else if (step === 81) yield inRun({ kind: "tool_call_args", payload: { toolCallId, argsTextDelta: '{"list":[0' } });
    else if (step < 102) yield inRun({ kind: "tool_call_args", payload: { toolCallId, argsTextDelta: ",1" } });
    else if (step === 102) yield inRun({ kind: "tool_call_args", payload: { toolCallId, argsTextDelta: "]}" } });
    else yield inRun({ kind: "tool_call_end", payload: { toolCallId } });
  }
  yield inRun({ kind: "done", payload: { finishReason: "stop" } });
}

/** Does the minimum work of an assembler: create the deltas, read their kind, append their text. */
function floor(deltas: Iterable<MessageDelta>): number {
  let text = "";
  let args = "";
  for (const { kind, payload } of deltas) {
    if (kind === "text" || kind === "thinking") text += payload.textDelta;
    else if (kind === "tool_call_args") args += payload.argsTextDelta;
  }
  return text.length + args.length;
}

function nanosecondsPerDelta(count: number, work: (deltas: Iterable<MessageDelta>) => unknown): number {
  const rounds = Math.max(5, Math.round(500_000 / count));
  const times = Array.from({ length: rounds }, () => {
    const start = process.hrtime.bigint();
    work(stream(count));
    return Number(process.hrtime.bigint() - start);
  });
  return median(times) / count;
}

export function benchAssembly(): void {
  for (let round = 0; round < 20; round++) assemble(stream(20_000));
  const rows = SIZES.map((size) => ({
    size,
    perDelta: nanosecondsPerDelta(size, assemble),
    floor: nanosecondsPerDelta(size, floor),
  }));
  const first = rows[0] === undefined ? Number.NaN : rows[0].perDelta - rows[0].floor;
  table(
    `assemble: cost per delta (goal: beyond the floor, at most ${GOAL}× from the shortest to the longest)`,
    ["deltas", "ns per delta", "floor", "beyond the floor", "× of 10k"],
    rows.map(({ size, perDelta, floor: least }) => [
      size.toLocaleString("en"),
      perDelta.toFixed(0),
      least.toFixed(0),
      (perDelta - least).toFixed(0),
      ((perDelta - least) / first).toFixed(2),
    ]),
  );
}

if (import.meta.main) benchAssembly();
