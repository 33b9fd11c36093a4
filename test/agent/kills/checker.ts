// Compares the effects of tools with the ledger, after every kill and at the end of a story.
import { type Message, sameJson, type ToolResultPart } from "../../../src/index.ts";
import type { Findings } from "./findings.ts";
import { type Effect, resultOf } from "./effect-log.ts";
import { illegal } from "./check-history.ts";
import type { Snapshot } from "./snapshot.ts";
import { faultsOf, finalText, runnableBeside, type Story, textOf, type ToolName, TOOLS } from "./scripted-story.ts";

/** One process of the agent, and the state that it left. */
export interface Life {
  /** Results that it reported as recorded. */
  acknowledged: readonly string[];
  /** Violations that it found itself. */
  faults: readonly string[];
  left: Snapshot;
}

/** The facts about a story at its end; the last process was not killed. */
export interface Ending {
  name: string;
  story: Story;
  lives: readonly Life[];
  /** The thread as the ledger reads it. */
  transcript: readonly Message[];
}

const begins = (effects: readonly Effect[], key: string): number =>
  effects.filter((effect) => effect.key === key && effect.phase === "begin").length;

/** Checks the state after each process. */
export function checkLife({ acknowledged, faults, left }: Life, where: string, findings: Findings): void {
  for (const key of new Set(left.effects.map((effect) => effect.key))) {
    // The start of a call with a result need not be recorded.
    const isRecorded = left.started.has(key) || left.results.has(key);
    findings.expect("started", isRecorded, `${where} ${key}`, () => "ran without a recorded start");
  }
  for (const key of acknowledged) {
    findings.expect(
      "recorded",
      left.results.has(key),
      `${where} ${key}`,
      () => "was reported as recorded, but is missing",
    );
  }
  findings.expect("legal", faults.length === 0, where, () => faults.join("; "));
}

/** True if a process left a round in which only some calls were started. */
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
  const calledIds = new Set(
    transcript.flatMap(({ parts }) => parts.flatMap((part) => ("toolCallId" in part ? part.toolCallId : []))),
  );
  for (const key of new Set(last.effects.map((effect) => effect.key))) {
    findings.expect("known", calledIds.has(key), `${name} ${key}`, () => "ran, but has no call in the thread");
  }
  for (const { left } of lives) {
    for (const [key, result] of left.results) {
      const isUnchanged =
        sameJson(last.results.get(key), result) && begins(left.effects, key) === begins(last.effects, key);
      findings.expect(
        "once",
        isUnchanged,
        `${name} ${key}`,
        () => "was acknowledged, but ran again or has another result",
      );
    }
  }
  const faults = faultsOf(story, transcript);
  const lastText = textOf(transcript.at(-1)?.parts ?? []);
  if (transcript.length !== story.rounds.length * 2 + 2) faults.push(`There are ${transcript.length} messages.`);
  if (lastText !== finalText(story.rounds.length)) faults.push(`The last text is "${lastText}".`);
  findings.expect("whole", faults.length === 0, name, () => faults.join(" "));
  const repairs = illegal(transcript);
  findings.expect("legal", repairs.length === 0, name, () => repairs.join("; "));
  findings.expect("settled", last.unfinished.length === 0, name, () => last.unfinished.join());
}

const INTERRUPTED = /interrupted/;

/** Checks a call of the final thread by the rule of its tool. */
function checkCall({ name, lives }: Ending, last: Snapshot, result: ToolResultPart, findings: Findings): void {
  const { toolCallId: key, output, isError } = result;
  const tool = result.toolName as ToolName;
  const where = `${name} ${key} (${tool})`;
  const times = begins(last.effects, key);
  const open = lives.slice(0, -1).filter(({ left }) => left.started.has(key) && !left.results.has(key)).length;
  const isInterrupted = isError && INTERRUPTED.test(String(output));
  const detail = (): string =>
    `ran ${times} times, was left open ${open} times, has the output ${JSON.stringify(output)}`;
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
