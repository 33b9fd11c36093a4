// Assembles the deltas of one answer into a response. Throws for an illegal delta and leaves the state unchanged. The
// time per delta does not depend on the length of the answer (B79).
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
import { withPartKey } from "../model/delta-spelling.ts";
import { truncateText } from "../model/validation/issue.ts";
import type { MediaPart, Part, ReasoningPart, RefusalPart, TextPart } from "../model/parts.ts";
import type { ModelResponse } from "../model/response.ts";
import { AnswerFields } from "./answer-fields.ts";
import type { Snapshot } from "./answer-fields.ts";
import type { CallDraft, PartDraft } from "./draft.ts";
import {
  addMedia,
  addPartExtra,
  addSeal,
  createCallDraft,
  ChoiceDraft,
  finishCall,
  flattenText,
  createWholeDraft,
} from "./draft.ts";
import { findFormProblem } from "./payload.ts";
import { AssemblyError } from "./rules.ts";
import { RunState } from "./run-state.ts";

/** Creates the empty part for each kind of delta that extends a part. */
const EMPTY_PARTS: Readonly<Record<"text" | "thinking" | "refusal" | "media", () => Part>> = {
  text: () => ({ type: "text", text: "" }),
  thinking: () => ({ type: "reasoning", text: "" }),
  refusal: () => ({ type: "refusal", text: "" }),
  media: () => ({ type: "file", data: "" }),
};

/**
 * Assembles the deltas of one answer as they arrive.
 *
 * @example
 * ```ts
 * import { Assembler, getText, user } from "koine";
 * import { createClient, demo } from "koine/client";
 *
 * const client = createClient({ providers: { demo: demo() } });
 * const assembler = new Assembler();
 * const partialTexts: string[] = [];
 * for await (const delta of client.stream({ model: "demo/koine", messages: [user("say Hello there.")] })) {
 *   assembler.push(delta);
 *   if (delta.kind === "text") partialTexts.push(getText(assembler.snapshot().message));
 * }
 * console.log(partialTexts); // ["Hello","Hello there","Hello there."]
 * console.log(getText(assembler.finish().message)); // Hello there.
 * await client.close();
 * ```
 */
export class Assembler {
  readonly #run: RunState;
  readonly #choices: ChoiceDraft[] = [new ChoiceDraft(0)];
  readonly #calls = new Map<string, { draft: CallDraft; choice: ChoiceDraft }>();
  readonly #answer = new AnswerFields();
  #state: "waiting" | "open" | "done" | "failed" = "waiting";

  constructor();
  /** @internal Assembles one answer of a run and shares the run's state. */
  constructor(run: RunState);
  constructor(run: RunState = new RunState()) {
    this.#run = run;
  }

  /** True if the `done` delta has arrived. */
  get complete(): boolean {
    return this.#state === "done";
  }

  /**
   * Adds one delta, with or without run id, `seq` and timestamp. Throws an `AssemblyError` if the delta breaks a rule;
   * the state is then unchanged.
   */
  push(delta: Delta | MessageDelta): void {
    this.#run.checkOrder(delta);
    this.apply(withPartKey(delta));
  }

