// Holds what tools did and what the ledger says against each other: after every kill, and at the end of a story.
import { type Message, sameJson, type ToolResultPart } from "../../../src/index.ts";
import type { Findings } from "./findings.ts";
import { type Effect, resultOf } from "./effect-log.ts";
import { illegal } from "./check-history.ts";
import type { Snapshot } from "./snapshot.ts";
import { faultsOf, lastWords, runnableBeside, type Story, textOf, type ToolName, TOOLS } from "./scripted-story.ts";

/** One life of the agent, and what it left. */
export interface Life {
  /** What it said to be recorded. */
  acknowledged: readonly string[];
  /** Things that it found wrong itself. */
  faults: readonly string[];
  left: Snapshot;
}

/** What is known of a story at its end; the last life was not killed. */
export interface Ending {
  name: string;
  story: Story;
  lives: readonly Life[];
  /** As the ledger reads it. */
  transcript: readonly Message[];
}

const begins = (effects: readonly Effect[], key: string): number =>
  effects.filter((effect) => effect.key === key && effect.phase === "begin").length;

/** What can be said after every life. */
export function checkLife({ acknowledged, faults, left }: Life, where: string, findings: Findings): void {
  for (const key of new Set(left.effects.map((effect) => effect.key))) {
    // Of a call with a result nobody needs to know that it was started.
    const isTold = left.started.has(key) || left.results.has(key);
    findings.expect("foretold", isTold, `${where} ${key}`, () => "ran, and is not said to be started");
  }
  for (const key of acknowledged) {
    findings.expect(
      "told",
      left.results.has(key),
      `${where} ${key}`,
      () => "was said to be recorded, and is not there",
    );
  }
  findings.expect("legal", faults.length === 0, where, () => faults.join("; "));
}

/** Whether a life left a round of which some calls were started and others not: those have nothing to do with each other. */
export function isMixed(story: Story, { started, results }: Snapshot): boolean {
  const open = [...started].filter((key) => !results.has(key));
  return open.some((key) => runnableBeside(story, key).some((id) => !started.has(id) && !results.has(id)));
}

export function checkEnding(ending: Ending, findings: Findings): void {
  const { name, story, lives, transcript } = ending;
  const last = lives.at(-1)?.left;
  if (last === undefined) throw new Error("A story without a life has no end.");
  for (const message of transcript) {
    for (const part of message.parts) if (part.type === "tool-result") checkCall(ending, last, part, findings);
  }
  const asked = new Set(
    transcript.flatMap(({ parts }) => parts.flatMap((part) => ("toolCallId" in part ? part.toolCallId : []))),
  );
  for (const key of new Set(last.effects.map((effect) => effect.key))) {
    findings.expect("known", asked.has(key), `${name} ${key}`, () => "ran, and nobody asked for it in the thread");
  }
  for (const { left } of lives) {
    for (const [key, result] of left.results) {
      const isKept = sameJson(last.results.get(key), result) && begins(left.effects, key) === begins(last.effects, key);
      findings.expect("once", isKept, `${name} ${key}`, () => "was acknowledged, and ran or was answered again");
    }
  }
  const faults = faultsOf(story, transcript);
  const words = textOf(transcript.at(-1)?.parts ?? []);
  if (transcript.length !== story.rounds.length * 2 + 2) faults.push(`There are ${transcript.length} messages.`);
  if (words !== lastWords(story.rounds.length)) faults.push(`The last word is "${words}".`);
  findings.expect("whole", faults.length === 0, name, () => faults.join(" "));
  const repairs = illegal(transcript);
  findings.expect("legal", repairs.length === 0, name, () => repairs.join("; "));
  findings.expect("settled", last.unfinished.length === 0, name, () => last.unfinished.join());
}

const INTERRUPTED = /interrupted/;

/** A call of the final thread: what became of it, by its tool's rule. */
function checkCall({ name, lives }: Ending, last: Snapshot, result: ToolResultPart, findings: Findings): void {
  const { toolCallId: key, output, isError } = result;
  // Only the story's tools are called.
  const tool = result.toolName as ToolName;
  const where = `${name} ${key} (${tool})`;
  const times = begins(last.effects, key);
  const open = lives.slice(0, -1).filter(({ left }) => left.started.has(key) && !left.results.has(key)).length;
  const isInterrupted = isError && INTERRUPTED.test(String(output));
  const detail = (): string => `ran ${times} times, was left open ${open} times, says ${JSON.stringify(output)}`;
  const rule = TOOLS[tool];
  if (rule === "refused") {
    findings.expect("refused", times === 0 && isError, where, detail);
    return;
  }
  if (rule === "never") {
    findings.expect("never", times <= 1 && isInterrupted === open > 0 && (isInterrupted || times === 1), where, detail);
  } else findings.expect("safe", times >= 1 && times <= 1 + open && !isError, where, detail);
  if (open === 0) findings.expect("untouched", times === 1 && !isInterrupted, where, detail);
  if (isInterrupted) return;
  const isTrue = last.effects.some(
    (effect) => effect.phase === "end" && effect.key === key && output === resultOf(effect),
  );
  findings.expect("true", isTrue && isError === (tool === "local_throws"), where, detail);
}
