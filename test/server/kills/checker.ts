// Holds what clients and readers were told against what the ledger holds and what tools did. Pure.
import { sameJson, textOf } from "../../../src/index.ts";
import type { RunInfo } from "../../../src/ledger/index.ts";
import type { StoredMessage } from "../../../src/model/index.ts";
import { illegal } from "../../agent/kills/legal.ts";
import type { Conversation, Evidence, Heard, Reading, ThreadFacts } from "./evidence.ts";
import type { Findings, Invariant } from "./findings.ts";
import { checkTasks } from "./task-checker.ts";

export function checkEvidence(evidence: Evidence, findings: Findings): void {
  const threads = new Map(evidence.threads.map((thread) => [thread.id, thread]));
  const answers = answersByQuestion(evidence.threads);
  for (const conversation of evidence.conversations) {
    checkConversation(conversation, threads, findings);
    for (const { question } of conversation.turns) {
      const found = answers.get(question) ?? [];
      findings.expect("once", found.length === 1, question, () => `has ${found.length} answers: ${found.join("; ")}`);
    }
  }
  checkTasks(evidence, threads, findings);
  for (const reading of evidence.readings) checkReading(reading, threads, evidence.isRecent, findings);
  for (const { id, path, runs } of evidence.threads) {
    const alive = runs.filter(({ state }) => state === "created" || state === "streaming");
    findings.expect("settled", alive.length === 0, id, () => `${alive.length} runs are alive`);
    // A task that was made and never told anything has none.
    const repairs = path.length === 0 ? [] : illegal(path);
    findings.expect("legal", repairs.length === 0, id, () => repairs.join("; "));
  }
  // The keys of the record are invariants.
  for (const [name, { looked, found }] of Object.entries(evidence.faults) as [
    Invariant,
    { looked: number; found: [] },
  ][]) {
    for (let time = found.length; time < looked; time++) findings.expect(name, true, "", () => "");
    for (const { where, what } of found) findings.expect(name, false, where, () => what);
  }
}

export const isPartial = ({ metadata }: StoredMessage): boolean => metadata.interrupted === true;

/** Whole answers in all threads, by the words that they answer. */
function answersByQuestion(threads: readonly ThreadFacts[]): Map<string, string[]> {
  const answers = new Map<string, string[]>();
  for (const { id, tree } of threads) {
    const byId = new Map(tree.map((message) => [message.id, message]));
    for (const message of tree) {
      const asked = byId.get(message.parentMessageId ?? "");
      if (message.role !== "assistant" || isPartial(message) || asked?.role !== "user") continue;
      const question = textOf(asked);
      answers.set(question, [...(answers.get(question) ?? []), `${textOf(message)} (${id})`]);
    }
  }
  return answers;
}

function checkConversation(
  { name, turns }: Conversation,
  threads: ReadonlyMap<string, ThreadFacts>,
  findings: Findings,
): void {
  const ids = new Set(turns.map(({ thread }) => thread));
  findings.expect("kept", ids.size <= 1, name, () => `is in ${ids.size} threads: ${[...ids].join()}`);
  const [id] = ids;
  if (id === undefined) return;
  const told = turns.flatMap(({ question, answer }) => [`user: ${question}`, `assistant: ${answer}`]);
  const path = (threads.get(id)?.path ?? []).map((message) => `${message.role}: ${textOf(message)}`);
  findings.expect(
    "kept",
    sameJson(told, path),
    name,
    () => `\n    was told ${told.join(" | ")}\n    but ${id} holds ${path.join(" | ")}`,
  );
}

const isDelta = ({ data }: Heard): boolean => data["type"] === "delta" || data["msg"] === "Delta";

function checkReading(
  { of, threadId, heard, replayed }: Reading,
  threads: ReadonlyMap<string, ThreadFacts>,
  isRecent: boolean,
  findings: Findings,
): void {
  const where = `a reader of ${of} ${threadId}`;
  const twice = heard.length - new Set(heard.map(({ id }) => id)).size;
  findings.expect("resumed", twice === 0, where, () => `was told ${twice} events twice`);
  const [before = [], after = []] = [heard, replayed].map((events) => lastingOf(events, isRecent));
  findings.expect("resumed", sameJson(before, after), where, () => differenceOf(before, after));
  for (const [runId, text] of drawnBy(heard)) {
    const thread = threads.get(threadId);
    const run = thread?.runs.find(({ id }) => id === runId);
    if (run === undefined || !["committed", "superseded"].includes(run.state)) continue;
    const whole = thread?.tree.find(({ role, metadata }) => role === "assistant" && metadata["runId"] === runId);
    const said = whole === undefined ? "" : textOf(whole);
    findings.expect("drawn", said === text, where, () => `was told "${text}", and run ${runId} says "${said}"`);
  }
}

/** What every reader is told alike, whenever it reads. */
function lastingOf(events: readonly Heard[], isRecent: boolean): Heard[] {
  // Pieces of answers that are whole for long are not kept.
  const kept = isRecent ? events : events.filter((each) => !isDelta(each));
  return kept.map(({ id, data }) => {
    if (data["type"] !== "run") return { id, data };
    // What a run says of itself is what is known when it is read; what became of it is the event.
    const { state } = data["run"] as RunInfo;
    return { id, data: { ...data, run: { state } } };
  });
}

function differenceOf(heard: readonly Heard[], replayed: readonly Heard[]): string {
  const at = heard.findIndex((event, index) => !sameJson(event, replayed[index]));
  const index = at === -1 ? heard.length : at;
  const tell = (event: Heard | undefined): string =>
    event === undefined ? "nothing" : JSON.stringify(event).slice(0, 300);
  return `of ${heard.length} and ${replayed.length} events, number ${index} was\n    ${tell(heard[index])}\n    and is\n    ${tell(replayed[index])}`;
}

/** The text that pieces come to, by run. */
function drawnBy(heard: readonly Heard[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const event of heard) {
    if (!isDelta(event)) continue;
    // As the server's documentation has it, of threads and of tasks.
    const { runId, run_id, delta } = event.data as {
      runId?: string;
      run_id?: string;
      delta: { kind: string; payload: { textDelta?: string } };
    };
    const run = runId ?? run_id ?? "";
    if (delta.kind === "text") texts.set(run, (texts.get(run) ?? "") + (delta.payload.textDelta ?? ""));
  }
  return texts;
}
