// Opens recordings: finds where a call belongs, or that it was answered before, and keeps an eye on those under way.
import { historyOf } from "../../ledger/identity/history.ts";
import { LedgerError } from "../../ledger/index.ts";
import type { Ledger } from "../../ledger/index.ts";
import type { Message, Response } from "../../model/index.ts";
import { ServerError } from "../errors.ts";
import type { Counter } from "../operations/metrics.ts";
import type { Caller, Services } from "../types.ts";
import { CallKeys, type Earlier, type HeldKey } from "./keys.ts";
import { ThreadKinds } from "./kinds.ts";
import { LruMap } from "./last-used.ts";
import { findThreadPosition, type ThreadPosition } from "./place.ts";
import type { RecordingInput } from "./opened.ts";
import { type RecordingContext, CallRecording, type EndState } from "./recording.ts";
import { withItems } from "./references.ts";
import { isClaimed, isGone, isOfTheCall, isTaken, refusalOf } from "./refusal.ts";
import { leadingOf, RequestFacts } from "./said.ts";
import { checkSettings } from "./soundness.ts";
import type { RecordedCall, Recorder, Recording } from "./types.ts";

export interface RecorderOptions {
  /** Bytes of deltas that may wait to be written, of all calls together. Default 64 MiB. */
  maxPending?: number;
  /** How often runs that are silent are looked at, whether somebody has ended them elsewhere. Default 3 s. */
  lookMs?: number;
}

const FAILED_REMEMBERED = 1000;
/** The very same objects every time: a counter finds what belongs to them at once. */
const STATES: Readonly<Record<EndState, { state: EndState }>> = {
  committed: { state: "committed" },
  failed: { state: "failed" },
  cancelled: { state: "cancelled" },
  lost: { state: "lost" },
};

export function createRecorder(services: Services, options: RecorderOptions = {}): Recorder {
  return new LedgerRecorder(services, options);
}

