// Compares the events of clients and readers with the ledger and the effects of tools. Pure.
import { sameJson, getText } from "../../../src/index.ts";
import type { RunInfo } from "../../../src/ledger/index.ts";
import type { StoredMessage } from "../../../src/model/index.ts";
import { illegal } from "../../agent/kills/check-history.ts";
import type { Conversation, Evidence, ReceivedEvent, ReaderEvidence, ThreadEvidence } from "./evidence.ts";
import type { Findings, Invariant } from "./findings.ts";
import { checkTasks } from "./task-checker.ts";

export function checkEvidence(evidence: Evidence, findings: Findings): void {
  const threads = new Map(evidence.threads.map((thread) => [thread.id, thread]));
  const answers = answersByQuestion(evidence.threads);
  for (const conversation of evidence.conversations) {
    checkConversation(conversation, threads, findings);
    for (const { question } of conversation.turns) {
      const faults = answers.get(question) ?? [];
      findings.expect(
        "once",
        faults.length === 1,
        question,
        () => `has ${faults.length} answers: ${faults.join("; ")}`,
      );
    }
  }
  checkTasks(evidence, threads, findings);
  for (const reading of evidence.readings) checkReading(reading, threads, evidence.isRecent, findings);
  for (const { id, path, runs } of evidence.threads) {
    const alive = runs.filter(({ state }) => state === "created" || state === "streaming");
    findings.expect("settled", alive.length === 0, id, () => `${alive.length} runs are alive`);
    // A task without a message has no path.
    const repairs = path.length === 0 ? [] : illegal(path);
    findings.expect("legal", repairs.length === 0, id, () => repairs.join("; "));
  }
  // The keys of the record are invariants.
  for (const [name, { looked, faults }] of Object.entries(evidence.faults) as [
    Invariant,
    { looked: number; faults: [] },
  ][]) {
    for (let time = faults.length; time < looked; time++) findings.expect(name, true, "", () => "");
    for (const { where, what } of faults) findings.expect(name, false, where, () => what);
  }
}

export const isPartial = ({ metadata }: StoredMessage): boolean => metadata.interrupted === true;

/** Returns the complete answers of all threads by their question. */
function answersByQuestion(threads: readonly ThreadEvidence[]): Map<string, string[]> {
  const answers = new Map<string, string[]>();
  for (const { id, tree } of threads) {
    const byId = new Map(tree.map((message) => [message.id, message]));
    for (const message of tree) {
      const parent = byId.get(message.parentMessageId ?? "");
      if (message.role !== "assistant" || isPartial(message) || parent?.role !== "user") continue;
      const question = getText(parent);
      answers.set(question, [...(answers.get(question) ?? []), `${getText(message)} (${id})`]);
    }
  }
  return answers;
}

function checkConversation(
  { name, turns }: Conversation,
  threads: ReadonlyMap<string, ThreadEvidence>,
  findings: Findings,
): void {
  const ids = new Set(turns.map(({ thread }) => thread));
  findings.expect("stored", ids.size <= 1, name, () => `is in ${ids.size} threads: ${[...ids].join()}`);
  const [id] = ids;
  if (id === undefined) return;
  const expectedPath = turns.flatMap(({ question, answer }) => [`user: ${question}`, `assistant: ${answer}`]);
  const path = (threads.get(id)?.path ?? []).map((message) => `${message.role}: ${getText(message)}`);
  findings.expect(
    "stored",
    sameJson(expectedPath, path),
    name,
    () => `\n    received ${expectedPath.join(" | ")}\n    but ${id} has ${path.join(" | ")}`,
  );
}

const isDelta = ({ data }: ReceivedEvent): boolean => data["type"] === "delta" || data["msg"] === "Delta";

function checkReading(
  { of, threadId, received, replayed }: ReaderEvidence,
  threads: ReadonlyMap<string, ThreadEvidence>,
  isRecent: boolean,
  findings: Findings,
): void {
  const where = `a reader of ${of} ${threadId}`;
  const twice = received.length - new Set(received.map(({ id }) => id)).size;
  findings.expect("resumed", twice === 0, where, () => `received ${twice} events twice`);
  const [before = [], after = []] = [received, replayed].map((events) => lastingOf(events, isRecent));
  findings.expect("resumed", sameJson(before, after), where, () => differenceOf(before, after));
  for (const [runId, text] of drawnBy(received)) {
    const thread = threads.get(threadId);
    const run = thread?.runs.find(({ id }) => id === runId);
    if (run === undefined || !["committed", "superseded"].includes(run.state)) continue;
    const whole = thread?.tree.find(({ role, metadata }) => role === "assistant" && metadata["runId"] === runId);
    const answerText = whole === undefined ? "" : getText(whole);
    findings.expect(
      "drawn",
      answerText === text,
      where,
      () => `received "${text}", but run ${runId} has "${answerText}"`,
    );
  }
}

/** Returns the events that every reader receives, at any time. */
function lastingOf(events: readonly ReceivedEvent[], isRecent: boolean): ReceivedEvent[] {
  // Deltas of runs that ended long ago are no longer stored.
  const expectedEvents = isRecent ? events : events.filter((each) => !isDelta(each));
  return expectedEvents.map(({ id, data }) => {
    if (data["type"] !== "run") return { id, data };
    // A run event contains the state at the time of reading; only its final state is compared.
    const { state } = data["run"] as RunInfo;
    return { id, data: { ...data, run: { state } } };
  });
}

function differenceOf(received: readonly ReceivedEvent[], replayed: readonly ReceivedEvent[]): string {
  const at = received.findIndex((event, index) => !sameJson(event, replayed[index]));
  const index = at === -1 ? received.length : at;
  const formatEvent = (event: ReceivedEvent | undefined): string =>
    event === undefined ? "nothing" : JSON.stringify(event).slice(0, 300);
  return `of ${received.length} and ${replayed.length} events, number ${index} was\n    ${formatEvent(received[index])}\n    and is\n    ${formatEvent(replayed[index])}`;
}

/** Returns the assembled text by run. */
function drawnBy(received: readonly ReceivedEvent[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const event of received) {
    if (!isDelta(event)) continue;
    // The fields of thread events and of task events.
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
