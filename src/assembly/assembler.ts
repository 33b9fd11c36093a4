// The one loop that assembles: deltas of an answer go in, a response comes out. An illegal delta throws and leaves the
// assembler as it was. Every delta costs the same, however much came before (B79).
import type {
  Delta,
  DeltaPayloads,
  DoneAlternative,
  MediaPayload,
  MessageDelta,
  PartKey,
  PartPayload,
  PayloadBase,
  TextPayload,
  ThinkingPayload,
} from "../model/delta.ts";
import { CONTRACT_VERSION } from "../model/delta.ts";
import { clip } from "../model/issue.ts";
import type { MediaPart, Part, ReasoningPart, RefusalPart, TextPart } from "../model/parts.ts";
import type { ModelResponse } from "../model/response.ts";
import { AnswerFields } from "./answer-fields.ts";
import type { Snapshot } from "./answer-fields.ts";
import type { CallDraft, Draft } from "./draft.ts";
import { addMedia, addPartExtra, addSeal, callDraft, ChoiceDraft, readCall, settle, wholeDraft } from "./draft.ts";
import { formProblem } from "./payload.ts";
import { AssemblyError } from "./rules.ts";
import { RunState } from "./run-state.ts";

/** An empty part for each kind of delta that grows one. */
const EMPTY: Readonly<Record<"text" | "thinking" | "refusal" | "media", () => Part>> = {
  text: () => ({ type: "text", text: "" }),
  thinking: () => ({ type: "reasoning", text: "" }),
  refusal: () => ({ type: "refusal", text: "" }),
  media: () => ({ type: "file", data: "" }),
};

export class Assembler {
  readonly #run: RunState;
  readonly #choices: ChoiceDraft[] = [new ChoiceDraft(0)];
  readonly #calls = new Map<string, { draft: CallDraft; choice: ChoiceDraft }>();
  readonly #answer = new AnswerFields();
  #state: "waiting" | "open" | "done" | "failed" = "waiting";

  constructor();
  /** @internal One answer of a run, whose state it shares. */
  constructor(run: RunState);
  constructor(run: RunState = new RunState()) {
    this.#run = run;
  }

  /** Whether `done` has been seen. */
  get complete(): boolean {
    return this.#state === "done";
  }

  /** Takes one delta, bare or stamped. Throws an `AssemblyError` where it breaks a rule; the delta then never happened. */
  push(delta: Delta | MessageDelta): void {
    this.#run.arrive(delta);
    this.take(delta);
  }

  /** @internal Like `push`, for a delta whose order the run has checked already. Returns the part that it went to. */
  take(delta: Delta | MessageDelta): Draft | undefined {
    this.#checkPlace(delta);
    let draft: Draft | undefined;
    switch (delta.kind) {
      case "start":
        this.#start(delta.payload);
        break;
      case "text":
      case "refusal":
        draft = this.#addText(delta.kind, delta.payload);
        break;
      case "thinking":
        draft = this.#addThinking(delta.payload);
        break;
      case "tool_call_start":
        draft = this.#startCall(delta.payload);
        break;
      case "tool_call_args":
        draft = this.#addArguments(delta.payload);
        break;
      case "tool_call_end":
        draft = this.#endCall(delta.payload);
        break;
      case "usage":
        this.#answer.addUsage(delta.payload);
        break;
      case "seal":
        draft = this.#target(delta.payload, "seal");
        addSeal(draft, delta.payload.seal);
        break;
      case "annotation":
        draft = this.#annotate(delta.payload);
        break;
      case "media":
        draft = this.#addMedia(delta.payload);
        break;
      case "part":
        draft = this.#addWhole(delta.payload);
        break;
      case "done":
        this.#finishChoices(delta.payload);
        break;
      case "error":
        this.#answer.fail(delta.payload);
        this.#describeOthers(delta.payload.alternatives);
        this.#state = "failed";
        break;
    }
    this.#run.accept(delta);
    return draft;
  }