class LedgerRecorder implements Recorder {
  readonly #services: Services;
  readonly #options: Required<RecorderOptions>;
  readonly #book: RecordingContext;
  readonly #keys: CallKeys;
  readonly #recorded: Counter;
  readonly #failures: Counter;
  readonly #sayings = new RequestFacts();
  readonly #kinds = new ThreadKinds();
  /** Calls under way, by tenant and run. */
  readonly #underWay = new Map<string, CallRecording>();
  readonly #writing = new Set<Promise<unknown>>();
  /** New conversations whose first question was not answered: whoever asks it again goes on there. */
  readonly #unanswered = new LruMap<string, Pick<ThreadPosition, "threadId" | "parentMessageId">>(FAILED_REMEMBERED);
  #pending = 0;
  /** Whether the ledger could be written to the last time. */
  #isSound = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(services: Services, { maxPending = 64 * 1024 * 1024, lookMs = 3000 }: RecorderOptions) {
    this.#services = services;
    this.#options = { maxPending, lookMs };
    this.#keys = new CallKeys(services.stopping);
    this.#recorded = services.metrics.counter("koine_recorded_calls_total", "Calls by how their record ended.");
    this.#failures = services.metrics.counter("koine_record_failures_total", "Calls that could not be recorded.");
    this.#book = this.#makeBook();
  }

  async open(call: RecordedCall): Promise<Recording | undefined> {
    let held: HeldKey | undefined;
    try {
      if (call.idempotencyKey !== undefined) {
        const taken = await this.#keys.take(call, call.idempotencyKey);
        if ("earlier" in taken) return new EarlierCall(call, taken);
        held = taken;
      }
      checkSettings(call);
      const whole = await withItems(call);
      const found = (await this.#askedAgain(whole)) ?? (await findThreadPosition(whole, this.#kinds));
      const place = whole === call ? found : { ...found, changed: true };
      const recording = this.#enter(whole, place, held);
      // Before anybody is asked: of two instances that take the same key, one finds here that it was slower.
      if (recording.opened.isShown) await this.#show(recording);
      else if (!this.#isSound && this.#book.onFailure === "refuse") await this.#prove(recording);
      return recording;
    } catch (error) {
      held?.release();
      if (isClaimed(error)) return this.open(call);
      return this.#unopened(call, error);
    }
  }

  async resolve(call: RecordedCall): Promise<readonly Message[] | undefined> {
    try {
      return (await findThreadPosition(await withItems(call), this.#kinds)).messages;
    } catch (error) {
      // Whoever is asked may know it.
      if (error instanceof ServerError && error.code === "not-found") return undefined;
      throw refusalOf(error);
    }
  }

  async cancel({ ledger, tenant }: Caller, runId: string): Promise<boolean> {
    const here = this.#underWay.get(`${tenant} ${runId}`);
    if (here !== undefined) return here.cancel();
    try {
      const info = await ledger.run(runId);
      if (info.metadata?.["agent"] === true) {
        const message = `Run ${runId} is a step of an agent's work: cancel its task instead.`;
        throw new ServerError("conflict", message, { path: "id" });
      }
      const run = await ledger.resumeRun(runId, { force: true });
      await run.cancel();
      return true;
    } catch (error) {
      if (isTaken(error) || (error instanceof LedgerError && error.code === "unknown-run")) return false;
      throw refusalOf(error);
    }
  }

  async reveal({ tenant }: Caller, id: string): Promise<void> {
    const found: Promise<void>[] = [];
    for (const recording of this.#underWay.values()) {
      const { call, threadId, runId } = recording;
      if ((runId === id || threadId === id) && call.caller.tenant === tenant) found.push(recording.reveal());
    }
    // Whoever looks for it finds nothing then; whoever writes it has reported why.
    await Promise.allSettled(found);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    while (this.#writing.size > 0) await Promise.allSettled(this.#writing);
  }

  #enter(call: RecordedCall, place: ThreadPosition, key: HeldKey | undefined): CallRecording {
    const { ledger, tenant } = call.caller;
    const { request } = call;
    const runId = ledger.newId();
    const describe: RecordingInput["describe"] = ({ threadId, thread, parentMessageId, messages }) => {
      const isNew = thread !== undefined;
      const leading = leadingOf(messages);
      return this.#sayings.describe({ ledger, runId, threadId, isNew, parentMessageId, request, leading });
    };
    // A call with a key must be seen by other instances.
    const isShown = key !== undefined && this.#isShared;
    const opened: RecordingInput = { call, place, runId, key, isShown, describe };
    const recording = new CallRecording(this.#book, opened);
    this.#underWay.set(`${tenant} ${runId}`, recording);
    this.#timer ??= setInterval(() => this.#lookAround(), this.#options.lookMs).unref();
    return recording;
  }

  /** Silent streams that somebody has ended elsewhere would go on unnoticed. */
  #lookAround(): void {
    for (const recording of this.#underWay.values()) {
      // Where the ledger cannot be read, there is another time.
      if (recording.isSilent(this.#options.lookMs)) recording.look().catch(() => undefined);
    }
  }

  /** The place of a first question that was asked before and not answered. */
  async #askedAgain(call: RecordedCall): Promise<ThreadPosition | undefined> {
    const { caller, request, thread, previousResponse } = call;
    const isOther = thread !== undefined || previousResponse !== undefined || this.#unanswered.size === 0;
    if (isOther || request.messages.some(({ role }) => role === "assistant")) return undefined;
    const place = this.#unanswered.take(questionOf(caller, request.messages));
    // It may have been deleted since.
    if (place === undefined || !(await isThere(caller.ledger, place.threadId))) return undefined;
    return { ...place, input: [], messages: request.messages, changed: false };
  }

  #noteUnanswered({ call, opened, inputId }: CallRecording): void {
    const { thread, messages } = opened.place;
    if (inputId === undefined || thread === undefined || call.thread !== undefined) return;
    if (messages.some(({ role }) => role === "assistant")) return;
    const place = { threadId: opened.place.threadId, parentMessageId: inputId };
    this.#unanswered.set(questionOf(call.caller, messages), place);
  }

  async #show(recording: CallRecording): Promise<void> {
    try {
      await recording.start();
    } catch (error) {
      this.#underWay.delete(`${recording.call.caller.tenant} ${recording.runId}`);
      throw error;
    }
  }

  /** While the ledger cannot be written to, nobody is paid for an answer: the run is written before it is asked for. */
  async #prove(recording: CallRecording): Promise<void> {
    try {
      await recording.prove();
      this.#isSound = true;
    } catch (error) {
      const { message } = refusalOf(error);
      // Should it have been written after all, it ends.
      void recording.fail({ kind: "overloaded", message }, { provider: "", model: "", attempts: [], losses: [] });
      throw error;
    }
  }

  /** Whether other processes work on the same ledger. */
  get #isShared(): boolean {
    return /^postgres(?:ql)?:/.test(this.#services.config.ledger.url);
  }

  #unopened({ previousResponse, idempotencyKey }: RecordedCall, error: unknown): undefined {
    const { onFailure } = this.#services.config.record;
    const refusal = refusalOf(error);
    // Without the ledger the one is not understood, and the other not kept.
    const needsLedger = previousResponse !== undefined || idempotencyKey !== undefined;
    if (error instanceof ServerError || onFailure === "refuse" || needsLedger) {
      // What is wrong with the call is no failure of the record, and what was the ledger's is counted by then.
      if (!isOfTheCall(error) && !(error instanceof ServerError)) this.#count(error);
      throw refusal;
    }
    this.#count(error);
    this.#services.log.error("record.skipped", { reason: "open" }, error);
    return undefined;
  }

  #makeBook(): RecordingContext {
    const { onFailure, maxWaitMs } = this.#services.config.record;
    return {
      onFailure,
      maxWaitMs,
      beginMs: this.#services.config.ledger.flushMs,
      sayings: this.#sayings,
      isSound: () => this.#isSound,
      hold: (bytes) => {
        this.#pending += bytes;
        return this.#pending <= this.#options.maxPending;
      },
      report: ({ threadId, runId }, error) => {
        this.#count(error);
        if (!isOfTheCall(error)) this.#isSound = false;
        this.#services.log.error("record.failed", { threadId, runId, policy: onFailure }, error);
      },
      moved: ({ threadId, runId }, from) => this.#services.log.warn("record.moved", { from, threadId, runId }),
      ending: (recording, over) => this.#leave(recording, over),
    };
  }

  #leave(recording: CallRecording, over: Promise<EndState>): void {
    const { call, runId } = recording;
    const work = over.then((state) => {
      this.#writing.delete(work);
      if (state === "committed" || state === "failed") this.#isSound = true;
      this.#underWay.delete(`${call.caller.tenant} ${runId}`);
      this.#recorded.add(1, STATES[state]);
      if (state === "failed") this.#noteUnanswered(recording);
      // A name of the client's own may have been another's thread before.
      if (state === "committed" && recording.opened.place.thread !== undefined && call.thread === undefined) {
        this.#kinds.note(call.caller.ledger, recording.threadId);
      }
    });
    this.#writing.add(work);
  }

  #count(error: unknown): void {
    const code = error instanceof LedgerError || error instanceof ServerError ? error.code : "unknown";
    this.#failures.add(1, { code });
  }
}

async function isThere(ledger: Ledger, threadId: string): Promise<boolean> {
  try {
    await ledger.thread(threadId);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Who asks what, in a conversation that has no answer yet. */
function questionOf({ tenant, scope }: Caller, messages: readonly Message[]): string {
  return JSON.stringify([tenant, scope, historyOf(messages).turns.at(-1)?.digest ?? ""]);
}

const NEVER = new AbortController().signal;

/** A call that was answered before: nothing is written for it. */
class EarlierCall implements Recording {
  readonly threadId: string;
  readonly runId: string;
  readonly messages: readonly Message[];
  readonly changed = false;
  readonly earlier: Response;
  readonly cancelled = NEVER;

  constructor({ request }: RecordedCall, { run, earlier }: Earlier) {
    this.threadId = run.threadId;
    this.runId = run.id;
    this.messages = request.messages;
    this.earlier = earlier;
  }

  begin(): void {}
  async ready(): Promise<void> {}
  push(): void {}
  async finish(): Promise<void> {}
  async fail(): Promise<void> {}
}