  /**
   * @internal Adds a delta that `RunState.checkOrder` has accepted. Returns the draft (the part that is being
   * assembled) that the delta belongs to, if any.
   */
  apply(delta: Delta | MessageDelta): PartDraft | undefined {
    this.#assertAllowed(delta);
    let draft: PartDraft | undefined;
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
        draft = this.#findSealedPart(delta.payload, "seal");
        addSeal(draft, delta.payload.seal);
        break;
      case "annotation":
        draft = this.#annotate(delta.payload);
        break;
      case "media":
        draft = this.#addMedia(delta.payload);
        break;
      case "part":
        draft = this.#addWholePart(delta.payload);
        break;
      case "done":
        this.#finishChoices(delta.payload);
        break;
      case "error":
        this.#answer.fail(delta.payload);
        this.#describeAlternatives(delta.payload.alternatives);
        this.#state = "failed";
        break;
    }
    this.#run.accept(delta);
    return draft;
  }

  #assertAllowed(delta: Delta | MessageDelta): void {
    const problem = findFormProblem(delta);
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

  /**
   * Returns the draft of the choice with an index, and creates it if necessary; the first deltas of the choices can
   * arrive in any order.
   */
  #choice(index: number): ChoiceDraft {
    while (this.#choices.length <= index) this.#choices.push(new ChoiceDraft(this.#choices.length));
    // The cast is safe, because the loop above has created the choice.
    return this.#choices[index] as ChoiceDraft;
  }

  /**
   * Returns the draft (the part that is being assembled) with the payload's part key or, without a key, the last draft
   * of the choice; undefined if there is no such draft.
   */
  #findDraft({ choice = 0, partKey: part }: PayloadBase): PartDraft | undefined {
    const drafts = this.#choices[choice];
    return part === undefined ? drafts?.last : drafts?.byKey.get(part);
  }

  /**
   * Returns the draft that a delta extends: the draft with its part key or, without a key, the last draft if it is of
   * the same kind; otherwise a new draft.
   */
  #draftFor(kind: keyof typeof EMPTY_PARTS, payload: PayloadBase): PartDraft {
    const known = this.#findDraft(payload);
    let draft: PartDraft;
    if (known?.kind === kind) draft = known;
    else {
      if (known !== undefined && payload.partKey !== undefined) this.#failPartKind(payload.partKey, known, kind);
      draft = this.#choice(payload.choice ?? 0).add(
        { kind, part: EMPTY_PARTS[kind](), view: undefined, choice: 0, index: 0, flattenedLength: 0 },
        payload.partKey,
      );
    }
    if (payload.extra !== undefined) addPartExtra(draft, payload.extra);
    draft.view = undefined;
    return draft;
  }

  #failPartKind(key: PartKey, draft: PartDraft, kind: string): never {
    return this.#run.fail(
      "part-kind",
      `Part ${truncateText(JSON.stringify(key))} is ${draft.part.type}; \`${kind}\` cannot add to it.`,
    );
  }

  #addText(kind: "text" | "refusal", payload: TextPayload): PartDraft {
    const draft = this.#draftFor(kind, payload);
    // The cast is safe: a draft of the kind `text` or `refusal` has a part of the same type.
    const part = draft.part as TextPart | RefusalPart;
    part.text += payload.textDelta;
    flattenText(draft, part.text);
    if (payload.logprobs === undefined) return draft;
    part.logprobs ??= [];
    for (const each of payload.logprobs) part.logprobs.push(each);
    return draft;
  }

  #addThinking(payload: ThinkingPayload): PartDraft {
    const { summary, textDelta } = payload;
    if (summary !== undefined) this.#checkSummary(summary, payload);
    const draft = this.#draftFor("thinking", payload);
    // The cast is safe: a draft of the kind `thinking` has a reasoning part.
    const part = draft.part as ReasoningPart;
    if (summary === undefined) {
      part.text += textDelta;
      flattenText(draft, part.text);
    } else {
      part.summary ??= [];
      const begun = part.summary[summary];
      if (begun === undefined) draft.flattenedLength = 0;
      const grown = (begun ?? "") + textDelta;
      part.summary[summary] = grown;
      flattenText(draft, grown);
    }
    return draft;
  }

  #checkSummary(index: number, payload: PayloadBase): void {
    const draft = this.#findDraft(payload);
    const begun = draft?.kind === "thinking" ? ((draft.part as ReasoningPart).summary?.length ?? 0) : 0;
    if (!Number.isInteger(index) || index < 0 || index > begun) {
      this.#run.fail("summary-dense", `Summary ${index} begins, but ${begun} have begun before it.`);
    }
  }

  #startCall(payload: DeltaPayloads["tool_call_start"]): PartDraft {
    this.#run.checkNewCall(payload.toolCallId);
    const choice = this.#choice(payload.choice ?? 0);
    this.#checkNewPart(choice, payload.partKey, "tool_call_start");
    const draft = createCallDraft(payload);
    choice.add(draft, payload.partKey);
    if (payload.extra !== undefined) addPartExtra(draft, payload.extra);
    this.#calls.set(payload.toolCallId, { draft, choice });
    this.#run.addCall(payload.toolCallId);
    return draft;
  }

  #checkNewPart(choice: ChoiceDraft, key: PartKey | undefined, kind: string): void {
    const taken = key === undefined ? undefined : choice.byKey.get(key);
    if (taken !== undefined && key !== undefined) this.#failPartKind(key, taken, kind);
  }

  #openCall(toolCallId: string): { draft: CallDraft; choice: ChoiceDraft } {
    const call = this.#calls.get(toolCallId);
    if (call === undefined) return this.#run.fail("call-started", `No call "${truncateText(toolCallId)}" was started.`);
    if (call.draft.ended) this.#run.fail("call-open", `The call "${truncateText(toolCallId)}" has ended.`);
    return call;
  }

  #addArguments(payload: DeltaPayloads["tool_call_args"]): PartDraft {
    const { draft } = this.#openCall(payload.toolCallId);
    draft.args += payload.argsTextDelta;
    flattenText(draft, draft.args);
    draft.view = undefined;
    if (payload.extra !== undefined) addPartExtra(draft, payload.extra);
    return draft;
  }

  #endCall(payload: DeltaPayloads["tool_call_end"]): PartDraft {
    const { draft, choice } = this.#openCall(payload.toolCallId);
    draft.args += payload.argsTextDelta ?? "";
    if (payload.extra !== undefined) addPartExtra(draft, payload.extra);
    const reason = finishCall(draft);
    if (payload.invalid === true) draft.part.invalid = true;
    if (reason !== undefined) choice.invalid.push({ toolCallId: payload.toolCallId, reason });
    return draft;
  }

  /**
   * Returns the draft that a seal or annotation belongs to: the draft with its part key or, without a key, the last
   * draft. Throws if there is no such draft.
   */
  #findSealedPart(payload: PayloadBase, what: string): PartDraft {
    const draft = this.#findDraft(payload);
    if (draft === undefined) return this.#run.fail("part-exists", `The answer has no part for this ${what}.`);
    draft.view = undefined;
    if (payload.extra !== undefined) addPartExtra(draft, payload.extra);
    return draft;
  }

  #annotate(payload: DeltaPayloads["annotation"]): PartDraft {
    const known = this.#findDraft(payload);
    if (known !== undefined && known.part.type !== "text") {
      this.#run.fail("part-exists", `An annotation belongs to a text, this part is ${known.part.type}.`);
    }
    const draft = this.#findSealedPart(payload, "annotation");
    // The cast is safe: the type of the part was checked above, and `#findSealedPart` throws if there is no part.
    const part = draft.part as TextPart;
    part.annotations ??= [];
    part.annotations.push(payload.annotation);
    return draft;
  }

  #addMedia(payload: MediaPayload): PartDraft {
    const draft = this.#draftFor("media", payload);
    // The cast is safe: a draft of the kind `media` has a media part.
    addMedia(draft as PartDraft<MediaPart>, payload);
    return draft;
  }

  #addWholePart(payload: PartPayload): PartDraft {
    const { value, role, partKey: key, extra } = payload;
    if (role !== undefined) this.#run.fail("result-between", "A part with a `role` is inside an answer.");
    this.#run.checkPart(value);
    const choice = this.#choice(payload.choice ?? 0);
    this.#checkNewPart(choice, key, "part");
    const draft = choice.add(createWholeDraft(value), key);
    if (extra !== undefined) addPartExtra(draft, extra);
    this.#run.addPart(value);
    return draft;
  }

  #finishChoices(payload: DeltaPayloads["done"]): void {
    this.#answer.done = payload;
    if (payload.extra !== undefined) this.#answer.addExtra(payload.extra);
    if (payload.message !== undefined) this.#choice(0).describe(payload.message);
    this.#describeAlternatives(payload.alternatives);
    this.#state = "done";
  }

  #describeAlternatives(alternatives: readonly DoneAlternative[] = []): void {
    alternatives.forEach(({ message }, index) => {
      const choice = this.#choice(index + 1);
      if (message !== undefined) choice.describe(message);
    });
  }

  /**
   * Returns the current state of the answer. Later deltas do not change the returned object, and unchanged parts are
   * the same objects as in the previous snapshot. Each call parses the arguments of an open tool call again, so take
   * one snapshot per rendered frame, not one per delta.
   */
  snapshot(): Snapshot {
    return this.#answer.snapshot(
      this.#choices.map((choice) => choice.view()),
      this.complete,
    );
  }

  /**
   * Returns the complete response. Throws if the answer failed or was cut off; the error contains the partial answer.
   */
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
