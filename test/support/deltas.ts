// Short ways to write delta sequences in tests.
import type { Delta, DeltaKind, DeltaPayloads, MessageDelta } from "../../src/model/delta.ts";
import { stampDeltas } from "../../src/assembly/stamp.ts";

/** One bare delta. */
export function delta<Kind extends DeltaKind>(kind: Kind, payload: DeltaPayloads[Kind]): Delta {
  return { kind, payload } as Delta;
}

export const START = delta("start", { modelId: "m", requestId: "r" });
export const DONE = delta("done", { finishReason: "stop" });

/** The deltas between a `start` and a `done`. */
export function answer(...between: Delta[]): Delta[] {
  return [START, ...between, DONE];
}

/** A whole call: started, one piece of arguments, ended. */
export function call(toolCallId: string, argsTextDelta: string, toolName = "tool"): Delta[] {
  return [
    delta("tool_call_start", { toolCallId, toolName }),
    delta("tool_call_args", { toolCallId, argsTextDelta }),
    delta("tool_call_end", { toolCallId }),
  ];
}

/** A tool result between two answers. */
export function result(toolCallId: string, output: unknown = "ok"): Delta {
  const value = { type: "tool-result", toolCallId, toolName: "tool", isError: false, output } as const;
  return delta("part", { role: "tool", value });
}

/** The same deltas as part of a run. */
export function stampAll(deltas: readonly Delta[], runId = "run-1"): MessageDelta[] {
  return deltas.map(stampDeltas(runId, () => 0));
}