  #checkPlace(delta: Delta | MessageDelta): void {
    const problem = formProblem(delta);
    if (problem !== undefined) this.#run.fail(problem.rule, problem.detail);
    if (this.#state === "done" || this.#state === "failed")
      this.#run.fail("terminal-last", `\`${delta.kind}\` comes after the end of the answer.`);
    if (this.#state === "waiting" && delta.kind !== "start")
      this.#run.fail("start-first", `\`${delta.kind}\` comes first.`);
    if (this.#state === "open" && delta.kind === "start")
      this.#run.fail("start-once", "Another `start` within an answer.");
  }

  #start(payload: DeltaPayloads["start"]): void {
    const version = payload.contractVersion ?? 0;
    if (!Number.isInteger(version) || version < 0 || version > CONTRACT_VERSION) {
      this.#run.fail(
        "contract-version",
        `\`contractVersion\` ${version} is not known here (0 to ${CONTRACT_VERSION} are).`,
      );
    }
    this.#answer.start(payload);
    if (payload.message !== undefined) this.#choice(0).describe(payload.message);
    this.#state = "open";
  }

  /** The draft of a choice; choices may begin in any order. */
  #choice(index: number): ChoiceDraft {
    while (this.#choices.length <= index) this.#choices.push(new ChoiceDraft(this.#choices.length));
    // The loop above made it.
    return this.#choices[index] as ChoiceDraft;
  }

  /** The draft that a payload names, else the last one; undefined where there is none. */
  #find({ choice = 0, part }: PayloadBase): Draft | undefined {
    const drafts = this.#choices[choice];
    return part === undefined ? drafts?.last : drafts?.byKey.get(part);
  }

  /** The draft that a delta adds to: the named one, else the last one if it is of the same kind, else a new one. */
  #grow(kind: keyof typeof EMPTY, payload: PayloadBase): Draft {
    const known = this.#find(payload);
    let draft: Draft;
    if (known?.kind === kind) draft = known;
    else {
      if (known !== undefined && payload.part !== undefined) this.#refuseKind(payload.part, known, kind);
      draft = this.#choice(payload.choice ?? 0).add(
        { kind, part: EMPTY[kind](), view: undefined, choice: 0, index: 0, settled: 0 },
        payload.part,
      );
    }
    if (payload.extra !== undefined) addPartExtra(draft, payload.extra);
    draft.view = undefined;
    return draft;
  }

  #refuseKind(key: PartKey, draft: Draft, kind: string): never {
    return this.#run.fail(
      "part-kind",
      `Part ${clip(JSON.stringify(key))} is ${draft.part.type}; \`${kind}\` cannot add to it.`,
    );
  }

  #addText(kind: "text" | "refusal", payload: TextPayload): Draft {
    const draft = this.#grow(kind, payload);
    const part = draft.part as TextPart | RefusalPart; // the kind says which
    part.text += payload.textDelta;
    settle(draft, part.text);
    if (payload.logprobs === undefined) return draft;
    part.logprobs ??= [];
    for (const each of payload.logprobs) part.logprobs.push(each);
    return draft;
  }

  #addThinking(payload: ThinkingPayload): Draft {
    const { summary, textDelta } = payload;
    if (summary !== undefined) this.#checkSummary(summary, payload);
    const draft = this.#grow("thinking", payload);
    const part = draft.part as ReasoningPart; // the kind says so
    if (summary === undefined) {
      part.text += textDelta;
      settle(draft, part.text);
    } else {
      part.summary ??= [];
      const begun = part.summary[summary];
      if (begun === undefined) draft.settled = 0;
      const grown = (begun ?? "") + textDelta;
      part.summary[summary] = grown;
      settle(draft, grown);
    }
    return draft;
  }

  #checkSummary(index: number, payload: PayloadBase): void {
    const draft = this.#find(payload);
    const begun = draft?.kind === "thinking" ? ((draft.part as ReasoningPart).summary?.length ?? 0) : 0;
    if (!Number.isInteger(index) || index < 0 || index > begun) {
      this.#run.fail("summary-dense", `Summary ${index} begins, but ${begun} have begun before it.`);
    }
  }

  #startCall(payload: DeltaPayloads["tool_call_start"]): Draft {
    this.#run.checkNewCall(payload.toolCallId);
    const choice = this.#choice(payload.choice ?? 0);
    this.#checkNewPart(choice, payload.part, "tool_call_start");
    const draft = callDraft(payload);
    choice.add(draft, payload.part);
    if (payload.extra !== undefined) addPartExtra(draft, payload.extra);
    this.#calls.set(payload.toolCallId, { draft, choice });
    this.#run.addCall(payload.toolCallId);
    return draft;
  }

  #checkNewPart(choice: ChoiceDraft, key: PartKey | undefined, kind: string): void {
    const taken = key === undefined ? undefined : choice.byKey.get(key);
    if (taken !== undefined && key !== undefined) this.#refuseKind(key, taken, kind);
  }

  #openCall(toolCallId: string): { draft: CallDraft; choice: ChoiceDraft } {
    const call = this.#calls.get(toolCallId);
    if (call === undefined) return this.#run.fail("call-started", `No call "${clip(toolCallId)}" was started.`);
    if (call.draft.ended) this.#run.fail("call-open", `The call "${clip(toolCallId)}" has ended.`);
    return call;
  }

  #addArguments(payload: DeltaPayloads["tool_call_args"]): Draft {
    const { draft } = this.#openCall(payload.toolCallId);
    draft.args += payload.argsTextDelta;
    settle(draft, draft.args);
    draft.view = undefined;
    if (payload.extra !== undefined) addPartExtra(draft, payload.extra);
    return draft;
  }

  #endCall(payload: DeltaPayloads["tool_call_end"]): Draft {
    const { draft, choice } = this.#openCall(payload.toolCallId);
    draft.args += payload.argsTextDelta ?? "";
    if (payload.extra !== undefined) addPartExtra(draft, payload.extra);
    const reason = readCall(draft);
    if (payload.invalid === true) draft.part.invalid = true;
    if (reason !== undefined) choice.invalid.push({ toolCallId: payload.toolCallId, reason });
    return draft;
  }

  /** The part that a seal or annotation belongs to: the named one, else the last one. */
  #target(payload: PayloadBase, what: string): Draft {
    const draft = this.#find(payload);
    if (draft === undefined)
      return this.#run.fail("part-exists", `There is no part that this ${what} could belong to.`);
    draft.view = undefined;
    if (payload.extra !== undefined) addPartExtra(draft, payload.extra);
    return draft;
  }

  #annotate(payload: DeltaPayloads["annotation"]): Draft {
    const known = this.#find(payload);
    if (known !== undefined && known.part.type !== "text") {
      this.#run.fail("part-exists", `An annotation belongs to a text, this part is ${known.part.type}.`);
    }
    const draft = this.#target(payload, "annotation");
    const part = draft.part as TextPart; // checked just now
    part.annotations ??= [];
    part.annotations.push(payload.annotation);
    return draft;
  }

  #addMedia(payload: MediaPayload): Draft {
    const draft = this.#grow("media", payload);
    addMedia(draft as Draft<MediaPart>, payload); // the kind says so
    return draft;
  }

  #addWhole(payload: PartPayload): Draft {
    const { value, role, part: key, extra } = payload;
    if (role !== undefined) this.#run.fail("result-between", "A part with a role of its own stands within an answer.");
    this.#run.checkPart(value);
    const choice = this.#choice(payload.choice ?? 0);
    this.#checkNewPart(choice, key, "part");
    const draft = choice.add(wholeDraft(value), key);
    if (extra !== undefined) addPartExtra(draft, extra);
    this.#run.addPart(value);
    return draft;
  }

  #finishChoices(payload: DeltaPayloads["done"]): void {
    this.#answer.done = payload;
    if (payload.extra !== undefined) this.#answer.addExtra(payload.extra);
    if (payload.message !== undefined) this.#choice(0).describe(payload.message);
    this.#describeOthers(payload.alternatives);
    this.#state = "done";
  }

  #describeOthers(alternatives: readonly DoneAlternative[] = []): void {
    alternatives.forEach(({ message }, index) => {
      const choice = this.#choice(index + 1);
      if (message !== undefined) choice.describe(message);
    });
  }

  /**
   * What has arrived so far, safe to keep: later deltas do not change it, and parts that did not change are the same
   * objects. The arguments of an open call are read anew each time, so take one per frame rather than one per delta.
   */
  snapshot(): Snapshot {
    return this.#answer.snapshot(
      this.#choices.map((choice) => choice.view()),
      this.complete,
    );
  }

  /** The finished response. Throws where the answer failed or was cut off; what had arrived is on the error. */
  finish(): ModelResponse {
    if (this.complete) return this.#answer.response(this.#choices.map((choice) => choice.finish()));
    const failed = this.#state === "failed";
    const rule = failed ? "error-no-message" : this.#state === "waiting" ? "start-first" : "terminal-missing";
    const detail = failed ? this.#answer.describeError() : "The deltas ended early.";
    if (this.#state === "waiting") throw new AssemblyError(rule, this.#run.seq, detail);
    const response = this.#answer.response(this.#choices.map((choice) => choice.finish({ interrupted: true })));
    throw new AssemblyError(rule, this.#run.seq, detail, {
      partial: response.message,
      usage: response.usage,
      error: this.#answer.error,
      response,
    });
  }
}
